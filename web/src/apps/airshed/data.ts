import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { fetchJSON } from "../../api/client";

export type Place = { latitude: number; longitude: number };
export type StateFires = { state: string; fire_count: number; districts: string[] | null; avg_distance_km: number; is_high_contribution: boolean };
export type Station = Place & { name: string; border?: string; aqi: number; aqi_basis: string; timestamp: string; is_surge: boolean; pm25: number | null; pm10: number | null };
export type Term = { name: string; status: string; points: number; why: string };
export type Transport = { verdict: string; reason: string; from_degrees: number; mean_kmh: number; upwind_fires: number; fires: number; upwind_share: number; path: Place[]; sector_degrees: number };
export type Counterfactual = { without_state: string; fire_count: number; confidence_score: number; conclusion: string; changes: string[] };
export type Pollutant = { pollutant: string; level: number | null; sub_index: number | null; category?: string; standard_24h: number; times_standard: number | null; fires_correlation: number | null; samples: number };
export type History = { years: { year: number; readings: number; mean_aqi: number; max_aqi: number; readings_above_threshold: number; reports: number }[]; recurring_districts: { state: string; district: string; fires_now: number; earlier_reports: number; years: number[] }[]; sentence: string };
export type Timeline = { aqi: { timestamp: string; aqi: number }[]; fires: { from: string; count: number }[] };

export type Analysis = {
  correlation: { states: StateFires[]; fire_count: number; avg_distance_km: number; unattributed: number; undated: number };
  confidence: { score: number; terms: Term[] };
  conclusion: string;
  share: { stubble_burning_percent: number } | null;
  transport: Transport;
  history: History;
  pollutants: Pollutant[];
  counterfactuals: Counterfactual[];
  timeline: Timeline;
};

export type Rules = { surge_aqi_threshold: number; fire_correlation_radius_km: number; correlation_window_ns: number; high_contribution_fire_count: number };

/** A case as its map and time line show it. */
export type Scene = {
  case: string;
  record: boolean;
  report_id?: string;
  surge: (Station & { run_from: string; run_to: string }) | null;
  station: Place & { name: string; border: string };
  rules: Rules;
  analysis?: Analysis;
  stations: Station[] | null;
  border_stations: (Place & { name: string; border: string })[];
  fires: (Place & { state: string; district: string; acq_date: string; acq_time: string; counts: boolean })[];
  outlines: [number, number][][] | null;
  texts: { executive_summary: string; reasoning: string; weakest_link: string };
};

/** The figures that a what-if may change. */
export type Figures = { surge_aqi_threshold: number; fire_correlation_radius_km: number; correlation_window_hours: number; high_contribution_fire_count: number };

export type ReportLine = { report_id: string; case: string; station: string; aqi: number; timestamp: string; generated_at: string; confidence_score: number; status: string; executive_summary: string };
export type Sweep = { sweep_id: string; at: string; cause: string; status: string; detail?: string; surges: number; new_cases: number; object: { key: string; from_cache: boolean }; problems?: string[] };

export type Report = {
  report_id: string; timestamp: string; executive_summary: string; reasoning: string; confidence_score: number; case_id?: string; conclusion: string;
  recommendations: string[]; caveats: string[]; written_by: string;
  legal_citations: { caqm_direction: string; enforcement_authority: string; enforcement_request: string; applicable_sections: string[]; addressees: string[]; exclusions: string[] };
  data_quality: { cpcb_available: boolean; nasa_available: boolean; dss_available: boolean; data_age_hours: number; from_cache: boolean; gaps: string[]; problems: string[] };
};
export type Filed = { report: Report; status: string; sha256: string; result: { status: string; sha256: string; receipt: { receipt_id: string; received_at: string } | null; local_path: string; s3_path: string; problems: string[] } | null };
export type Receipt = { receipt_id: string; report_id: string; sha256: string; received_at: string };
/** What the receiver inside the product holds; trial is false where reports go to another system. */
export type Received = { trial: boolean; endpoint: string; items: Receipt[] };

const root = "/api/v1/airshed";

export const useReports = () => useQuery({ queryKey: ["airshed", "reports"], queryFn: async () => (await fetchJSON<{ items: ReportLine[] }>(`${root}/reports`)).items });
export const useReport = (id: string) => useQuery({ queryKey: ["airshed", "report", id], queryFn: () => fetchJSON<Filed>(`${root}/reports/${encodeURIComponent(id)}`), enabled: id !== "" });
export const useReceived = () => useQuery({ queryKey: ["airshed", "received"], queryFn: () => fetchJSON<Received>(`${root}/received`) });
export const useSweeps = () => useQuery({ queryKey: ["airshed", "sweeps"], queryFn: async () => (await fetchJSON<{ items: Sweep[] }>(`${root}/sweeps?limit=20`)).items });
export const useScene = (id: string) => useQuery({ queryKey: ["airshed", "scene", id], queryFn: () => fetchJSON<Scene>(`${root}/cases/${encodeURIComponent(id)}/scene`), enabled: id !== "" });

/** The same facts by other figures. Nothing is asked while there are none. */
export function useWhatIf(id: string, figures: Partial<Figures> | undefined) {
  return useQuery({
    queryKey: ["airshed", "what-if", id, figures],
    queryFn: ({ signal }) => fetchJSON<Scene>(`${root}/cases/${encodeURIComponent(id)}/what-if`, { method: "POST", json: figures, signal }),
    enabled: figures !== undefined,
    placeholderData: (before) => before,
    staleTime: 60_000,
  });
}

/** Looks at the data lake now. */
export function useSweepNow() {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: () => fetchJSON<Sweep>(`${root}/sweeps`, { method: "POST" }),
    onSettled: () => cache.invalidateQueries({ queryKey: ["airshed"] }),
  });
}

/** Sends a report again that the Commission did not take. */
export function useResend(id: string) {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: () => fetchJSON<Filed>(`${root}/reports/${encodeURIComponent(id)}/submit`, { method: "POST" }),
    onSettled: () => cache.invalidateQueries({ queryKey: ["airshed"] }),
  });
}

export const pdfAddress = (id: string) => `${root}/reports/${encodeURIComponent(id)}/pdf`;
export const htmlAddress = (id: string) => `${root}/reports/${encodeURIComponent(id)}/html`;

export const receivedAddress = (id: string) => `${root}/received/${encodeURIComponent(id)}/body`;

/** The point km away from a place in a direction, on a sphere. */
export function travel(from: Place, bearing: number, km: number): [lat: number, lng: number] {
  const rad = Math.PI / 180;
  const d = km / 6371.0088;
  const lat = from.latitude * rad;
  const b = bearing * rad;
  const sin = Math.sin(lat) * Math.cos(d) + Math.cos(lat) * Math.sin(d) * Math.cos(b);
  const lon = from.longitude * rad + Math.atan2(Math.sin(b) * Math.sin(d) * Math.cos(lat), Math.cos(d) - Math.sin(lat) * sin);
  return [Math.asin(sin) / rad, lon / rad];
}

/** The corners of the upwind sector, from the station out and back. */
export function wedge(at: Place, towards: number, half: number, km: number): [lat: number, lng: number][] {
  const ring: [number, number][] = [[at.latitude, at.longitude]];
  for (let a = -half; a <= half + 0.01; a += half / 12) ring.push(travel(at, towards + a, km));
  return ring;
}

export const hoursOf = (r: Rules) => r.correlation_window_ns / 3.6e12;
