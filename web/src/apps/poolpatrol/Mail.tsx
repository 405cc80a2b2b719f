import { useEffect, useState, type FormEvent } from "react";
import type { CasePartProps } from "..";
import type { ApprovalDetail } from "../../api/types";
import { useApproval, useDecide } from "../../hooks/approvals";
import { count, number, span, words } from "../../lib/format";
import { Badge } from "../../parts/Badge";
import { Empty, Loaded } from "../../parts/states";
import { Time } from "../../parts/Time";
import { tell } from "../../parts/toast";
import { useCasePage, useReplyAs, useRiderLink, type Draft, type Mail, type Thread } from "./data";
import { StatusBadge } from "./Overview";

/** The mail with each rider of a case, and the draft that waits for a person. */
export function MailPart({ case: c }: CasePartProps) {
  const query = useCasePage(c.id);
  return (
    <Loaded query={query} lines={6}>
      {(page) => page.threads.length === 0
        ? <Empty icon="mail" title="Nobody has been written to." />
        : <div className="stack">{page.threads.map((t) => <ThreadView key={t.email_thread_id} t={t} live={c.state !== "closed"} />)}</div>}
    </Loaded>
  );
}

/** Where the case stands and what it took. */
export function Standing({ case: c }: CasePartProps) {
  const query = useCasePage(c.id);
  if (!query.data) return null;
  const p = query.data;
  return (
    <section className="panel pad stack" aria-label="Pool Patrol">
      <dl className="facts">
        <dt>Status</dt><dd><StatusBadge status={p.status} /></dd>
        <dt>Reason</dt><dd>{words(p.meta.reason || "none")}</dd>
        <dt>Failed checks</dt><dd>{p.meta.failed_checks.join(", ") || "none"}</dd>
        <dt>Looked at again</dt><dd>{count(p.meta.re_audits, "time")}</dd>
        <dt>Opened by</dt><dd>{p.meta.opened_by || "–"}</dd>
        <dt>Changed by</dt><dd>{p.meta.updated_by || "–"}</dd>
        <dt>Took so far</dt><dd>{span(p.spent.busy_ms)} of models and tools, {count(p.spent.turns, "turn")}, cost {number(p.spent.cost, 4)}</dd>
      </dl>
    </section>
  );
}

function ThreadView({ t, live }: { t: Thread; live: boolean }) {
  return (
    <section className="panel pad stack" aria-label={`Mail with ${t.employee_id}`}>
      <div className="row between">
        <h3>{t.employee_id} <span className="muted small">{t.email_thread_id}</span></h3>
        {t.settled ? <Badge tone="ok" icon="check">{words(t.settled)}</Badge> : <span className="muted small">{t.failed_checks.join(", ")}</span>}
      </div>
      <ol className="pool-thread">{t.messages.map((m) => <Letter key={m.message_id} m={m} />)}</ol>
      {t.drafts.map((d) => <DraftEditor key={d.approval_id} d={d} />)}
      {live && !t.settled && t.drafts.length === 0 && <ReplyAs thread={t.email_thread_id} rider={t.employee_id} />}
    </section>
  );
}

function Letter({ m }: { m: Mail }) {
  return (
    <li className={m.outbound ? "out" : "in"}>
      <div className="row between">
        <strong>{m.subject}</strong>
        <span className="row small muted">{m.bucket && <Badge tone={m.bucket === "escalation" ? "bad" : "info"}>{m.bucket}</Badge>}<span>{words(m.kind)}</span><Time at={m.at} /></span>
      </div>
      <pre className="pool-text">{m.text}</pre>
      {m.rule && <p className="muted small">Decided by “{m.rule}”{m.phrases && m.phrases.length > 0 ? `: ${m.phrases.map((p) => `“${p}”`).join(", ")}` : ""}.</p>}
      {m.stranger && <p className="muted small">It did not come from the rider's own address.</p>}
    </li>
  );
}

/** A draft as a letter: approve it, change it, or reject it with a note. */
function DraftEditor({ d }: { d: Draft }) {
  const approval = useApproval(d.approval_id);
  return <Loaded query={approval} lines={4}>{(a) => <DraftForm d={d} a={a} />}</Loaded>;
}

function DraftForm({ d, a }: { d: Draft; a: ApprovalDetail }) {
  const [subject, setSubject] = useState(d.subject);
  const [text, setText] = useState(d.body);
  const [note, setNote] = useState("");
  const decide = useDecide(a);
  useEffect(() => { setSubject(d.subject); setText(d.body); }, [d.subject, d.body]);
  const changed = subject !== d.subject || text !== d.body;
  const done = { onSuccess: () => tell("Decided."), onError: (e: Error) => tell(e.message, "bad") };
  const send = (e: FormEvent) => {
    e.preventDefault();
    if (changed) decide.mutate({ verb: "edit", args: { ...(a.args as object), subject, body: text } }, done);
    else decide.mutate({ verb: "approve" }, done);
  };
  return (
    <form className="pool-draft stack" onSubmit={send} aria-label="Draft">
      <p className="strong">Draft: not sent yet. {a.why}</p>
      <label>Subject<input className="input" value={subject} onChange={(e) => setSubject(e.target.value)} /></label>
      <label>Letter<textarea className="input" rows={12} value={text} onChange={(e) => setText(e.target.value)} /></label>
      <div className="row">
        <button type="submit" className="button primary" disabled={decide.isPending}>{changed ? "Send as edited" : "Approve and send"}</button>
        <input className="input grow" placeholder="Why not, if you reject it" aria-label="Why not" value={note} onChange={(e) => setNote(e.target.value)} />
        <button type="button" className="button" disabled={decide.isPending || note.trim() === ""} onClick={() => decide.mutate({ verb: "reject", note: note.trim() }, done)}>Reject</button>
      </div>
    </form>
  );
}

/** Takes a reply as if the rider had mailed it: for demonstrations and telephone calls. */
function ReplyAs({ thread, rider }: { thread: string; rider: string }) {
  const [text, setText] = useState("");
  const reply = useReplyAs();
  const link = useRiderLink();
  const submit = (e: FormEvent) => {
    e.preventDefault();
    reply.mutate({ thread, text }, { onSuccess: (m) => { setText(""); tell(`Taken as ${m.bucket}.`); }, onError: (err) => tell(err.message, "bad") });
  };
  return (
    <form className="stack" onSubmit={submit} aria-label={`Reply as ${rider}`}>
      <label>Reply as {rider}<textarea className="input" rows={3} value={text} onChange={(e) => setText(e.target.value)} placeholder="What the rider said or wrote" /></label>
      <div className="row">
        <button type="submit" className="button" disabled={reply.isPending || text.trim() === ""}>Take the reply</button>
        {link.data
          ? <a href={link.data.url} target="_blank" rel="noreferrer">Open the page of {rider}</a>
          : <button type="button" className="button" disabled={link.isPending} title="The page behind the link in the rider's mail" onClick={() => link.mutate({ thread }, { onError: (err) => tell(err.message, "bad") })}>Documents and corrections</button>}
      </div>
    </form>
  );
}
