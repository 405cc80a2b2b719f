import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, body, fetchJSON } from "../api/client";
import type { Report } from "../api/types";

/** Signed checkpoints of all ledgers, newest first. */
export function useCheckpoints() {
  return useQuery({ queryKey: ["checkpoints"], queryFn: () => body(api.GET("/api/v1/ledger/checkpoints", { params: { query: { limit: 100 } } })) });
}

/** Makes a checkpoint of everything not covered yet. */
export function useSeal() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => body(api.POST("/api/v1/ledger/checkpoints", {})),
    onSuccess: () => client.invalidateQueries({ queryKey: ["checkpoints"] }),
  });
}

/** Checks a case's chain and recomputes its findings, when asked. */
export function useVerify(caseID: string) {
  return useQuery({ queryKey: ["verify", caseID], queryFn: () => body(api.POST("/api/v1/cases/{id}/verify", { params: { path: { id: caseID } } })), enabled: false, gcTime: 0 });
}

/** Verifies a bundle from a file, wherever it comes from. */
export function useVerifyBundle() {
  return useMutation({
    mutationFn: ({ file, key }: { file: File; key: string }) =>
      fetchJSON<Report>(`/api/v1/ledger/verify${key ? `?key=${encodeURIComponent(key)}` : ""}`, { method: "POST", body: file, headers: { "Content-Type": "application/json" } }),
  });
}

/** Where a case's bundle can be downloaded. */
export function bundlePath(caseID: string): string {
  return `/api/v1/cases/${encodeURIComponent(caseID)}/bundle`;
}
