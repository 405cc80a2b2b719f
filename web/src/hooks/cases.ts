import { useInfiniteQuery, useMutation, useQuery } from "@tanstack/react-query";
import { api, body } from "../api/client";
import type { State } from "../api/types";

export type CaseFilter = { app?: string; state?: State[]; stage?: string; subject?: string; q?: string; opened_after?: string; opened_before?: string };

/** Cases, newest first, part by part. */
export function useCases(filter: CaseFilter) {
  return useInfiniteQuery({
    queryKey: ["cases", filter],
    initialPageParam: "",
    queryFn: ({ pageParam, signal }) => body(api.GET("/api/v1/cases", { params: { query: { ...clean(filter), after: pageParam || undefined, limit: 50 } }, signal })),
    getNextPageParam: (last) => last.next || undefined,
    placeholderData: (before) => before,
  });
}

function clean(f: CaseFilter): CaseFilter {
  return Object.fromEntries(Object.entries(f).filter(([, v]) => v !== undefined && v !== "" && !(Array.isArray(v) && v.length === 0)));
}

export function useCase(id: string) {
  return useQuery({ queryKey: ["case", id], queryFn: () => body(api.GET("/api/v1/cases/{id}", { params: { path: { id } } })) });
}

/** Everything that happened in a case, in order. */
export function useTimeline(id: string) {
  return useQuery({
    queryKey: ["case", id, "timeline"],
    queryFn: async () => (await body(api.GET("/api/v1/cases/{id}/timeline", { params: { path: { id }, query: { limit: 1000 } } }))).items,
  });
}

/** The evidence of a case, in the order of its chain. */
export function useEvidence(id: string) {
  return useQuery({ queryKey: ["case", id, "evidence"], queryFn: async () => (await body(api.GET("/api/v1/cases/{id}/evidence", { params: { path: { id } } }))).items, enabled: id !== "" });
}

export function useFindings(id: string) {
  return useQuery({ queryKey: ["case", id, "findings"], queryFn: async () => (await body(api.GET("/api/v1/cases/{id}/findings", { params: { path: { id } } }))).items, enabled: id !== "" });
}

/** Asks why a case stands as it does. */
export function useWhy(id: string) {
  return useMutation({ mutationFn: (question: string) => body(api.POST("/api/v1/cases/{id}/why", { params: { path: { id } }, body: { question: question || undefined } })) });
}
