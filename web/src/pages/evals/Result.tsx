import { Link } from "wouter";
import { useResult } from "../../hooks/evals";
import { count, number, span, words } from "../../lib/format";
import { Badge } from "../../parts/Badge";
import { Diff } from "../../parts/Diff";
import { Fields } from "../../parts/Json";
import { Page } from "../../parts/Page";
import { Loaded } from "../../parts/states";
import { Time } from "../../parts/Time";

/** One run of a suite: its means against the gates, and every example. */
export function Result({ id }: { id: string }) {
  const result = useResult(id);
  return (
    <Page title={result.data ? words(result.data.suite) : "Result"} above={<Link href="/evals/results">Evals / Results</Link>}
      lead={result.data && <span className="case-strip">{result.data.passed ? <Badge tone="ok" icon="check">Passes</Badge> : <Badge tone="bad" icon="cross">Below a gate</Badge>}<span>played by <code>{result.data.player || "reference"}</code></span><span>{count(result.data.examples, "example")}</span><Time at={result.data.started} /></span>}>
      <Loaded query={result} lines={10}>
        {(r) => (
          <>
            <dl className="totals">{Object.entries(r.means).map(([g, m]) => { const least = r.gates[g]; const below = least !== undefined && m < least; return <div key={g}><dt>{words(g)}</dt><dd>{number(m, 3)} {least !== undefined && <Badge tone={below ? "bad" : "ok"} icon={below ? "cross" : "check"}>{`gate ${number(least, 2)}`}</Badge>}</dd></div>; })}</dl>
            <section className="panel" aria-label="Examples">
              <header><h2>Examples</h2></header>
              <div className="steps">
                {r.rows.map((row) => {
                  const low = row.failure !== undefined && row.failure !== "" || row.grades.some((g) => g.score < 1);
                  return (
                    <details key={row.example} className="step plain">
                      <summary><span className="break"><span className="strong">{row.example}</span> <span className="small muted">{[row.scenario, row.complexity].filter(Boolean).map((s) => words(s ?? "")).join(", ")}</span></span>
                        <span className="step-side">{low ? <Badge tone="warn" icon="warning">Not full marks</Badge> : <Badge tone="ok" icon="check">Full marks</Badge>}<span>{span(row.ms)}</span></span></summary>
                      <div className="step-more">
                        {row.failure && <p className="wrong">{row.failure}</p>}
                        <ul className="stack tight">{row.grades.map((g) => <li key={g.name}><span className="strong">{words(g.name)} {number(g.score, 2)}</span> <span className="muted">{g.reason}</span></li>)}</ul>
                        {row.input !== undefined && <details><summary>Input</summary><Fields value={row.input} /></details>}
                        {row.want !== undefined && row.got !== undefined && <Diff before={row.want} after={row.got} names={["Wanted", "Got"]} />}
                      </div>
                    </details>
                  );
                })}
              </div>
            </section>
          </>
        )}
      </Loaded>
    </Page>
  );
}
