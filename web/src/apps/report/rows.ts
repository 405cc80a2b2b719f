import type { ChartData, Row } from "./types";

type Data = ChartData["data"];

/** Whether a row sums up the others, as the server tells them apart. */
export function isTotal(data: Data, r: Row): boolean {
  const label = r.label.toLowerCase(), name = data.chart.total_name?.toLowerCase();
  return r.measure?.toLowerCase() === "total" || label === name || label === "total" || label === "net emissions";
}

/** Whether rows of a unit may be added up: shares and rates may not. */
export function adds(unit: string): boolean {
  const u = unit.toLowerCase();
  return !/[%/]|share|intensity/.test(u) && u !== "fraction" && u !== "ratio";
}

/** A scenario's total for a year, without the rows that are totals themselves; null if it has no number. */
export function total(data: Data, scenario: string, unit: string, year: number): number | null {
  const found = data.rows
    .filter((r) => (r.scenario ?? "") === scenario && (r.unit ?? "") === unit && !isTotal(data, r))
    .flatMap((r) => r.cells.filter((c) => c.year === year).map((c) => c.value));
  return found.length === 0 ? null : Number(found.reduce((a, b) => a + b, 0).toFixed(6));
}

/** The labels of a chart without years, in order, without those that hold a baseline. */
export function labels(data: Data): string[] {
  const base = /^(net|base|baseline|total)\s+(19|20|21)\d\d$/i;
  return [...new Set(data.rows.map((r) => r.label))].filter((l) => !base.test(l));
}
