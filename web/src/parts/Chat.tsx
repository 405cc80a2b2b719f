import { useEffect, useRef, useState, type FormEvent, type ReactNode } from "react";
import { words } from "../lib/format";
import { Badge } from "./Badge";
import { Icon } from "./Icon";
import { Fields, Json } from "./Json";

/** One thing in a conversation. */
export type Turn =
  | { key: string; from: "person"; text: string; by?: string }
  | { key: string; from: "agent"; text: string; streaming?: boolean }
  | { key: string; from: "tool"; tool: string; title?: string; args: unknown; value?: unknown; state: "working" | "done" | "failed" | "asked" | "refused" }
  | { key: string; from: "picture"; src: string; alt: string }
  | { key: string; from: "note"; text: string };

/** A question with buttons, such as whether a call may run. */
export type Confirmation = { key: string; text: string; options: { label: string; tone?: "primary" | "danger"; run: () => void }[]; more?: ReactNode };

type Props = {
  turns: Turn[];
  confirm?: Confirmation;
  busy: boolean;
  onSend: (text: string, files: File[]) => void;
  placeholder?: string;
  /** Shown while nothing has been said. */
  opening?: ReactNode;
  /** Things to say with one press. */
  suggestions?: string[];
  attach?: boolean;
  accept?: string;
};

/** A conversation with an agent: what was said, what it did, what it asks. */
export function Chat({ turns, confirm, busy, onSend, placeholder = "Write a message", opening, suggestions, attach, accept }: Props) {
  const [text, setText] = useState("");
  const [files, setFiles] = useState<File[]>([]);
  const end = useRef<HTMLDivElement>(null);
  useEffect(() => {
    end.current?.scrollIntoView({ block: "nearest" });
  }, [turns.length, confirm?.key, (turns[turns.length - 1] as { text?: string } | undefined)?.text]);

  const send = (said: string) => {
    if (busy || (said.trim() === "" && files.length === 0)) return;
    onSend(said.trim(), files);
    setText("");
    setFiles([]);
  };
  const submit = (e: FormEvent) => {
    e.preventDefault();
    send(text);
  };
  return (
    <section className="chat" aria-label="Conversation">
      <div className="chat-log" role="log" aria-live="polite" tabIndex={0} aria-label="What was said">
        {turns.length === 0 && opening}
        {turns.map((t) => <TurnView key={t.key} turn={t} />)}
        {busy && turns[turns.length - 1]?.from !== "tool" && <p className="muted typing">The agent is working…</p>}
        {confirm && (
          <div className="chat-confirm" role="group" aria-label="A question for you">
            <p className="strong">{confirm.text}</p>
            {confirm.more}
            <div className="row">
              {confirm.options.map((o) => (
                <button key={o.label} type="button" className={`button ${o.tone ?? ""}`} onClick={o.run}>{o.label}</button>
              ))}
            </div>
          </div>
        )}
        <div ref={end} />
      </div>
      {suggestions && turns.length === 0 && (
        <div className="row chat-suggestions">
          {suggestions.map((s) => <button key={s} type="button" className="button small" onClick={() => send(s)}>{s}</button>)}
        </div>
      )}
      <form className="chat-form" onSubmit={submit}>
        {attach && (
          <label className="button icon" title="Attach a file">
            <Icon name="upload" /><span className="visually-hidden">Attach a file</span>
            <input type="file" className="visually-hidden" accept={accept} multiple onChange={(e) => setFiles([...(e.target.files ?? [])])} />
          </label>
        )}
        <textarea className="input" rows={1} value={text} placeholder={placeholder} aria-label={placeholder} onChange={(e) => setText(e.target.value)}
          onKeyDown={(e) => {
            if (e.key === "Enter" && !e.shiftKey && !e.nativeEvent.isComposing) submit(e);
          }} />
        <button type="submit" className="button primary" disabled={busy || (text.trim() === "" && files.length === 0)}>Send</button>
      </form>
      {files.length > 0 && <p className="small muted chat-files">{files.map((f) => f.name).join(", ")}</p>}
    </section>
  );
}

function TurnView({ turn: t }: { turn: Turn }) {
  switch (t.from) {
    case "person":
      return <div className="bubble person"><p className="visually-hidden">{t.by ?? "You"}:</p><div className="prewrap break">{t.text}</div></div>;
    case "agent":
      return <div className="bubble agent" aria-busy={t.streaming}><p className="visually-hidden">Agent:</p><div className="prewrap break">{t.text}{t.streaming && <span className="caret" aria-hidden="true" />}</div></div>;
    case "note":
      return <p className="chat-note muted small">{t.text}</p>;
    case "picture":
      return <img className="chat-picture" src={t.src} alt={t.alt} />;
    case "tool":
      return <ToolCard turn={t} />;
  }
}

const toolStates = {
  working: ["info", "clock", "Working"],
  done: ["ok", "check", "Done"],
  failed: ["bad", "cross", "Failed"],
  asked: ["warn", "person", "Waits for a decision"],
  refused: ["plain", "ban", "Not run"],
} as const;

/** A tool call: its name, its arguments and what came back. */
export function ToolCard({ turn: t }: { turn: Extract<Turn, { from: "tool" }> }) {
  const [tone, icon, word] = toolStates[t.state];
  return (
    <details className="toolcard">
      <summary>
        <Icon name="tool" size={14} />
        <span className="grow">{t.title ?? words(t.tool)}</span>
        <Badge tone={tone} icon={icon}>{word}</Badge>
      </summary>
      <div className="stack tight">
        <p className="small muted"><code>{t.tool}</code></p>
        <Fields value={t.args} />
        {t.value !== undefined && <><p className="small muted">Came back</p><Json value={t.value} label="What came back" /></>}
      </div>
    </details>
  );
}
