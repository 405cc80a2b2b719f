import { useEffect, useRef, useState, type FormEvent } from "react";
import type { Approval, Verb } from "../api/types";
import { problems, type Schema } from "../lib/schema";
import type { Confirmation } from "./Chat";
import { Diff } from "./Diff";
import { Icon, type IconName } from "./Icon";
import { SchemaForm } from "./SchemaForm";

export type Decide = { verb: Verb; args?: unknown; note?: string };

type Props = {
  approval: Approval;
  /** The tool's input schema, for editing. */
  schema: Schema | undefined;
  verb: Verb;
  busy: boolean;
  onDecide: (d: Decide) => void;
  onCancel: () => void;
};

type VerbLook = { icon: IconName; word: string; key: string; effect: string; send?: string; note?: string };

const planned: Record<Verb, VerbLook> = {
  approve: { icon: "check", word: "Approve", key: "a", effect: "The call runs once, exactly as shown." },
  edit: { icon: "pencil", word: "Edit", key: "e", effect: "The call is planned again with your arguments, checked, and then runs once.", send: "Approve with these arguments" },
  reject: { icon: "cross", word: "Reject", key: "r", effect: "The call does not run. The agent is told why." },
  respond: { icon: "reply", word: "Respond", key: "m", effect: "The call does not run. The agent gets your message and goes on.", send: "Send message", note: "Message to the agent" },
};

const doubted: Record<string, VerbLook> = {
  approve: { icon: "play", word: "Do it again", key: "a", effect: "The call runs once more, exactly as shown. If it did happen before, it happens twice." },
  reject: { icon: "cross", word: "It did not happen", key: "r", effect: "This is recorded, and the call does not run. The agent is told.", note: "How you know" },
  respond: { icon: "check", word: "It did happen", key: "m", effect: "This is recorded as done, and the call does not run again. The agent goes on as if it had seen it.", note: "How you know" },
};

/** How a verb is offered: about an act in doubt, it says what became of the act. */
export const verbLook = (verb: Verb, doubt?: boolean): VerbLook => (doubt && doubted[verb]) || planned[verb];

/** The answers about an act in doubt, as a conversation offers them: yes, no, or once more. */
export const doubtOptions = (decide: (d: Decide) => void): Confirmation["options"] =>
  (["respond", "reject", "approve"] as const).map((verb) => ({ label: verbLook(verb, true).word, tone: verb === "approve" ? "danger" : undefined, run: () => decide({ verb, note: "Said so in the conversation." }) }));

/** Asks for what a verb still needs: a note, a message or other arguments. */
export function DecisionForm({ approval, schema, verb, busy, onDecide, onCancel }: Props) {
  const [args, setArgs] = useState<unknown>(approval.args);
  const [note, setNote] = useState("");
  const [wrong, setWrong] = useState(new Map<string, string>());
  const form = useRef<HTMLFormElement>(null);
  const needsNote = verb === "reject" || verb === "respond";
  const look = verbLook(verb, approval.doubt);

  useEffect(() => {
    form.current?.querySelector<HTMLElement>(verb === "approve" ? "button[type=submit]" : "input, textarea, select")?.focus();
  }, [verb]);

  const submit = (e: FormEvent) => {
    e.preventDefault();
    if (busy) return; // Ctrl+Enter submits whether or not the button can be pressed
    const found = verb === "edit" && schema ? problems(schema, args) : new Map<string, string>();
    if (needsNote && note.trim() === "") found.set("note", "Say why in a note, so that the agent and the record know.");
    setWrong(found);
    if (found.size > 0) {
      queueMicrotask(() => form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus());
      return;
    }
    onDecide({ verb, args: verb === "edit" ? args : undefined, note: note.trim() || undefined });
  };

  return (
    <form ref={form} className="decision stack" onSubmit={submit} noValidate aria-label={`${look.word} this`} 
      onKeyDown={(e) => {
        if (e.key === "Escape") onCancel();
        if (e.key === "Enter" && (e.ctrlKey || e.metaKey)) form.current?.requestSubmit();
      }}
    >
      <h3 className="row"><Icon name={look.icon} /> {look.word}</h3>
      <p className="muted">{look.effect}</p>
      {verb === "edit" && schema && (
        <>
          <SchemaForm schema={schema} value={args} onChange={setArgs} wrong={wrong} />
          <div><p className="small muted">What you change</p><Diff before={approval.args} after={args} names={["Asked", "Yours"]} /></div>
        </>
      )}
      <div className="field">
        <label htmlFor={`note-${approval.id}`}>{look.note ?? "Note"}{!needsNote && <span className="muted"> (optional)</span>}</label>
        <textarea id={`note-${approval.id}`} className="input" rows={3} maxLength={2000} value={note} aria-invalid={wrong.has("note") || undefined} aria-describedby={wrong.has("note") ? `note-${approval.id}-wrong` : undefined} onChange={(e) => setNote(e.target.value)} />
        {wrong.has("note") && <span className="wrong" id={`note-${approval.id}-wrong`}>{wrong.get("note")}</span>}
      </div>
      <div className="row">
        <button type="submit" className={`button ${verb === "reject" && !approval.doubt ? "danger" : "primary"}`} disabled={busy}>
          <Icon name={look.icon} /> {busy ? "Sending…" : (look.send ?? look.word)}
        </button>
        <button type="button" className="button" onClick={onCancel}>Cancel</button>
      </div>
    </form>
  );
}
