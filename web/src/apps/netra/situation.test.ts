import { expect, test } from "vitest";
import type { Standing, Standings } from "./data";
import { sheetOf, toLookAt } from "./situation";

const standing = (district: string, score: number, band: string, floor: string): Standing => ({
  state: "Manipur", district, border: false, capital: false, score, risk_level: "low",
  threshold: { label: band, range: "", crossed: band !== "BASELINE" }, escalation_floor: floor,
  trend: "stable", trend_arrow: "→", trend_basis: "comparison", primary_trigger: "physical", signal_count: 3, timestamp: "2026-02-03T14:58:29Z",
});

test("what an officer must look at", () => {
  const all = [
    standing("Calm", 0, "BASELINE", "BASELINE"),
    standing("Imphal West", 13.67, "BASELINE", "SENIOR_REVIEW"),
    standing("Jiribam", 74.5, "PREVENTIVE_READINESS", "CRITICAL"),
    standing("Dimapur", 97.2, "CRITICAL", "CRITICAL"),
  ];
  expect(toLookAt(all).map((d) => d.district)).toEqual(["Dimapur", "Jiribam", "Imphal West"]);
});

test("every row of the sheet carries the disclaimer", () => {
  const all: Standings = { time_window: "24h", methodology_version: "netra-1", governance_disclaimer: "Derived from public open-source indicators. Decision support only.", districts: [standing("South, \"West\"", 13.67, "BASELINE", "SENIOR_REVIEW")] };
  const rows = sheetOf(all, all.districts).split("\r\n");
  expect(rows[0]).toBe("state,district,score,threshold,escalation_floor,trend,trend_basis,primary_trigger,signal_count,time_window,timestamp,methodology_version,governance_disclaimer");
  expect(rows[1]).toBe('Manipur,"South, ""West""",13.67,BASELINE,SENIOR_REVIEW,stable,comparison,physical,3,24h,2026-02-03T14:58:29Z,netra-1,Derived from public open-source indicators. Decision support only.');
  expect(rows).toHaveLength(3);
});
