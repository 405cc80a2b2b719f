import type { Standing, Standings } from "./data";

const order = ["BASELINE", "MONITORING", "PREVENTIVE_READINESS", "SENIOR_REVIEW", "CRITICAL"];

/** Whether the strongest signal of a district alone calls for a higher band than its score. */
export const risesAlone = (d: Standing) => order.indexOf(d.escalation_floor) > order.indexOf(d.threshold.label);

/** The districts that an officer must look at, the highest score first: those above the
 * baseline, and those whose strongest signal alone would be. */
export function toLookAt(districts: Standing[]): Standing[] {
  return districts
    .filter((d) => d.threshold.crossed || risesAlone(d))
    .toSorted((a, b) => b.score - a.score || order.indexOf(b.escalation_floor) - order.indexOf(a.escalation_floor) || a.district.localeCompare(b.district));
}

const columns: [string, (d: Standing, all: Standings) => string | number][] = [
  ["state", (d) => d.state],
  ["district", (d) => d.district],
  ["score", (d) => d.score.toFixed(2)],
  ["threshold", (d) => d.threshold.label],
  ["escalation_floor", (d) => d.escalation_floor],
  ["trend", (d) => d.trend],
  ["trend_basis", (d) => d.trend_basis],
  ["primary_trigger", (d) => d.primary_trigger],
  ["signal_count", (d) => d.signal_count],
  ["time_window", (_, all) => all.time_window],
  ["timestamp", (d) => d.timestamp],
  ["methodology_version", (_, all) => all.methodology_version],
  ["governance_disclaimer", (_, all) => all.governance_disclaimer],
];

/** The standings as a sheet for a spreadsheet. Every row carries the disclaimer, so that none
 * goes on without it. */
export function sheetOf(all: Standings, districts: Standing[]): string {
  const cell = (v: string | number) => (/[",\n]/.test(`${v}`) ? `"${`${v}`.replaceAll('"', '""')}"` : `${v}`);
  return [columns.map(([name]) => name).join(","), ...districts.map((d) => columns.map(([, of]) => cell(of(d, all))).join(","))].join("\r\n") + "\r\n";
}
