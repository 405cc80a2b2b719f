import { describe, expect, it } from "vitest";
import type { Conversation, StepView } from "../../api/types";
import type { Saying } from "../../hooks/chat";
import { answerText, turnsNow, turnsOf } from "./turns";

const step = (seq: number, kind: StepView["kind"], more: Partial<StepView>): StepView => ({ id: `run-1/${seq}`, run: "run-1", seq, kind, at: "", ms: 0, ...more });

it("reads a conversation from its steps", () => {
  const turns = turnsOf([
    step(1, "said", { text: "A pass, please." }),
    step(2, "model", { calls: [{ id: "c1", tool: "create_pass", args: { n: 1 } }, { id: "c2", tool: "print_pass", args: {} }] }),
    step(3, "returned", { call: "c1", tool: "create_pass", value: { ok: true } }),
    step(4, "asked", { call: "c2", approval: "ap-1" }),
    step(5, "answered", { value: { reply: "It is ready." } }),
  ]);
  expect(turns.map((t) => [t.from, "state" in t ? t.state : "text" in t ? t.text : ""])).toEqual([["person", "A pass, please."], ["tool", "done"], ["tool", "asked"], ["agent", "It is ready."]]);
});

it("marks a call that a person did not want as not run", () => {
  const turns = turnsOf([
    step(1, "model", { calls: [{ id: "c1", tool: "cancel", args: {} }] }),
    step(2, "returned", { call: "c1", failed: true, ruling: { verb: "reject", by: { id: "u", name: "U" }, at: "" } }),
  ]);
  expect(turns[0]).toMatchObject({ from: "tool", state: "refused" });
});

it("finds the words of an answer", () => {
  expect(answerText("x")).toBe("x");
  expect(answerText({ message: "m", other: 1 })).toBe("m");
  expect(answerText({ other: 1 })).toBe('{\n  "other": 1\n}');
  expect(answerText(undefined)).toBeUndefined();
});

describe("turnsNow", () => {
  const said = step(1, "said", { text: "hello" });
  const answered = step(3, "answered", { value: "Good day." });
  const texts = (steps: StepView[], saying: Partial<Saying>) =>
    turnsNow({ steps } as Conversation, { said: undefined, after: 0, streaming: "", progress: "", ...saying }).map((t) => (t as { text: string }).text);
  it("shows what is being said until a step holds it, and then once", () => {
    expect(texts([], { said: "hello" })).toEqual(["hello"]);
    expect(texts([said], { said: "hello" })).toEqual(["hello"]);
    expect(texts([said], { said: "hello", after: 1 })).toEqual(["hello", "hello"]); // it was said a second time
  });
  it("shows an answer as it comes until a step holds it, and then once", () => {
    expect(texts([said], { said: "hello", streaming: "Good d", progress: "Looking." })).toEqual(["hello", "Good d", "Looking."]);
    expect(texts([said, answered], { said: "hello", streaming: "Good day.", progress: "Looking." })).toEqual(["hello", "Good day."]);
  });
});
