import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { api, body } from "../api/client";
import type { RunStatus } from "../api/types";

export type RunFilter = { app?: string; case?: string; agent?: string; status?: RunStatus; top?: boolean };

/** Runs, newest first, part by part. */
export function useRuns(filter: RunFilter) {
  return useInfiniteQuery({
    queryKey: ["runs", filter],
    initialPageParam: "",
    queryFn: ({ pageParam, signal }) =>
      body(api.GET("/api/v1/runs", { params: { query: { app: filter.app || undefined, case: filter.case || undefined, agent: filter.agent || undefined, status: filter.status || undefined, top: filter.top, after: pageParam || undefined, limit: 50 } }, signal })),
    getNextPageParam: (last) => last.next || undefined,
    placeholderData: (before) => before,
  });
}

/** A run with its steps and the runs it called. */
export function useRun(id: string) {
  return useQuery({ queryKey: ["run", id], queryFn: () => body(api.GET("/api/v1/runs/{id}", { params: { path: { id } } })), enabled: id !== "" });
}

/** What the model was told before a step. */
export function usePrompt(run: string, seq: number, enabled: boolean) {
  return useQuery({ queryKey: ["prompt", run, seq], queryFn: () => body(api.GET("/api/v1/runs/{id}/steps/{seq}/prompt", { params: { path: { id: run, seq } } })), enabled, staleTime: Infinity });
}

/** Two runs side by side. */
export function useComparison(a: string, b: string) {
  return useQuery({ queryKey: ["run", a, "compare", b], queryFn: () => body(api.GET("/api/v1/runs/{id}/compare/{other}", { params: { path: { id: a, other: b } } })) });
}
