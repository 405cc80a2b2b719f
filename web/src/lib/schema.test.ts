import { describe, expect, it } from "vitest";
import { blank, problems, type Schema } from "./schema";

const schema: Schema = {
  type: "object",
  required: ["rider", "seats", "stops"],
  properties: {
    rider: { type: "string" },
    seats: { type: "integer", minimum: 1, maximum: 8 },
    note: { type: "string", maxLength: 5 },
    kind: { type: "string", enum: ["day", "night"] },
    stops: { type: "array", minItems: 1, items: { type: "object", required: ["name"], properties: { name: { type: "string" }, lat: { type: "number" } } } },
    until: { type: ["null", "string"] },
  },
};
const good = { rider: "EMP-1", seats: 4, stops: [{ name: "A" }] };

describe("problems", () => {
  it("finds none in what fits", () => expect(problems(schema, good).size).toBe(0));
  it.each([
    ["a missing required field", { ...good, rider: undefined }, "rider", "Fill this in."],
    ["an empty required text", { ...good, rider: "" }, "rider", "Fill this in."],
    ["a fraction for a whole number", { ...good, seats: 1.5 }, "seats", "Write a whole number."],
    ["too small a number", { ...good, seats: 0 }, "seats", "Not less than 1."],
    ["too large a number", { ...good, seats: 9 }, "seats", "Not more than 8."],
    ["too long a text", { ...good, note: "123456" }, "note", "Write at most 5 characters; these are 6."],
    ["a word outside the list", { ...good, kind: "dusk" }, "kind", "Choose one of day, night."],
    ["too short a list", { ...good, stops: [] }, "stops", "At least 1."],
    ["a problem inside a list", { ...good, stops: [{ name: "A" }, { name: "" }] }, "stops.1.name", "Fill this in."],
  ])("names %s", (_, value, path, text) => expect(problems(schema, value).get(path)).toBe(text));
  it("allows null only where the schema does", () => {
    expect(problems(schema, { ...good, until: null }).size).toBe(0);
    expect(problems(schema, { ...good, note: null }).get("note")).toBe("Fill this in.");
  });
});

describe("blank", () => {
  it("makes a value to start with", () => {
    expect(blank({ type: "object", required: ["name", "on"], properties: { name: { type: "string" }, on: { type: "boolean" }, x: { type: "number" } } })).toEqual({ name: "", on: false });
    expect(blank({ type: "string", enum: ["b", "a"] })).toBe("b");
  });
});
