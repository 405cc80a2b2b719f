import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, body, onceKey } from "../api/client";
import type { User } from "../api/types";

const once = () => ({ "Idempotency-Key": onceKey() });

export function useUsers(enabled = true) {
  return useQuery({ queryKey: ["users"], queryFn: async () => (await body(api.GET("/api/v1/users"))).items, enabled });
}

/** Every role that can be given. */
export function useRoles(enabled = true) {
  return useQuery({ queryKey: ["roles"], queryFn: async () => (await body(api.GET("/api/v1/roles"))).items, staleTime: 300_000, enabled });
}

function useChange<I, O>(key: string, run: (input: I) => Promise<O>) {
  const client = useQueryClient();
  return useMutation({ mutationFn: run, onSettled: () => client.invalidateQueries({ queryKey: [key] }) });
}

export function useAddUser() {
  return useChange("users", (input: { name: string; display?: string; mail?: string; roles: string[] }) => body(api.POST("/api/v1/users", { body: input, params: { header: once() } })));
}

/** Changes a user as they were seen: somebody else's change in between is refused. */
export function useChangeUser() {
  return useChange("users", ({ user, ...change }: { user: User; roles?: string[]; display?: string; disabled?: boolean }) =>
    body(api.PATCH("/api/v1/users/{id}", { params: { path: { id: user.id }, header: { "If-Match": `"${user.version}"` } }, body: change })));
}

/** Makes a one-time link that signs someone in. */
export function useMakeLink() {
  return useMutation({ mutationFn: (id: string) => body(api.POST("/api/v1/users/{id}/link", { params: { path: { id }, header: once() } })) });
}

export function useTokens(all: boolean) {
  return useQuery({ queryKey: ["tokens", all], queryFn: async () => (await body(api.GET("/api/v1/tokens", { params: { query: { all } } }))).items });
}

export function useAddToken() {
  return useChange("tokens", (input: { name: string; roles: string[]; expires?: string }) => body(api.POST("/api/v1/tokens", { body: input, params: { header: once() } })));
}

export function useRevokeToken() {
  return useChange("tokens", (id: string) => body(api.DELETE("/api/v1/tokens/{id}", { params: { path: { id } } })));
}

export function useWebhooks() {
  return useQuery({ queryKey: ["webhooks"], queryFn: async () => (await body(api.GET("/api/v1/webhooks"))).items });
}

export function useAddWebhook() {
  return useChange("webhooks", (input: { url: string; kinds?: string[] }) => body(api.POST("/api/v1/webhooks", { body: input, params: { header: once() } })));
}

/** Switches a webhook as it was seen on or off: somebody else's change in between is refused. */
export function useSwitchWebhook() {
  return useChange("webhooks", ({ id, version, enabled }: { id: string; version: number; enabled: boolean }) =>
    body(api.PATCH("/api/v1/webhooks/{id}", { params: { path: { id }, header: { "If-Match": `"${version}"` } }, body: { enabled } })));
}

export function useRemoveWebhook() {
  return useChange("webhooks", (id: string) => body(api.DELETE("/api/v1/webhooks/{id}", { params: { path: { id } } })));
}

export function useTestWebhook() {
  return useChange("webhooks", (id: string) => body(api.POST("/api/v1/webhooks/{id}/test", { params: { path: { id }, header: once() } })));
}

/** Models, gates, database and version. */
export function useStatus() {
  return useQuery({ queryKey: ["status"], queryFn: () => body(api.GET("/api/v1/status")), refetchInterval: 30_000 });
}
