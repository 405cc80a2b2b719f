import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { fetchJSON, onceKey } from "../../api/client";
import { smaller } from "./camera";

export type Status = "pending" | "approved" | "rejected" | "exited" | "returned" | "deleted";
export type Change = { operation: string; from?: Status; to: Status; by: string; note?: string; at: string; photo?: string; source?: string };
export type Pass = {
  id: string;
  pass_number: string;
  person_name: string;
  description: string;
  is_returnable: boolean;
  status: Status;
  created_at: string;
  created_by?: string;
  approved_at?: string;
  approved_by?: string;
  claimed_name?: string;
  exit_time?: string;
  return_time?: string;
  return_by?: string;
  history?: Change[];
};
export type PassPage = { items: Pass[]; page: number; more: boolean; total: number };
export type Notification = { id: string; message: string; type: string; created_at: string; is_read: boolean; related_pass_id?: string };
export type Analytics = { by_status: Record<Status, number>; out: number; overdue: number; today: { created: number } };

/** The desks, and the roles that work at each. */
export const desks = { hr: ["hr"], admin: ["passadmin", "admin"], gate: ["gate"] } as const;
export type Desk = keyof typeof desks;

export function desksOf(roles: readonly string[]): Desk[] {
  return (Object.keys(desks) as Desk[]).filter((d) => desks[d].some((r) => roles.includes(r)));
}

const key = (...rest: unknown[]) => ["app", "gatepass", ...rest];

export type Filter = { status: string; search: string; date: string; page: number };

/** Passes for the HR or the admin desk; live, because the office tells of every change. */
export function usePasses(desk: "hr" | "admin", f: Filter) {
  const query = new URLSearchParams({ limit: "50", page: String(f.page) });
  for (const k of ["status", "search", "date"] as const) if (f[k]) query.set(k, f[k]);
  return useQuery({ queryKey: key("passes", desk, f), queryFn: () => fetchJSON<PassPage>(`/${desk}/gatepass/list?${query}`) });
}

export function usePass(desk: Desk, number: string) {
  const path = { hr: `/hr/gatepass/${number}`, admin: `/admin/gatepass/${number}`, gate: `/gate/gatepass/number/${number}` }[desk];
  return useQuery({ queryKey: key("pass", desk, number), queryFn: () => fetchJSON<Pass>(path), enabled: number !== "" });
}

export function useOut() {
  return useQuery({ queryKey: key("out"), queryFn: () => fetchJSON<PassPage>("/gate/out?limit=100"), refetchInterval: 60_000 });
}

export function useAnalytics(enabled: boolean) {
  return useQuery({ queryKey: key("analytics"), queryFn: () => fetchJSON<Analytics>("/admin/gatepass/analytics"), enabled });
}

export function useNotifications(desk: "hr" | "admin") {
  return useQuery({ queryKey: key("notifications", desk), queryFn: async () => (await fetchJSON<{ items: Notification[] }>(`/notifications/${desk}`)).items });
}

function useChange<I, O>(send: (input: I) => Promise<O>) {
  const client = useQueryClient();
  return useMutation({ mutationFn: send, onSettled: () => client.invalidateQueries({ queryKey: ["app", "gatepass"] }) });
}

const post = <T>(path: string, json?: unknown) => fetchJSON<T>(path, { method: "POST", json: json ?? {}, headers: { "Idempotency-Key": onceKey() } });

export type NewPass = { person_name: string; description: string; is_returnable: boolean; return_by?: string };

export const useCreate = () => useChange((p: NewPass) => post<Pass>("/hr/gatepass/create", p));
export const useDecide = () => useChange((d: { number: string; verb: "approve" | "reject" | "delete" }) => post<Pass>(`/admin/gatepass/${d.number}/${d.verb}`));
export const useMarkRead = () => useChange((id: string) => post<Notification>(`/notifications/mark-read/${id}`));

/** Sends a photo ahead of the message that refers to it. */
export async function attach(file: File): Promise<{ name: string; mime: string; ref: string }> {
  const form = new FormData();
  form.append("photo", await smaller(file), file.name);
  return fetchJSON("/gatepass/attachments", { method: "POST", body: form });
}

/** Records an exit or a return with its photo. A server that does not answer in time counts as away. */
export async function scan(op: "exit" | "return", number: string, photo: Blob, key: string): Promise<Pass> {
  const form = new FormData();
  form.append("pass_number", number);
  form.append("photo", photo, "photo.jpg");
  return fetchJSON(`/gate/scan-${op}`, { method: "POST", body: form, headers: { "Idempotency-Key": key }, signal: AbortSignal.timeout(20_000) });
}
