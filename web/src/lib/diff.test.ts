import { expect, it } from "vitest";
import { changes, lines } from "./diff";

it("names the fields that differ", () => {
  expect(changes({ a: 1, b: { c: 2, d: [1, 2] }, e: 5 }, { a: 1, b: { c: 3, d: [1, 4] }, f: 6 })).toEqual([
    { path: "b.c", before: 2, after: 3 }, { path: "b.d[1]", before: 2, after: 4 }, { path: "e", before: 5, after: undefined }, { path: "f", before: undefined, after: 6 },
  ]);
  expect(changes({ a: [1] }, { a: [1] })).toEqual([]);
});

it("compares texts line by line with the fewest changes", () => {
  expect(lines("a\nb\nc", "a\nx\nc")).toEqual([{ kind: "same", text: "a" }, { kind: "out", text: "b" }, { kind: "in", text: "x" }, { kind: "same", text: "c" }]);
  expect(lines("a", "a").every((l) => l.kind === "same")).toBe(true);
});
