import type { Approval } from "../../api/types";

/** A report in the list of reports. */
export type Head = { id: string; title: string; sections: number; drafted: number; final: number; updated: string };

/** Where a section stands. */
export type SectionHead = {
  id: string; title: string; level: number; parent?: string; status: "empty" | "draft" | "sent_back" | "final";
  round: number; numerals: number; ratings: Record<string, number>; notes?: string; case?: string;
};

export type Problem = { section: string; line: number; message: string };

export type Report = { id: string; title: string; data_root: string; updated: string; sections: SectionHead[]; problems: Problem[] };

/** Where a number comes from: a path in evidence, or a named computation. */
export type Ref = { evidence?: string; path?: string; computed?: string };

/** A numeral of a draft; start and end count bytes of its UTF-8 text. */
export type Numeral = {
  text: string; start: number; end: number; kind: string; value: number; unit?: string; ok: boolean;
  resolved_to?: Ref; label?: string; fault?: string; problem?: string;
};

export type Closure = { id: string; text: string; closed: boolean; quote?: string; why: string };

export type Round = {
  round: number; text: string; status: string; prompt_version: string; run: string; case: string; created: string;
  verdict: { ok: boolean; faith: { numerals: Numeral[] }; coverage: { scenarios: string[]; charts: string[] }; notes?: Closure[]; reasons: string[] };
};

export type Comment = { quote: string; text: string };

export type Review = { id: string; round: number; ratings: Record<string, number>; notes: string; comments: Comment[]; by: string; created: string };

export type Section = {
  id: string; title: string; instructions: string; ratings: Record<string, number>; notes: string; problems: Problem[];
  charts_from: string; charts: { id: string; title: string; units: string; why: string }[]; rounds: Round[]; reviews: Review[];
  case?: string; failed?: { run: string; why: string }; approval?: Approval; evidence: Record<string, string>;
};

export type Row = { line: number; scenario?: string; label: string; unit?: string; measure?: string; cells: { year?: number; value: number }[] };

/** A Plotly trace, as far as the runs' figures use it. */
export type Trace = {
  type?: string; name?: string; x?: (number | string | null)[]; y?: (number | null)[]; xaxis?: string; yaxis?: string; orientation?: string;
  mode?: string; fill?: string; fillcolor?: string; stackgroup?: string; connectgaps?: boolean; opacity?: number; visible?: boolean | "legendonly"; showlegend?: boolean;
  line?: { color?: string; width?: number; dash?: string; shape?: string };
  marker?: { color?: unknown; colors?: unknown[]; size?: number; line?: { color?: string; width?: number } };
  measure?: string[]; text?: string[]; increasing?: Marked; decreasing?: Marked; totals?: Marked;
  labels?: string[]; values?: number[]; hole?: number;
};

type Marked = { marker?: { color?: string } };

export type AxisSpec = {
  title?: unknown; domain?: [number, number]; range?: unknown[]; matches?: string; tickangle?: number; tickfont?: { size?: number };
};

/** A Plotly figure. */
export type Plot = {
  data?: Trace[];
  layout?: {
    title?: unknown; xaxis?: AxisSpec; yaxis?: AxisSpec; barmode?: string; showlegend?: boolean;
    annotations?: { text?: string; x?: number; y?: number; visible?: boolean }[];
  };
};

export type ChartData = {
  data: {
    chart: { id: string; title: string; units: string; shape: string; years?: number[]; total_name?: string; warnings?: string[] };
    rows: Row[]; row_count: number;
    summary: { scenarios: string[]; units: string[]; relative: boolean; measure_type: string; key_insights: string[]; caveats?: string[]; baseline?: { name: string; value: number } };
  };
  plot?: Plot;
};

export type Dimension = { name: string; asks: string };

export type Evals = {
  runs: { run_id: string; timestamp: string; model: string; prompt_version: string; aggregate: Record<string, number>; rated: Record<string, number> }[];
  comparison?: { runs: { run_id: string }[]; dimensions: { name: string; means: (number | null)[]; change?: number }[]; sections: { section: string; dimension: string; from: number; to: number }[] };
};
