import { useState } from "react";
import { Link } from "wouter";
import { Problem } from "../../api/problem";
import type { ApprovalDetail, Verb } from "../../api/types";
import { useAppTitle } from "../../hooks/apps";
import { useDecide, type Decide } from "../../hooks/approvals";
import { count, isZero, list, words } from "../../lib/format";
import type { Schema } from "../../lib/schema";
import { Background } from "../../parts/Background";
import { ApprovalBadge, Badge, VerbBadge, VerdictBadge } from "../../parts/Badge";
import { DecisionForm, verbLook } from "../../parts/DecisionForm";
import { Diff } from "../../parts/Diff";
import { EvidenceView } from "../../parts/EvidenceView";
import { Icon } from "../../parts/Icon";
import { Fields } from "../../parts/Json";
import { CitedText, evidencePath } from "../../parts/Numeral";
import { ErrorBox, Notice } from "../../parts/states";
import { Time } from "../../parts/Time";
import { tell } from "../../parts/toast";
import { Left } from "./Inbox";

type Props = { approval: ApprovalDetail; verb: Verb | undefined; setVerb: (v: Verb | undefined) => void; onDone: () => void };

const done: Record<Verb, string> = { approve: "Approved.", edit: "Approved with your arguments.", reject: "Rejected. The agent was told why.", respond: "Your message was sent to the agent." };
const settled: Record<string, string> = { approve: "It is done again.", reject: "Recorded: it did not happen.", respond: "Recorded: it did happen." };

/** Everything a person needs to decide about one planned call, and the verbs. */
export function Ask({ approval: a, verb, setVerb, onDone }: Props) {
  const decide = useDecide(a);
  const [evidence, setEvidence] = useState<string>();
  const title = useAppTitle();
  const open = a.status === "pending";
  const may = open && a.mine;
  const act = (d: Decide) =>
    decide.mutate(d, {
      onSuccess: (now) => {
        setVerb(undefined);
        tell(now.status === "pending" ? `You agreed. ${count(now.more, "more person", "more people")} must.` : a.doubt ? settled[d.verb] : done[d.verb]);
        onDone();
      },
      onError: (e) => {
        if (e instanceof Problem && (e.status === 409 || e.status === 412)) setVerb(undefined);
      },
    });
  return (
    <article className="panel pad ask" aria-labelledby="ask-title">
      <div className="stack tight">
        <div className="row small muted">
          <span>{title(a.app)}</span>
          <Link href={`/cases/${a.case}`}>{a.case_title || a.case}</Link>
          {a.stage && <span>{words(a.stage)}</span>}
          <ApprovalBadge approval={a} />
        </div>
        <h2 id="ask-title" className="ask-title">{a.title}</h2>
        <div className="row small"><span className="muted">Asked <Time at={a.asked} /></span>{open && <Left expires={a.expires} />}{open && isZero(a.expires) && <span className="muted">Never expires</span>}</div>
      </div>
      {decide.error && <ErrorBox error={decide.error} />}
      <Outcome approval={a} />
      <section><h3>Why you are asked</h3><p>{a.why}</p></section>
      {a.background.length > 0 && <section aria-label="Before you decide"><h3>Before you decide</h3><Background figures={a.background} /></section>}
      <section>
        <h3>{a.doubt ? "Exactly this had begun" : "Exactly this will run"}</h3>
        <div className="ask-args stack tight">
          <p className="row"><Icon name="tool" size={15} /><code>{a.tool}</code>{a.effect === "act" && <Badge tone="warn" icon="warning">Acts outside the product</Badge>}</p>
          <Fields value={a.args} />
          {a.tool_doc && <p className="small muted">{a.tool_doc}</p>}
        </div>
      </section>
      {may && (
        <section>
          <h3>What each answer does</h3>
          <div className="verbs">
            {a.does.map((d) => [d, verbLook(d.verb, a.doubt)] as const).map(([d, look]) => (
              <button key={d.verb} type="button" className={`verb ${a.doubt ? "doubt" : d.verb}`} disabled={decide.isPending} aria-expanded={verb === d.verb} onClick={() => setVerb(d.verb)}>
                <span className="verb-word"><Icon name={look.icon} /> {look.word} <kbd aria-hidden="true">{look.key}</kbd></span>
                <span className="small muted">{d.does}</span>
              </button>
            ))}
          </div>
          {verb && a.verbs.includes(verb) && <DecisionForm key={verb} approval={a} schema={a.schema as Schema} verb={verb} busy={decide.isPending} onDecide={act} onCancel={() => setVerb(undefined)} />}
        </section>
      )}
      {open && !may && <Notice tone="info" icon="eye"><p>{a.why_not || "You may look at this, but not decide it."}</p></Notice>}
      <Who approval={a} />
      {a.findings.length > 0 && (
        <section>
          <h3>What was found in this case</h3>
          <ul className="stack tight">
            {a.findings.map((f) => (
              <li key={f.id} className="row top"><VerdictBadge verdict={f.verdict} /><span className="grow"><span className="strong">{words(f.check)}{f.subject && ` of ${f.subject}`}</span> <CitedText text={f.reason} case={a.case} cited={a.cited.filter((e) => f.cites.includes(e.id))} /></span></li>
            ))}
          </ul>
        </section>
      )}
      <section>
        <h3>The evidence it rests on</h3>
        {a.cited.length === 0 && <p className="muted">It cites no evidence of its own. <Link href={`/cases/${a.case}/evidence`}>All evidence of the case</Link></p>}
        <div className="stack tight">
          {a.cited.map((e) => (
            <details key={e.id} className="toolcard" open={evidence === e.id} onToggle={(t) => setEvidence((was) => (t.currentTarget.open ? e.id : was === e.id ? undefined : was))}>
              <summary><span className="mono muted">#{e.seq}</span><span className="grow">{e.summary || words(e.kind)}</span><span className="small muted">{e.source.system}</span></summary>
              {evidence === e.id && <div><EvidenceView evidence={e} view={e.view} /><p className="small"><Link href={evidencePath(a.case, e.id)}>Open in the ledger</Link></p></div>}
            </details>
          ))}
        </div>
      </section>
      <footer className="small muted row"><span>Bound to <span className="hash" title={a.digest}>{a.digest.slice(0, 16)}…</span>: the tool, these arguments and this evidence.</span><Link href={`/runs/${a.run}`}>The run that asks</Link></footer>
    </article>
  );
}

