import { Link } from "wouter";
import type { Evidence } from "../api/types";
import { number } from "../lib/format";
import { citeNumerals } from "../lib/numerals";

/** Where one entry of a case's ledger is shown. */
export function evidencePath(caseID: string, id: string): string {
  return `/cases/${encodeURIComponent(caseID)}/evidence/${encodeURIComponent(id)}`;
}

type NumeralProps = { value: number | string; unit?: string; digits?: number; case: string; evidence: string | undefined; title?: string };

/** A number that links to the evidence it was read from. */
export function Numeral({ value, unit, digits, case: caseID, evidence, title }: NumeralProps) {
  const text = (typeof value === "number" ? number(value, digits) : value) + (unit ? (unit === "%" ? "" : " ") + unit : "");
  if (!evidence) return <span className="numeral">{text}</span>;
  return (
    <Link className="numeral" href={evidencePath(caseID, evidence)} title={title ?? `Evidence ${evidence}`}>
      {text}
    </Link>
  );
}

/** Prose in which every numeral links to the cited evidence that holds it. */
export function CitedText({ text, case: caseID, cited }: { text: string; case: string; cited: Evidence[] }) {
  return (
    <>
      {citeNumerals(text, cited).map((p, i) =>
        p.evidence ? <Numeral key={i} value={p.text} case={caseID} evidence={p.evidence} /> : <span key={i}>{p.text}</span>,
      )}
    </>
  );
}

/** The evidence that something rests on, each a link. */
export function Cites({ case: caseID, ids, known }: { case: string; ids: string[]; known?: Evidence[] }) {
  if (ids.length === 0) return <span className="muted">cites nothing</span>;
  const item = (id: string) => {
    const e = known?.find((k) => k.id === id);
    return (
      <li key={id}>
        <Link href={evidencePath(caseID, id)} title={e?.summary}>
          {e ? <><span className="mono">#{e.seq}</span> {e.summary || e.kind}</> : <span className="mono">{id}</span>}
        </Link>
      </li>
    );
  };
  const first = ids.length > 4 ? ids.slice(0, 3) : ids;
  return (
    <div>
      <ul className="cites">{first.map(item)}</ul>
      {first.length < ids.length && <details><summary>{ids.length - first.length} more</summary><ul className="cites">{ids.slice(first.length).map(item)}</ul></details>}
    </div>
  );
}
