import { Link } from "wouter";
import { useState } from "react";
import type { RunTree, StepView, Spent } from "../../api/types";
import { useAppTitle } from "../../hooks/apps";
import { useEvidence } from "../../hooks/cases";
import { usePrompt, useRun } from "../../hooks/runs";
import { count, isZero, list, number, span, words } from "../../lib/format";
import { Badge, RunBadge } from "../../parts/Badge";
import { Icon, type IconName } from "../../parts/Icon";
import { Fields, Json } from "../../parts/Json";
import { Cites } from "../../parts/Numeral";
import { Page } from "../../parts/Page";
import { ErrorBox, Loaded, Loading, Notice } from "../../parts/states";
import { Time } from "../../parts/Time";
import { cell } from "../../lib/shape";

/** A run as a tree: its steps, and below each call the run it started. */
export default function RunPage({ id }: { id: string }) {
  const run = useRun(id);
  const title = useAppTitle();
  if (!run.data) {
    return <Page title={id} above={<Link href="/runs">Runs</Link>}>{run.error ? <ErrorBox error={run.error} retry={() => void run.refetch()} /> : <Loading lines={10} />}</Page>;
  }
  const r = run.data;
  return (
    <Page
      title={words(r.agent)}
      above={<><Link href="/runs">Runs</Link> / {title(r.app)} / <span className="mono">{r.id}</span></>}
      lead={<div className="case-strip"><RunBadge status={r.status} />{r.case && <span>on <Link href={`/cases/${r.case}`} className="mono">{r.case}</Link></span>}<span>for {r.for.name || r.for.id}</span><span>started <Time at={r.started} /></span>{!isZero(r.ended) && <span>ended <Time at={r.ended} /></span>}{r.parent_run && <span>called by <Link href={`/runs/${r.parent_run}`} className="mono">{r.parent_run}</Link></span>}</div>}
    >
      {r.failure && <Notice tone="bad"><p className="strong">The run ended without an answer.</p><p>{r.failure}</p></Notice>}
      <Totals usage={r.usage} />
      <section className="panel" aria-label="Steps"><header><h2>Steps</h2><span className="small muted">{count(r.steps.length, "step")}{r.children.length > 0 && `, ${count(r.children.length, "called run")}`}</span></header><Steps run={r} /></section>
      <div className="compare">
        <section className="panel"><header><h2>Started with</h2></header><div className="body"><Fields value={r.input} /></div></section>
        <section className="panel"><header><h2>Answer</h2></header><div className="body">{r.answer === undefined || r.answer === null ? <p className="muted">{r.status === "failed" ? "There is none." : "Not yet."}</p> : typeof r.answer === "string" ? <div className="prose prewrap">{r.answer}</div> : <Fields value={r.answer} />}</div></section>
      </div>
    </Page>
  );
}

export function Totals({ usage: u }: { usage: Spent }) {
  const items: [string, string][] = [
    ["Model turns", number(u.turns)], ["Tool calls", number(u.calls)], ["Tokens in", number(u.tokens.in)], ["Tokens out", number(u.tokens.out)],
    ["Cost", u.cost === 0 ? "0" : number(u.cost, 4)], ["Took", span(u.seconds * 1000)],
  ];
  return <dl className="totals">{items.map(([k, v]) => <div key={k}><dt>{k}</dt><dd>{v}</dd></div>)}</dl>;
}

function Steps({ run }: { run: RunTree }) {
  return (
    <div className="steps">
      {run.steps.map((s, i) => {
        const first = run.steps.findIndex((o) => o.child === s.child) === i;
        const child = s.child && first ? run.children.find((c) => c.id === s.child) : undefined;
        return (
          <div key={s.id}>
            <StepLine step={s} case={run.case} />
            {child && <div className="subrun"><div className="pad-row row"><Icon name="run" size={15} /><Link href={`/runs/${child.id}`} className="strong">{words(child.agent)}</Link><RunBadge status={child.status} /></div><Steps run={child} /></div>}
          </div>
        );
      })}
    </div>
  );
}

const kinds: Record<string, [IconName, string]> = {
  said: ["chat", "Said"], model: ["spark", "Model"], asked: ["person", "Asked a person"], begun: ["play", "Act begun"], called: ["run", "Called an agent"],
  returned: ["reply", "Came back"], answered: ["check", "Answered"], abandoned: ["ban", "Given up"],
};

