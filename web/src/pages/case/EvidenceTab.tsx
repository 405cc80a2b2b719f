import type { UseQueryResult } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { Link } from "wouter";
import type { Case, EvidenceView as Seen, Finding } from "../../api/types";
import { list, words } from "../../lib/format";
import { Badge, VerdictBadge } from "../../parts/Badge";
import { EvidenceView } from "../../parts/EvidenceView";
import { evidencePath } from "../../parts/Numeral";
import { Empty, Loaded, Notice } from "../../parts/states";
import { Time } from "../../parts/Time";

/** The ledger of a case: every entry in its order, and the chosen one in full. */
export function EvidenceTab({ case: c, evidence, findings, selected }: { case: Case; evidence: UseQueryResult<Seen[]>; findings: Finding[]; selected?: string }) {
  const entries = useRef<HTMLOListElement>(null);
  useEffect(() => {
    const box = entries.current;
    const chosen = box?.querySelector<HTMLElement>('[aria-current="true"]');
    if (box && chosen && box.scrollHeight > box.clientHeight) box.scrollTop = chosen.offsetTop - box.clientHeight / 3;
  }, [selected, evidence.data]);
  return (
    <Loaded query={evidence} lines={8}>
      {(all) => {
        if (all.length === 0) return <div className="panel"><Empty icon="ledger" title="No evidence has been recorded yet.">Whatever an agent or a rule looks up for this case is kept here, in order and sealed.</Empty></div>;
        const chosen = all.find((e) => e.id === selected);
        return (
          <div className={selected ? "ev-grid two" : "ev-grid"}>
            <ol ref={entries} className="panel ev-list" aria-label="Evidence in order">
              {all.map((e) => (
                <li key={e.id}>
                  <Link href={evidencePath(c.id, e.id)} aria-current={e.id === selected || undefined}>
                    <span className="mono muted">#{e.seq}</span>
                    <span className="break"><span className="strong">{e.summary || words(e.kind)}</span><br /><span className="small muted">{words(e.kind)} · {e.source.system}</span></span>
                    <span className="small muted right"><Time at={e.at} />{e.replaced_by && <><br /><Badge icon="arrow">Replaced</Badge></>}</span>
                  </Link>
                </li>
              ))}
            </ol>
            {selected && (chosen ? <Detail case={c} evidence={chosen} findings={findings} all={all} /> : <div className="panel"><Empty icon="search" title={`This case has no evidence ${selected}.`} /></div>)}
          </div>
        );
      }}
    </Loaded>
  );
}

function Detail({ case: c, evidence: e, findings, all }: { case: Case; evidence: Seen; findings: Finding[]; all: Seen[] }) {
  const citing = findings.filter((f) => f.cites.includes(e.id));
  const newer = all.find((o) => o.id === e.replaced_by);
  return (
    <div className="panel pad stack" id="evidence">
      {newer && <Notice tone="warn">A newer look at the same thing exists: <Link href={evidencePath(c.id, newer.id)}>#{newer.seq} {newer.summary}</Link>.</Notice>}
      <EvidenceView key={e.id} evidence={e} view={e.view} />
      <dl className="facts small">
        <div className="fact"><dt>Place in the chain</dt><dd>#{e.seq} of {all.length}</dd></div>
        <div className="fact"><dt>Recorded</dt><dd><Time at={e.at} both /></dd></div>
        <div className="fact"><dt>Id</dt><dd><code>{e.id}</code></dd></div>
        {e.step && <div className="fact"><dt>Collected by step</dt><dd><Link href={`/runs/${runOf(e.step)}#${e.step}`}><code>{e.step}</code></Link></dd></div>}
        <div className="fact"><dt>Seal</dt><dd className="hash">{e.hash}</dd></div>
        <div className="fact"><dt>Cited by</dt><dd>{citing.length === 0 ? "no finding" : <span className="row">{citing.map((f) => <span key={f.id} className="row"><VerdictBadge verdict={f.verdict} /> {words(f.check)}{f.subject && ` of ${f.subject}`}</span>)}</span>}</dd></div>
        {e.cited_by.length > 0 && <div className="fact"><dt>Decides now</dt><dd>{list(e.cited_by.map(words))}</dd></div>}
      </dl>
    </div>
  );
}

/** A step's id is its run's id and its place in the run. */
function runOf(step: string): string {
  return step.replace(/[./#:-]\d+$/, "");
}
