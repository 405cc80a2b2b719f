import { expect, it } from "vitest";
import { cell, columnsOf, nestedField, positionOf, rowsOf, spread } from "./shape";

it("finds the rows of evidence and what stands beside them", () => {
  expect(rowsOf({ vanpool: "VP-1", riders: [{ id: 1 }, { id: 2 }], stops: [{ id: 3 }] })).toEqual({ rows: [{ id: 1 }, { id: 2 }], beside: { vanpool: "VP-1", stops: [{ id: 3 }] }, name: "riders" });
  expect(rowsOf([{ a: 1 }])).toEqual({ rows: [{ a: 1 }], beside: {} });
  expect(rowsOf({ a: 1 })).toBeUndefined();
  expect(rowsOf([])).toBeUndefined();
});

it("spreads values that stand in a field of their own", () => {
  const rows = [{ fuel: "Diesel", values: { 2025: 94.2, 2030: 90 } }, { fuel: "Gas", values: { 2025: 3, 2030: null } }];
  expect(nestedField(rows)).toBe("values");
  expect(spread(rows)[0]).toEqual({ fuel: "Diesel", 2025: 94.2, 2030: 90 });
  expect(nestedField([{ a: { b: { c: 1 } } }])).toBeUndefined();
  expect(spread([{ a: 1 }])).toEqual([{ a: 1 }]);
});

it("collects columns in the order they appear", () => expect(columnsOf([{ b: 1 }, { a: 1, b: 2 }])).toEqual(["b", "a"]));

it("finds positions by their usual names, and only possible ones", () => {
  expect(positionOf({ lat: 28.6, lon: 77.2 })).toEqual({ lat: 28.6, lng: 77.2 });
  expect(positionOf({ location: { latitude: 1, longitude: 2 } })).toEqual({ lat: 1, lng: 2 });
  expect(positionOf({ lat: 128, lng: 5 })).toBeUndefined();
});

it("writes cells for people", () => {
  expect([cell(null), cell(true), cell(12345.678), cell([1, "a"]), cell({ a: 1 })]).toEqual(["–", "yes", "12,345.678", "1, a", '{"a":1}']);
});