/** One step in a line, with everything about it below. */
export function StepLine({ step: s, case: caseID }: { step: StepView; case: string }) {
  const [open, setOpen] = useState(false);
  const [icon, word] = kinds[s.kind] ?? ["dot", words(s.kind)];
  return (
    <details className="step" id={s.id} onToggle={(e) => setOpen(e.currentTarget.open)}>
      <summary>
        <span className="mono muted">{s.seq}</span>
        <Icon name={icon} />
        <span className="break"><span className="strong">{word}</span> {headline(s)} {s.failed && <Badge tone="bad" icon="cross">Failed</Badge>} {s.fallback && <Badge tone="warn" icon="warning" title={s.fallback}>Reference policy</Badge>}</span>
        <span className="step-side">
          {s.tokens && (s.tokens.in > 0 || s.tokens.out > 0) && <span>{number(s.tokens.in)} → {number(s.tokens.out)} tokens</span>}
          {s.cost ? <span>cost {number(s.cost, 4)}</span> : null}
          <span title="How long it took">{s.ms > 0 ? span(s.ms) : ""}</span>
        </span>
      </summary>
      {open && <StepMore step={s} case={caseID} />}
    </details>
  );
}

function headline(s: StepView): string {
  if (s.calls?.length) return `asks for ${list(s.calls.map((c) => c.tool))}`;
  if (s.tool) return s.tool;
  const text = s.text ?? (s.value === undefined ? "" : cell(s.value));
  return text.length > 140 ? text.slice(0, 140) + "…" : text;
}

function StepMore({ step: s, case: caseID }: { step: StepView; case: string }) {
  const recorded = (useEvidence(caseID).data ?? []).filter((e) => e.step === s.id);
  return (
    <div className="step-more">
      <dl className="facts small">
        <div className="fact"><dt>When</dt><dd><Time at={s.at} both /></dd></div>
        {s.by && <div className="fact"><dt>By</dt><dd>{s.by}</dd></div>}
        {s.model && <div className="fact"><dt>Model</dt><dd><code>{s.model}</code></dd></div>}
        {s.version && <div className="fact"><dt>Prompt and tools</dt><dd><code>{s.version}</code></dd></div>}
        {s.fallback && <div className="fact"><dt>Reference policy because</dt><dd>{s.fallback}</dd></div>}
        {s.problem && <div className="fact"><dt>Not usable because</dt><dd>{s.problem}</dd></div>}
        {s.ruling && <div className="fact"><dt>Decided</dt><dd>{words(s.ruling.verb)} by {s.ruling.by.name || s.ruling.by.id}{s.ruling.note && `: ${s.ruling.note}`}</dd></div>}
        {s.call && <div className="fact"><dt>Call</dt><dd><code>{s.call}</code></dd></div>}
        {s.approval && <div className="fact"><dt>Approval</dt><dd><Link href={`/inbox/${s.approval}`}><code>{s.approval}</code></Link></dd></div>}
        {s.child && <div className="fact"><dt>Run</dt><dd><Link href={`/runs/${s.child}`}><code>{s.child}</code></Link></dd></div>}
      </dl>
      {s.text && <div className="prose prewrap">{s.text}</div>}
      {s.calls?.map((c) => <div key={c.id} className="stack tight"><p><Icon name="tool" size={14} /> <code>{c.tool}</code></p><div className="ask-args"><Fields value={c.args} /></div></div>)}
      {s.value !== undefined && <Json value={s.value} label="What this step holds" />}
      {s.args !== undefined && <div className="stack tight"><p className="small muted">Arguments</p><div className="ask-args"><Fields value={s.args} /></div></div>}
      {s.context !== undefined && <details><summary>What was looked up beforehand</summary><Json value={s.context} label="What was looked up beforehand" /></details>}
      {caseID && recorded.length > 0 && <div><p className="small muted">Recorded evidence</p><Cites case={caseID} ids={recorded.map((e) => e.id)} known={recorded} /></div>}
      {s.kind === "model" && <PromptOf step={s} />}
    </div>
  );
}

function PromptOf({ step }: { step: StepView }) {
  const [open, setOpen] = useState(false);
  const prompt = usePrompt(step.run, step.seq, open);
  return (
    <details onToggle={(e) => setOpen(e.currentTarget.open)}>
      <summary>What the model was told</summary>
      {open && (
        <Loaded query={prompt}>
          {(p) => (
            <div className="stack tight">
              <p className="small muted">Prompt</p><pre className="json" tabIndex={0} role="region" aria-label="Prompt">{p.system}</pre>
              <p className="small muted">Tools: {list(p.tools.map((t) => t.name)) || "none"}</p>
              {p.messages.map((m, i) => (
                <div key={i} className="nested stack tight">
                  <p className="small muted">{words(m.from)}</p>
                  {m.parts.map((part, j) => part.kind === "text" ? <div key={j} className="prewrap break">{part.text}</div> : <div key={j} className="stack tight"><p className="small"><code>{part.tool || part.kind}</code> {part.kind}{part.failed ? ", failed" : ""}</p>{part.value !== undefined && <Json value={part.value} label={`${part.tool} ${part.kind}`} />}</div>)}
                </div>
              ))}
            </div>
          )}
        </Loaded>
      )}
    </details>
  );
}
