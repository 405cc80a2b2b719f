import type { Evidence, Finding } from "../api/types";
import { words } from "../lib/format";
import { isDict } from "../lib/shape";
import { VerdictBadge } from "./Badge";
import { Icon } from "./Icon";
import { Cites, CitedText, Numeral } from "./Numeral";
import { Time } from "./Time";

/** A finding: verdict, confidence, reason, the figures behind it and what it cites. */
export function FindingCard({ finding: f, evidence }: { finding: Finding; evidence: Evidence[] }) {
  const cited = f.cites.map((id) => evidence.find((e) => e.id === id)).filter((e): e is Evidence => e !== undefined);
  const figures = isDict(f.figures) ? Object.entries(f.figures).filter(([k, v]) => !["verdict", "confidence", "reason"].includes(k) && ( typeof v === "number" || typeof v === "string" || typeof v === "boolean")) : [];
  return (
    <article className={`finding ${f.verdict}`} aria-label={`Finding on ${words(f.check)}`}>
      <header className="row between">
        <h3 className="row">
          <VerdictBadge verdict={f.verdict} />
          <span>{words(f.check)}</span>
          {f.subject && <span className="mono muted">{f.subject}</span>}
        </h3>
        {f.confidence > 0 && (
          <span className="confidence small" title="Computed by the rule, from 0 to 100">
            <span className="muted">Confidence</span>
            <span className="meter" aria-hidden="true"><span style={{ width: `${f.confidence}%` }} /></span>
            <Numeral value={f.confidence} case={f.case} evidence={f.cites[0]} />
          </span>
        )}
      </header>
      <p><CitedText text={f.reason} case={f.case} cited={cited} /></p>
      {figures.length > 0 && (
        <dl className="figures">
          {figures.map(([name, v]) => (
            <div key={name}>
              <dt>{words(name)}</dt>
              <dd>{typeof v === "number" ? <Numeral value={v} case={f.case} evidence={f.cites[0]} /> : typeof v === "boolean" ? (v ? "yes" : "no") : String(v)}</dd>
            </div>
          ))}
        </dl>
      )}
      <footer className="small muted stack tight">
        <div className="row top nowrap-row"><Icon name="link" size={14} /><Cites case={f.case} ids={f.cites} known={evidence} /></div>
        <div className="row"><span>by <code>{f.by}</code></span><Time at={f.at} /></div>
      </footer>
    </article>
  );
}
