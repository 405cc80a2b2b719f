import { keepPreviousData, useInfiniteQuery, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { fetchJSON } from "../../api/client";

export type CaseRow = {
  id: number; case_id: string; vanpool_id: string; status: string; outcome: string | null; created_at: string; updated_at: string; resolved_at: string | null;
  meta: { reason: string; details: string; failed_checks: string[]; opened_by: string; updated_by: string; re_audits: number };
};
export type Van = { vanpool_id: string; name: string; pickup_name: string; riders: number; status: string; case_id: string; audited_at?: string; last_result: string };
export type Place = { lat: number; lng: number };
export type Rider = {
  employee_id: string; name: string; home_zip: string; home?: Place; home_by_zip: boolean; shift_name: string; pattern: string; schedule: string;
  week: { from: number; to: number }[]; pto: { from: string; to: string }[]; failed_checks: string[];
};
export type VanPage = {
  vanpool_id: string; name: string; pickup_name: string; pickup: Place; max_miles: number; monday: string;
  riders: Rider[]; cancelled: Removal[]; case?: CaseRow; history: CaseRow[];
};
export type Removal = { case_id: string; vanpool_id: string; employee_id: string; failed_checks: string[]; approver: string; at: string };
export type Reversal = { name: string; proposed: number; rejected: number; cancelled: number; reversed: number; rate: number };
export type Reversals = { all: Reversal; by_rule: Reversal[]; by_model: Reversal[]; by_approver: Reversal[] };
export type Spread = { n: number; mean: number; median: number; p90: number };
export type Metrics = {
  vans: number; audits: number; vans_audited: number; vans_verified: number; audit_hours_saved: number; part_of_baseline: number; cost_saved: number;
  cases: number; cases_open: number; cases_resolved: number; cases_cancelled: number; hours_to_resolution: Spread; seconds_per_audit: Spread;
  seconds_per_case: Spread; cost_per_case: Spread; cost_per_audit: number; cost_total: number; tokens_total: number;
  weeks: { monday: string; audits: number; flagged: number }[]; reversals: Reversals;
};
export type Mail = {
  message_id: string; outbound: boolean; kind: string; from: string; subject: string; text: string; bucket?: string; rule?: string; phrases?: string[];
  stranger?: boolean; at: string;
};
export type Draft = { approval_id: string; subject: string; body: string; sent: boolean };
export type Thread = {
  email_thread_id: string; employee_id: string; failed_checks: string[]; settled?: string; last_outbound?: string; last_inbound?: string;
  messages: Mail[]; drafts: Draft[];
};
export type Expense = { turns: number; tokens_in: number; tokens_out: number; cost: number; busy_ms: number };
export type CasePage = CaseRow & { threads: Thread[]; reversals: Reversals; spent: Expense };

const base = "/api/v1/poolpatrol";

/** Keys begin with "app", so that what happens to a case makes them stale. */
const key = (path: string) => ["app", "poolpatrol", path];

function useGet<T>(path: string) {
  return useQuery<T>({ queryKey: key(path), queryFn: () => fetchJSON<T>(base + path), placeholderData: keepPreviousData });
}

/** How many vans one answer holds. */
const vansAtOnce = 200;

/** The vans in which text stands, perhaps only those with an open case, by id and page by page. */
export const useVans = (text: string, flagged: boolean) =>
  useInfiniteQuery({
    queryKey: key(`/vans?q=${text}&flagged=${flagged}`), initialPageParam: "",
    queryFn: ({ pageParam, signal }) =>
      fetchJSON<Van[]>(`${base}/vans?${new URLSearchParams({ limit: String(vansAtOnce), ...(text && { q: text }), ...(flagged && { flagged: "true" }), ...(pageParam && { after: pageParam }) })}`, { signal }),
    getNextPageParam: (last) => (last.length < vansAtOnce ? undefined : last.at(-1)?.vanpool_id),
    placeholderData: (before) => before,
  });
export const useVan = (id: string) => useGet<VanPage>(`/vans/${encodeURIComponent(id)}`);
export const useMetrics = () => useGet<Metrics>("/metrics");
export const useCasePage = (id: string) => useGet<CasePage>(`/cases/${encodeURIComponent(id)}`);

export type Posted = {
  id: string; state: "held" | "kept" | "queued" | "sent" | "failed"; via: string; problem?: string; employee_id: string; kind: string; subject: string;
  case_id: string; approval_id?: string; at: string;
};

/** Outgoing mail across cases, newest first, part by part. */
export const useOutbox = (state: string) =>
  useInfiniteQuery({
    queryKey: key(`/outbox?state=${state}`), initialPageParam: "",
    queryFn: ({ pageParam, signal }) => fetchJSON<{ items: Posted[]; next?: string }>(`${base}/outbox?${new URLSearchParams({ limit: "50", ...(state && { state }), ...(pageParam && { after: pageParam }) })}`, { signal }),
    getNextPageParam: (last) => last.next || undefined,
    placeholderData: (before) => before,
  });

function usePost<T, R>(path: (v: T) => string, json: (v: T) => unknown) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (v: T) => fetchJSON<R>(base + path(v), { method: "POST", json: json(v) }),
    onSettled: () => Promise.all(["app", "case", "cases", "approvals"].map((k) => client.invalidateQueries({ queryKey: [k] }))),
  });
}

export type Look = { case_id: string; vanpool_id: string; status: string; outcome?: string; reasoning: string };
export const useAudit = () => usePost<{ van: string; again: boolean }, Look>((v) => `/vans/${v.van}/audit`, (v) => ({ again: v.again }));
export const useAuditAll = () => usePost<void, { due: number }>(() => "/audits", () => ({}));
export const useReplyAs = () => usePost<{ thread: string; text: string }, Mail>((v) => `/threads/${v.thread}/replies`, (v) => ({ text: v.text }));
export const useReinstate = () => usePost<Removal, undefined>((r) => `/vans/${r.vanpool_id}/riders/${r.employee_id}/reinstate`, () => ({}));
export const useRiderLink = () => usePost<{ thread: string }, { url: string }>((v) => `/threads/${v.thread}/link`, () => ({}));
