import { expect, test } from "vitest";
import { adds, labels, total } from "./rows";
import type { ChartData } from "./types";

const data = (total_name?: string): ChartData["data"] => ({
  chart: { id: "c", title: "C", units: "Mt", shape: "wide", years: [2025], total_name },
  row_count: 4, summary: { scenarios: ["A"], units: ["Mt"], relative: false, measure_type: "absolute", key_insights: [] },
  rows: [
    { line: 2, scenario: "A", label: "Power", unit: "Mt", cells: [{ year: 2025, value: 0.1 }] },
    { line: 3, scenario: "A", label: "Industry", unit: "Mt", cells: [{ year: 2025, value: 0.2 }] },
    { line: 4, scenario: "A", label: "Sum of sectors", unit: "Mt", cells: [{ year: 2025, value: 0.3 }] },
    { line: 5, scenario: "B", label: "Power", unit: "Mt", cells: [] },
  ],
});

test("R-080 a row that is a total is not added again", () => {
  expect(total(data("Sum of Sectors"), "A", "Mt", 2025)).toBe(0.3);
  expect(total(data(), "A", "Mt", 2025)).toBe(0.6);
  expect(total(data(), "B", "Mt", 2025)).toBeNull();
  expect(total(data(), "A", "Mt", 2030)).toBeNull();
});

test("R-110 shares and rates do not add up", () => {
  expect(["PJ", "Mt CO₂-e", "%", "g/kWh", "fraction", "Market share"].map(adds)).toEqual([true, true, false, false, false, false]);
});

test("R-097 a baseline is no change", () => {
  const d = data();
  d.rows.push({ line: 6, scenario: "A", label: "Net 2025", unit: "Mt", cells: [{ value: 1 }] });
  expect(labels(d)).toEqual(["Power", "Industry", "Sum of sectors"]);
});
