import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { api, body, onceKey } from "../api/client";
import type { ApprovalDetail, Verb } from "../api/types";
import { explain } from "../parts/states";
import { tell } from "../parts/toast";

/** What is waiting for whoever is signed in, oldest deadline first. */
export function useInbox() {
  return useQuery({
    queryKey: ["approvals", "mine"],
    queryFn: async () => (await body(api.GET("/api/v1/approvals", { params: { query: { view: "mine", limit: 200 } } }))).items.toSorted(byDeadline),
    refetchInterval: 60_000,
  });
}

function byDeadline(a: { expires?: string; asked: string }, b: { expires?: string; asked: string }): number {
  const due = (x: typeof a) => (x.expires ? new Date(x.expires).getTime() : Infinity);
  return due(a) - due(b) || new Date(a.asked).getTime() - new Date(b.asked).getTime();
}

/** How many wait for whoever is signed in. */
export function useInboxCount(): number {
  return useInbox().data?.length ?? 0;
}

/** Approvals that are no longer pending, or those that others decide. */
export function useApprovals(view: "pending" | "decided" | "all", by?: string) {
  return useInfiniteQuery({
    queryKey: ["approvals", view, by ?? ""],
    initialPageParam: "",
    queryFn: ({ pageParam }) => body(api.GET("/api/v1/approvals", { params: { query: { view, by: by || undefined, after: pageParam || undefined, limit: 50 } } })),
    getNextPageParam: (last) => last.next || undefined,
  });
}

/** The approvals of a case. */
export function useCaseApprovals(caseID: string) {
  return useQuery({ queryKey: ["approvals", "case", caseID], queryFn: async () => (await body(api.GET("/api/v1/approvals", { params: { query: { view: "all", case: caseID, limit: 200 } } }))).items });
}

/** What is asked, why, on which evidence, and what each verb will do. */
export function useApproval(id: string) {
  return useQuery({ queryKey: ["approval", id], queryFn: () => body(api.GET("/api/v1/approvals/{id}", { params: { path: { id } } })), enabled: id !== "" });
}

export type Decide = { verb: Verb; args?: unknown; note?: string };

/**
 * Decides about exactly what was shown: the request names the version seen. Whoever has
 * moved on before the answer came is told if the decision was not taken.
 */
export function useDecide(approval: ApprovalDetail) {
  const client = useQueryClient();
  const shown = useRef(false);
  useEffect(() => {
    shown.current = true;
    return () => void (shown.current = false);
  }, []);
  return useMutation({
    mutationFn: (d: Decide) =>
      body(
        api.POST("/api/v1/approvals/{id}/decision", {
          params: { path: { id: approval.id }, header: { "If-Match": approval.etag, "Idempotency-Key": onceKey() } },
          body: { verb: d.verb, args: d.args, note: d.note, digest: approval.digest },
        }),
      ),
    onError: (e) => {
      const { title, advice } = explain(e);
      if (!shown.current) tell([`Not decided: ${approval.title}`, title, advice].filter(Boolean).join(" "), "bad");
    },
    onSettled: () => {
      void client.invalidateQueries({ queryKey: ["approvals"] });
      void client.invalidateQueries({ queryKey: ["approval", approval.id] });
      void client.invalidateQueries({ queryKey: ["case", approval.case] });
    },
  });
}
