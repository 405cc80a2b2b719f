import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { fetchJSON } from "../../api/client";
import type { ChartData, Comment, Dimension, Evals, Head, Report, Section } from "./types";

const key = (...parts: string[]) => ["app", "report", ...parts];
const at = (report: string, rest = "") => `/report/reports/${encodeURIComponent(report)}${rest}`;

export const useReports = () => useQuery({ queryKey: key("list"), queryFn: () => fetchJSON<Head[]>("/report/reports") });

export const useReport = (id: string) =>
  useQuery({ queryKey: key("one", id), queryFn: () => fetchJSON<Report>(at(id)), refetchInterval: 5_000 });

export const useSection = (report: string, section: string) =>
  useQuery({
    queryKey: key("section", report, section), enabled: section !== "", refetchInterval: 5_000,
    queryFn: () => fetchJSON<Section>(at(report, `/sections/${encodeURIComponent(section)}`)),
  });

export const useChart = (report: string, id: string | undefined) =>
  useQuery({
    queryKey: key("chart", report, id ?? ""), enabled: id !== undefined, staleTime: 600_000,
    queryFn: () => fetchJSON<ChartData>(at(report, `/chart?id=${encodeURIComponent(id ?? "")}`)),
  });

export const useRubric = () => useQuery({ queryKey: key("rubric"), staleTime: Infinity, queryFn: () => fetchJSON<Dimension[]>("/report/rubric") });

export const useEvals = (report: string) => useQuery({ queryKey: key("evals", report), queryFn: () => fetchJSON<Evals>(at(report, "/evals")) });

export type ReviewBody = { round: number; ratings: Record<string, number>; notes?: string; comments?: Comment[]; send_back?: boolean };

/** The three things a person does with a section: review it, have it drafted, record the ratings. */
export function useWork(report: string) {
  const client = useQueryClient();
  const done = () => void client.invalidateQueries({ queryKey: key() });
  const review = useMutation({
    mutationFn: (r: ReviewBody & { section: string }) => {
      const { section, ...json } = r;
      return fetchJSON(at(report, `/sections/${encodeURIComponent(section)}/review`), { method: "POST", json });
    },
    onSettled: done,
  });
  const draft = useMutation({ mutationFn: (sections: string[]) => fetchJSON(at(report, "/draft"), { method: "POST", json: { sections } }), onSettled: done });
  const evaluate = useMutation({ mutationFn: (run_id: string) => fetchJSON(at(report, "/evals"), { method: "POST", json: { run_id } }), onSettled: done });
  return { review, draft, evaluate };
}
