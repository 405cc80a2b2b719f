import { expect, test } from "vitest";
import { stoppedDrafts } from "./Stopped";
import { blocks, byteIndex, sentences, together } from "./text";
import type { Numeral } from "./types";

function numeral(text: string, in_: string): Numeral {
  const start = new TextEncoder().encode(in_.slice(0, in_.indexOf(text))).length;
  return { text, start, end: start + new TextEncoder().encode(text).length, kind: "quantity", value: 0, ok: true };
}

test("places counted in bytes become places in the string", () => {
  const at = byteIndex("a₂−b");
  expect([at(0), at(1), at(4), at(7), at(8)]).toEqual([0, 1, 2, 3, 4]);
});

test("R-086 numerals keep their place behind letters of several bytes", () => {
  const text = "Mt CO₂-e: −71.48 Mt CO₂-e in A.\n\n![A chart](x.png)\n\n| S | 2025 |\n|---|---:|\n| A | 401.05 |";
  const found = blocks(text, [numeral("−71.48 Mt CO₂-e", text), numeral("401.05", text)]);
  expect(found.map((b) => b.kind)).toEqual(["prose", "figure", "table"]);
  expect(found[0].kind === "prose" && found[0].pieces.map((p) => [p.text, p.numeral !== undefined])).toEqual([
    ["Mt CO₂-e: ", false], ["−71.48 Mt CO₂-e", true], [" in A.", false],
  ]);
  expect(found[2].kind === "table" && found[2].rows.length).toBe(2);
  expect(found[2].kind === "table" && found[2].rows[1][1].some((p) => p.numeral?.text === "401.05")).toBe(true);
});

test("a draft is compared sentence by sentence", () => {
  expect(sentences("It falls by 1.5 Mt. It rises. ")).toBe("It falls by 1.5 Mt.\nIt rises. ");
});

test("R-086 a stopped draft is shown with every reason", () => {
  const steps = [
    { model: "local/m", calls: [{ id: "t1", tool: "write_section_draft", args: { content: "It falls." } }, { id: "t2", tool: "look", args: {} }] },
    { call: "t2", failed: true, value: { error: "No." } },
    { call: "t1", failed: true, value: { error: "The draft is not kept. Byte 3: The text says the opposite. The draft does not name the scenario B." } },
  ];
  expect(stoppedDrafts(steps)).toEqual([{ by: "local/m", text: "It falls.", reasons: ["Byte 3: The text says the opposite.", "The draft does not name the scenario B."] }]);
  expect(stoppedDrafts([])).toEqual([]);
});

test("brackets and stops stay with their numeral", () => {
  const n = numeral("−19.5 %", "(−19.5 %)");
  expect(together([{ text: "in A (" }, { text: "−19.5 %", numeral: n }, { text: ") by 2050." }]).map((p) => [p.before, p.text, p.after])).toEqual([
    [undefined, "in A ", undefined], ["(", "−19.5 %", ")"], [undefined, " by 2050.", undefined],
  ]);
});
