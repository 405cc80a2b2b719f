import { useMutation, useQuery } from "@tanstack/react-query";
import { api, body, onceKey } from "../api/client";

/** What starts work unasked. */
export function useTriggers() {
  return useQuery({ queryKey: ["triggers"], queryFn: async () => (await body(api.GET("/api/v1/triggers", { params: { query: {} } }))).items });
}

/** Starts a trigger now. */
export function useFire() {
  return useMutation({
    mutationFn: ({ app, name, event }: { app: string; name: string; event?: unknown }) =>
      body(api.POST("/api/v1/triggers/{app}/{name}", { params: { path: { app, name }, header: { "Idempotency-Key": onceKey() } }, body: { event } })),
  });
}
