import { Fragment } from "react";
import { Link } from "wouter";
import { evidencePath } from "../../parts/Numeral";
import { Badge } from "../../parts/Badge";
import { blocks, together, type Piece } from "./text";
import type { Numeral, Round } from "./types";

type Props = { round: Round; picked: Numeral | undefined; onPick: (n: Numeral) => void; onFigure: (target: string) => void };

/** A draft in which every numeral leads to the cell or computation it comes from. */
export function Draft({ round, picked, onPick, onFigure }: Props) {
  const show = (pieces: Piece[]) =>
    together(pieces).map((p, i) =>
      p.numeral ? <span key={i} className="report-kept">{p.before}<Mark n={p.numeral} text={p.text} on={p.numeral === picked} onPick={onPick} />{p.after}</span> : <Fragment key={i}>{styled(p.text)}</Fragment>,
    );
  return (
    <div className="report-draft">
      {blocks(round.text, round.verdict.faith.numerals).map((b, i) => {
        if (b.kind === "figure") {
          return <button key={i} type="button" className="button small report-figure" onClick={() => onFigure(b.target)}>Figure: {b.caption}</button>;
        }
        if (b.kind === "table") {
          return (
            <div key={i} className="table-box" tabIndex={0} role="region" aria-label="Table in the draft">
              <table className="table">
                <thead><tr>{b.rows[0]?.map((c, j) => <th key={j} scope="col">{show(c)}</th>)}</tr></thead>
                <tbody>{b.rows.slice(1).map((r, k) => <tr key={k}>{r.map((c, j) => <td key={j}>{show(c)}</td>)}</tr>)}</tbody>
              </table>
            </div>
          );
        }
        return <p key={i}>{show(b.pieces)}</p>;
      })}
    </div>
  );
}

function styled(text: string) {
  return text.split(/(\*[^*\n]+\*)/).map((t, i) => (/^\*[^*\n]+\*$/.test(t) ? <em key={i}>{t.slice(1, -1)}</em> : t));
}

function Mark({ n, text, on, onPick }: { n: Numeral; text: string; on: boolean; onPick: (n: Numeral) => void }) {
  return (
    <button type="button" className={`report-numeral ${n.ok ? "" : "bad"}`} aria-pressed={on} title={n.problem ?? n.label ?? n.text} onClick={() => onPick(n)}>
      {text}
    </button>
  );
}

/** Where one numeral comes from. */
export function Source({ n, round, charts }: { n: Numeral; round: Round; charts: Record<string, string> }) {
  const ref = n.resolved_to;
  const cell = /^\/rows\/(\d+)\/values\/(\w+)$/.exec(ref?.path ?? "");
  return (
    <div className="stack tight" role="status">
      <p className="row between"><strong>{n.text}</strong><Badge tone={n.ok ? "ok" : "bad"} icon={n.ok ? "check" : "cross"}>{n.ok ? "Resolved" : "Not resolved"}</Badge></p>
      {n.problem && <p>{n.problem}</p>}
      {n.label && <p>{n.label}</p>}
      {cell && ref?.evidence && <p className="small muted">Row {Number(cell[1]) + 1}, column {cell[2]}{charts[ref.evidence] ? ` of ${charts[ref.evidence]}` : ""}</p>}
      {ref?.computed && <p className="small muted">Computed: {ref.computed}</p>}
      {n.kind !== "quantity" && <p className="small muted">Recognised as a {n.kind}.</p>}
      {ref?.evidence && <p><Link href={evidencePath(round.case, ref.evidence)}>Open the evidence</Link></p>}
    </div>
  );
}
