import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, body, onceKey } from "../api/client";
import type { Session } from "../api/types";

const key = ["session"];

/** Who is signed in, and how one can sign in. No answer is an answer too: the page must say so. */
export function useSession() {
  return useQuery({ queryKey: key, queryFn: () => body(api.GET("/api/v1/session", { signal: AbortSignal.timeout(10_000) })), staleTime: 60_000, retry: 1, networkMode: "always" });
}

/** Whoever is signed in. Only for pages behind the sign-in. */
export function useMe() {
  const { data } = useSession();
  if (!data?.user) throw new Error("Nobody is signed in.");
  return data.user;
}

/** Whether one of the roles is held; no roles means anyone. */
export function useHas(...roles: string[]): boolean {
  const me = useMe();
  return roles.length === 0 || roles.some((r) => me.roles.includes(r));
}

function useEnter<I>(enter: (input: I) => Promise<Session>) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: enter,
    onSuccess: (session) => {
      client.removeQueries({ predicate: (q) => q.queryKey[0] !== key[0] });
      client.setQueryData(key, session);
    },
  });
}

export function useSignIn() {
  return useEnter((input: { name: string; password: string }) => body(api.POST("/api/v1/session", { body: input })));
}

export function useLink() {
  return useEnter((input: { link: string; name?: string; label?: string; password?: string }) => body(api.POST("/api/v1/session/link", { body: input })));
}

/** Who a one-time link is for. */
export function useWelcome(link: string) {
  return useQuery({
    queryKey: ["welcome", link],
    queryFn: () => body(api.POST("/api/v1/session/link/look", { body: { link } })),
    enabled: link !== "",
    retry: false,
    staleTime: Infinity,
  });
}

export function useSignOut() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => body(api.DELETE("/api/v1/session")),
    onSuccess: () => {
      client.clear();
      location.assign("/");
    },
  });
}

export function useChangePassword() {
  return useMutation({ mutationFn: (input: { old: string; new: string }) => body(api.PUT("/api/v1/session/password", { body: input, headers: { "Idempotency-Key": onceKey() } })) });
}