/** What became of a request that is no longer pending. */
function Outcome({ approval: a }: { approval: ApprovalDetail }) {
  if (a.status === "pending" && a.decisions.length === 0) return null;
  return (
    <section className="stack tight">
      {a.status === "expired" && <Notice tone="warn" icon="clock"><p className="strong">Nobody decided in time.</p><p>It expired <Time at={a.expires} /> and did not run.</p></Notice>}
      {a.status === "void" && <Notice tone="warn" icon="ban"><p className="strong">This request is void.</p><p>{a.voided_by}</p></Notice>}
      {a.decisions.map((d, i) => (
        <div key={i} className="ask-args stack tight">
          <p className="row"><VerbBadge verb={d.verb} doubt={a.doubt} /><span>by <span className="strong">{d.by.name || d.by.id}</span></span><Time at={d.at} both /></p>
          {d.note && <p className="prewrap">{d.note}</p>}
          {d.verb === "edit" && d.args !== undefined && <Diff before={a.args} after={d.args} names={["Asked", "Decided"]} />}
        </div>
      ))}
    </section>
  );
}

/** Who may decide and who else must agree. */
function Who({ approval: a }: { approval: ApprovalDetail }) {
  return (
    <section>
      <h3>Who decides</h3>
      <p className="row nowrap-row top"><Icon name="people" size={15} /><span>{list(a.roles.map(words), "or")}{(a.escalate ?? []).length > 0 && `, and after a reminder ${list((a.escalate ?? []).map(words), "or")}`}. {a.need > 1 ? `${a.need} people must agree; ${a.more} still must.` : "One person decides."}{a.four_eyes && " Whoever asked for it may not decide it."}</span></p>
    </section>
  );
}
