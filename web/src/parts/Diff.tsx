import { changes, lines } from "../lib/diff";
import { cell } from "../lib/shape";
import { words } from "../lib/format";

/** The fields in which two values differ, each before and after. */
export function Diff({ before, after, names = ["Before", "After"] }: { before: unknown; after: unknown; names?: [string, string] }) {
  const found = changes(before, after);
  if (found.length === 0) return <p className="muted">Nothing differs.</p>;
  return (
    <div className="table-box" tabIndex={0} role="region" aria-label="What differs">
      <table className="table diff">
        <caption className="visually-hidden">What differs</caption>
        <thead><tr><th scope="col">Field</th><th scope="col">{names[0]}</th><th scope="col">{names[1]}</th></tr></thead>
        <tbody>
          {found.map((c) => (
            <tr key={c.path}>
              <th scope="row">{words(c.path) || "Value"}</th>
              <td className="wide"><del>{c.before === undefined ? "nothing" : cell(c.before)}</del></td>
              <td className="wide"><ins>{c.after === undefined ? "nothing" : cell(c.after)}</ins></td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Two texts, line by line: what went is marked − and what came is marked +. */
export function TextDiff({ before, after }: { before: string; after: string }) {
  return (
    <pre className="textdiff">
      {lines(before, after).map((l, i) => (
        <span key={i} className={`line ${l.kind}`}>
          <span aria-hidden="true">{l.kind === "in" ? "+ " : l.kind === "out" ? "− " : "  "}</span>
          {l.kind === "out" ? <del>{l.text}</del> : l.kind === "in" ? <ins>{l.text}</ins> : l.text}
          {"\n"}
        </span>
      ))}
    </pre>
  );
}
