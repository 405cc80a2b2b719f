import { keepPreviousData, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { fetchJSON } from "../../api/client";

export type Window = "24h" | "72h" | "7d";
export const windows: Window[] = ["24h", "72h", "7d"];

export type Threshold = { label: string; range: string; crossed: boolean };
export type Standing = {
  state: string; district: string; border: boolean; capital: boolean;
  score: number; risk_level: string; threshold: Threshold; escalation_floor: string;
  trend: string; trend_arrow: string; trend_basis: string; primary_trigger: string; signal_count: number; timestamp: string;
};
export type Standings = { time_window: Window; methodology_version: string; governance_disclaimer: string; districts: Standing[] };

export type Layers = { cognitive: number; network: number; physical: number };
export type Top = {
  id?: string; event_summary: string; severity: number; timestamp: string; source_type: string; layers: string[]; location: string;
  polarity: string; weight: number; sources?: number;
};
export type Move = { label: string; score: number; layer_sum: number; gap: number; text: string };
export type Score = {
  district: string; state: string; score: number; risk_level: string; trend: string; trend_arrow: string; trend_basis: string;
  primary_trigger: string; secondary_triggers: string[]; layer_scores: Layers; layer_counts: Layers; top_contributing_signals: Top[];
  threshold: Threshold; time_window: Window; signal_count: number; timestamp: string; governance_disclaimer: string;
  rationale: string; action_required: string; health: { code: string; layer?: string; text: string }[];
  peak: (Top & { strength: number }) | null; escalation_floor: Threshold;
  weakest_link: (Top & { score_without: number; band_without: string; changes_band: boolean }) | null;
  band_change: { layer_sum: number; up: Move | null; down: Move | null }; methodology_version: string;
};
export type Point = { timestamp: string; score: number; band: string; trend: string; signal_count: number; methodology_version: string };
export type Classed = { risk_layers: string[]; polarity: string; severity_score: number; geo_sensitivity: string[] | null; by: string };
export type Account = {
  signal: { id: string; event_summary: string; location: string; timestamp: string; source_url: string; source_type: string; risk_layers: string[]; polarity: string; severity_score: number; geo_sensitivity: string[] | null; sources: number };
  by_rule: Classed; by_model: Classed | null; used: string; why: string;
};
export type Methodology = {
  version: string; formulas: { name: string; is: string; note?: string }[]; layers: { layer: string; holds: string; weight: number }[];
  bands: { label: string; from: number; range: string; action: string }[]; windows: { window: string; hours: number; use: string }[];
  limits: string[]; governance_disclaimer: string;
};
export type Reviews = {
  governance_disclaimer: string;
  false_alarm_rates: { state: string; district: string; band: string; reviewed: number; false_alarms: number; rate: number }[];
  reviews: { id: string; place: { state: string; district: string }; score: number; band: string; false_alarm: boolean; note: string; at: string }[];
};
export type Proposal = {
  id: string; version: string; why: string; proposer: string; proposed: string; status: string; case: string; decided?: string; decided_by?: string;
  back_test: { scores: number; band_moves: number; mean_before: number; mean_after: number; false_gone: number; true_lost: number };
};
export type Retention = { retain: string; proofs: { id: string; at: string; before: string; removed: number; remaining: number; digest: string }[] };

/** Keys begin with "app", so that every score event makes them stale. */
const key = (...rest: string[]) => ["app", "netra", ...rest];

function useGet<T>(path: string) {
  return useQuery<T>({ queryKey: key(path), queryFn: () => fetchJSON<T>(path), placeholderData: keepPreviousData });
}

const where = (path: string, state: string, district: string, w: Window) =>
  `/${path}/${encodeURIComponent(district)}?state=${encodeURIComponent(state)}&window=${w}`;

export const useStandings = (w: Window) => useGet<Standings>(`/districts?window=${w}`);
export const useScore = (state: string, district: string, w: Window) => useGet<Score>(where("risk-score", state, district, w));
export const useHistory = (state: string, district: string, w: Window) => useGet<{ points: Point[] }>(where("risk-history", state, district, w));
export const useSignals = (state: string, district: string, w: Window) => useGet<{ signals: Account[] }>(where("signals", state, district, w));
export const useMethodology = () => useGet<Methodology>("/methodology");
export const useReviews = () => useGet<Reviews>("/review");
export const useWeights = () => useGet<{ proposals: Proposal[] }>("/weights");
export const useRetention = () => useGet<Retention>("/retention");

/** Says whether a score that someone looked at was a false alarm. */
export function useReview() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (json: { state: string; district: string; window: Window; score_timestamp: string; false_alarm: boolean; note: string }) => fetchJSON("/review", { method: "POST", json }),
    onSuccess: () => void client.invalidateQueries({ queryKey: key() }),
  });
}

/** A band as a class name: "senior_review". */
export const bandClass = (label: string) => `band-${label.toLowerCase()}`;

export const districtPath = (d: { state: string; district: string }) => `/apps/netra/district/${encodeURIComponent(d.state)}/${encodeURIComponent(d.district)}`;
