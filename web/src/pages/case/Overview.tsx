import type { UseQueryResult } from "@tanstack/react-query";
import { useState, type FormEvent } from "react";
import { Link } from "wouter";
import type { Approval, Case, EvidenceView, Event, FindingView } from "../../api/types";
import type { AppModule } from "../../apps";
import { useWhy } from "../../hooks/cases";
import { count } from "../../lib/format";
import { ApprovalBadge } from "../../parts/Badge";
import { FindingCard } from "../../parts/FindingCard";
import { Icon } from "../../parts/Icon";
import { CitedText, Cites } from "../../parts/Numeral";
import { Empty, ErrorBox, Loaded, Notice } from "../../parts/states";
import { Time } from "../../parts/Time";
import { CaseTimeline, forPeople } from "./CaseTimeline";

type Props = {
  case: Case;
  evidence: UseQueryResult<EvidenceView[]>;
  findings: UseQueryResult<FindingView[]>;
  timeline: Event[];
  approvals: Approval[];
  module: AppModule | undefined;
};

/** What to know about a case first: what waits, what was found, why, and what happened last. */
export function Overview({ case: c, evidence, findings, timeline, approvals, module }: Props) {
  const [older, setOlder] = useState(false);
  const parts = (module?.caseParts ?? []).filter((p) => p.place === "overview");
  const pending = approvals.filter((a) => a.status === "pending");
  const known = evidence.data ?? [];
  return (
    <div className="split">
      <div className="stack">
        {pending.map((a) => <Waits key={a.id} approval={a} />)}
        {parts.map((p) => <p.element key={p.path} case={c} evidence={known} findings={findings.data ?? []} />)}
        <section className="stack" aria-labelledby="findings">
          <h2 id="findings">Findings</h2>
          <Loaded query={findings} lines={6}>
            {(all) => {
              const shown = older ? all : all.filter((f) => f.latest);
              const hidden = all.length - all.filter((f) => f.latest).length;
              return (
                <>
                  {shown.length === 0 && <div className="panel"><Empty icon="eye" title="Nothing has been found yet.">Findings appear here as soon as a check of this case is answered.</Empty></div>}
                  {shown.map((f) => <FindingCard key={f.id} finding={f} evidence={known} />)}
                  {hidden > 0 && <div><button type="button" className="button small" aria-pressed={older} onClick={() => setOlder(!older)}>{older ? "Hide" : "Show"} {count(hidden, "older finding")}</button></div>}
                </>
              );
            }}
          </Loaded>
        </section>
        <Why case={c} known={known} />
      </div>
      <aside className="stack" aria-label="Around this case">
        {approvals.length > 0 && (
          <section className="panel">
            <header><h2>Decisions</h2></header>
            <ul className="body stack tight">
              {approvals.map((a) => <li key={a.id} className="row between top"><Link href={`/inbox/${a.id}`} className="grow break">{a.title}</Link><ApprovalBadge approval={a} /></li>)}
            </ul>
          </section>
        )}
        <section className="panel">
          <header><h2>What happened</h2><Link href={`/cases/${c.id}/timeline`} className="small">Everything</Link></header>
          <div className="body"><CaseTimeline events={timeline.filter(forPeople).slice(-8)} case={c.id} newestFirst /></div>
        </section>
      </aside>
    </div>
  );
}

/** A question that waits for a person; what to know before answering stands where it is answered. */
function Waits({ approval: a }: { approval: Approval }) {
  return (
    <Notice tone="warn" icon="clock">
      <p className="strong"><Link href={`/inbox/${a.id}`}>{a.title}</Link></p>
      <p>{a.why} Waits for a decision since <Time at={a.asked} />.</p>
    </Notice>
  );
}

function Why({ case: c, known }: { case: Case; known: EvidenceView[] }) {
  const why = useWhy(c.id);
  const [question, setQuestion] = useState("");
  const submit = (e: FormEvent) => {
    e.preventDefault();
    why.mutate(question.trim());
  };
  return (
    <section className="panel" aria-labelledby="why">
      <header><h2 id="why">Why?</h2></header>
      <div className="body stack">
        <form className="row" onSubmit={submit}>
          <input className="input grow" aria-label="Your question about this case" placeholder="Why does this case stand as it does?" maxLength={1000} value={question} onChange={(e) => setQuestion(e.target.value)} />
          <button type="submit" className="button" disabled={why.isPending}><Icon name="question" /> {why.isPending ? "Looking…" : "Ask"}</button>
        </form>
        {why.error && <ErrorBox error={why.error} />}
        {why.data && (
          <div className="stack tight" aria-live="polite">
            <div className="prose prewrap"><CitedText text={why.data.text} case={c.id} cited={known.filter((e) => why.data.cites.includes(e.id))} /></div>
            {why.data.cites.length > 0 && <div className="small"><p className="muted">Rests on</p><Cites case={c.id} ids={why.data.cites} known={known} /></div>}
          </div>
        )}
        {!why.data && !why.error && <p className="muted small">The answer is made from the findings and names the evidence it rests on.</p>}
      </div>
    </section>
  );
}
