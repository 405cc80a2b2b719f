import { describe, expect, it } from "vitest";
import type { Evidence } from "../api/types";
import { citeNumerals, numbersIn } from "./numerals";

const ev = (id: string, data: unknown): Evidence => ({ id, case: "CASE-1", seq: 1, kind: "k", source: { system: "s", locator: "l", fetched: "" }, data, summary: "", step: "", at: "", hash: "" });

/** The numerals of a text with the evidence each was tied to. */
const tied = (text: string, cited: Evidence[]) => citeNumerals(text, cited).filter((p) => p.evidence).map((p) => [p.text, p.evidence]);

describe("citeNumerals", () => {
  const cited = [ev("ev-1", { riders: [{ km: 38.68 }, { km: 4.2 }] }), ev("ev-2", { limit: 15, share: 0.425, people: 12500 })];

  it("ties each numeral to the entry that holds it, rounded as shown", () => {
    expect(tied("It is 38.7 km, more than 15 km.", cited)).toEqual([["38.7", "ev-1"], ["15", "ev-2"]]);
  });
  it("knows shares as per cent and thousands with commas", () => {
    expect(tied("42.5 % of 12,500 people", cited)).toEqual([["42.5", "ev-2"], ["12,500", "ev-2"]]);
  });
  it("counts lists", () => {
    expect(tied("There are 2 riders.", cited)).toEqual([["2", "ev-1"]]);
  });
  it("falls back to the first entry cited", () => {
    expect(tied("It took 999 days.", cited)).toEqual([["999", "ev-1"]]);
  });
  it("leaves dates, times and identifiers alone", () => {
    expect(tied("EMP-1006 left at 07:10 on 2026-11-15 by VP-101, run-7a/3.", cited)).toEqual([]);
  });
  it("loses no text", () => {
    const text = "From 38.7 to 15, then 4.2.";
    expect(citeNumerals(text, cited).map((p) => p.text).join("")).toBe(text);
  });
  it("ties nothing without evidence", () => {
    expect(citeNumerals("It is 5.", [])).toEqual([{ text: "It is 5." }]);
  });
});

describe("numbersIn", () => {
  it("finds numbers at any depth, and strings that are numbers", () => {
    expect(numbersIn({ a: [1, { b: "2.5" }], c: "x", d: null })).toEqual([2, 1, 2.5]);
  });
});
