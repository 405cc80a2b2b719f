import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, body, onceKey } from "../api/client";

/** Suites of examples and their gates. */
export function useSuites() {
  return useQuery({ queryKey: ["suites"], queryFn: async () => (await body(api.GET("/api/v1/evals/suites", { params: { query: {} } }))).items });
}

/** Runs of suites, newest first. */
export function useResults(suite?: string) {
  return useQuery({ queryKey: ["results", suite ?? ""], queryFn: async () => (await body(api.GET("/api/v1/evals/results", { params: { query: { suite: suite || undefined, limit: 100 } } }))).items });
}

/** One run of a suite, row by row. */
export function useResult(id: string) {
  return useQuery({ queryKey: ["result", id], queryFn: () => body(api.GET("/api/v1/evals/results/{id}", { params: { path: { id } } })) });
}

/** What people should look at. */
export function useLabels() {
  return useQuery({ queryKey: ["labels"], queryFn: async () => (await body(api.GET("/api/v1/evals/labels", { params: { query: { limit: 100 } } }))).items });
}

export type Said = { id: string; good: boolean; right?: unknown; note?: string };

/** Says whether an answer was right, and what it should have been. */
export function useLabel() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id, ...said }: Said) => body(api.POST("/api/v1/evals/labels/{id}", { params: { path: { id }, header: { "Idempotency-Key": onceKey() } }, body: said })),
    onSettled: () => client.invalidateQueries({ queryKey: ["labels"] }),
  });
}
