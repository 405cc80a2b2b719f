import { expect, it } from "vitest";
import { parseBlock } from "./stream";

it("reads the blocks of an event stream", () => {
  const got: unknown[] = [];
  const take = (kind: string, data: unknown) => got.push([kind, data]);
  parseBlock('event: text\ndata: {"text":"a"}', take);
  parseBlock('id: 4\ndata: {"seq":\ndata: 4}', take);
  parseBlock(": still here", take);
  expect(got).toEqual([["text", { text: "a" }], ["message", { seq: 4 }]]);
});
