import type { Conversation, StepView } from "../../api/types";
import type { Saying } from "../../hooks/chat";
import { isDict } from "../../lib/shape";
import type { Turn } from "../../parts/Chat";

/** The turns of a conversation, read from the steps of its run. */
export function turnsOf(steps: StepView[]): Turn[] {
  const out: Turn[] = [];
  const calls = new Map<string, Extract<Turn, { from: "tool" }>>();
  for (const s of steps) {
    switch (s.kind) {
      case "said":
        if (s.text) out.push({ key: s.id, from: "person", text: s.text });
        break;
      case "model":
        if (s.text && (s.calls?.length ?? 0) > 0) out.push({ key: s.id, from: "agent", text: s.text });
        for (const c of s.calls ?? []) {
          const turn: Extract<Turn, { from: "tool" }> = { key: `${s.id}-${c.id}`, from: "tool", tool: c.tool, args: c.args, state: "working" };
          calls.set(c.id, turn);
          out.push(turn);
        }
        break;
      case "asked":
        mark(calls, s.call, "asked");
        break;
      case "returned": {
        const turn = mark(calls, s.call, s.ruling && s.ruling.verb !== "approve" && s.ruling.verb !== "edit" ? "refused" : s.failed ? "failed" : "done");
        if (turn) turn.value = s.value;
        break;
      }
      case "answered": {
        const text = answerText(s.value) ?? s.text;
        if (text) out.push({ key: s.id, from: "agent", text });
        break;
      }
      case "abandoned":
        out.push({ key: s.id, from: "note", text: s.text ?? "The conversation ended." });
        break;
    }
  }
  return out;
}

/** The turns of a conversation, with what is being said and answered as long as no step holds it yet. */
export function turnsNow(c: Conversation, { said, after, streaming, progress }: Saying): Turn[] {
  const turns = turnsOf(c.steps);
  const came = (kind: StepView["kind"]) => c.steps.some((s) => s.seq > after && s.kind === kind);
  if (said !== undefined && !came("said")) turns.push({ key: "said", from: "person", text: said });
  if (streaming !== "" && !came("answered")) turns.push({ key: "streaming", from: "agent", text: streaming, streaming: true });
  if (progress !== "" && !came("answered")) turns.push({ key: "progress", from: "note", text: progress });
  if (c.failure) turns.push({ key: "failure", from: "note", text: c.failure });
  return turns;
}

function mark(calls: Map<string, Extract<Turn, { from: "tool" }>>, id: string | undefined, state: Extract<Turn, { from: "tool" }>["state"]) {
  const turn = id === undefined ? undefined : calls.get(id);
  if (turn) turn.state = state;
  return turn;
}

/** The words of an answer: prose, or the field of an object that holds prose. */
export function answerText(v: unknown): string | undefined {
  if (typeof v === "string") return v;
  if (!isDict(v)) return undefined;
  for (const k of ["reply", "message", "text", "answer", "response"]) if (typeof v[k] === "string") return v[k];
  return JSON.stringify(v, null, 2);
}
