import { describe, expect, it } from "vitest";
import { ago, bytes, count, isZero, list, number, span, words } from "./format";

const now = new Date("2026-11-15T12:00:00Z");
const at = (s: number) => new Date(now.getTime() + s * 1000);

describe("ago", () => {
  it.each([
    [-3, "just now"], [-30, "30 seconds ago"], [-90, "1 minute ago"], [-7200, "2 hours ago"], [-86400, "yesterday"],
    [-86400 * 3, "3 days ago"], [-86400 * 21, "3 weeks ago"], [-86400 * 90, "2 months ago"], [5400, "in 1 hour"], [86400 * 2, "in 2 days"],
  ])("%i seconds is %s", (s, text) => expect(ago(at(s), now)).toBe(text));
});

describe("span", () => {
  it.each([[0, "0 ms"], [850, "850 ms"], [1500, "1.5 s"], [94_200, "1 min 34 s"], [3_600_000, "1 h"], [277_200_000, "3 d 5 h"]])("%i ms is %s", (ms, text) => expect(span(ms)).toBe(text));
});

it("speaks in words", () => {
  expect(words("pending_reply")).toBe("Pending reply");
  expect(count(1, "case")).toBe("1 case");
  expect(count(1200, "entry", "entries")).toBe("1,200 entries");
  expect(list(["a", "b", "c"], "or")).toBe("a, b or c");
  expect(list(["a"])).toBe("a");
  expect(number(1234.5)).toBe("1,234.5");
  expect(number(0.9, 2)).toBe("0.90");
  expect(bytes(2048)).toBe("2.0 KB");
  expect(isZero("0001-01-01T00:00:00Z")).toBe(true);
  expect(isZero("2026-01-01T00:00:00Z")).toBe(false);
});
