import { Link } from "wouter";
import type { EvalCheck, EvalPath } from "../../api/types";
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
      lead={result.data && <span className="case-strip">{result.data.passed ? <Badge tone="ok" icon="check">Passes</Badge> : <Badge tone="bad" icon="cross">Below a gate</Badge>}<span>played by <code>{result.data.player || "reference"}</code></span><span>{count(result.data.examples, "example")}</span>{result.data.prompt && <span>prompt <code>{result.data.prompt}</code></span>}{result.data.cost > 0 && <span>cost {number(result.data.cost, 4)}</span>}{result.data.unsafe && <Badge tone="bad" icon="warning">Unsafe</Badge>}{!result.data.ended && <Badge tone="warn" icon="warning">Not finished</Badge>}<Time at={result.data.started} /></span>}>
      <Loaded query={result} lines={10}>
        {(r) => (
          <>
            <dl className="totals">{Object.entries(r.means).map(([g, m]) => { const least = r.gates[g]; const below = least !== undefined && m < least; return <div key={g}><dt>{words(g)}</dt><dd>{number(m, 3)} {least !== undefined && <Badge tone={below ? "bad" : "ok"} icon={below ? "cross" : "check"}>{`gate ${number(least, 2)}`}</Badge>}</dd></div>; })}</dl>
            <Targets checks={r.checks ?? []} />
            <section className="panel" aria-label="Examples">
              <header><h2>Examples</h2></header>
              <div className="steps">
                {r.rows.map((row) => {
                  const low = row.failure !== undefined && row.failure !== "" || row.grades.some((g) => g.score < 1);
                  return (
                    <details key={`${row.example} ${row.repeat ?? 0}`} className="step plain">
                      <summary><span className="break"><span className="strong">{row.example}</span> <span className="small muted">{[row.scenario, row.complexity].filter(Boolean).map((s) => words(s ?? "")).join(", ")}</span></span>
                        <span className="step-side">{low ? <Badge tone="warn" icon="warning">Not full marks</Badge> : <Badge tone="ok" icon="check">Full marks</Badge>}{row.path && <span className="small muted">{words(row.path.shape)}</span>}{(row.cost ?? 0) > 0 && <span>{number(row.cost ?? 0, 5)}</span>}<span>{span(row.ms)}</span></span></summary>
                      <div className="step-more">
                        {row.failure && <p className="wrong">{row.failure}</p>}
                        {row.path && <Way path={row.path} />}
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

/** Figures of the whole run that have a target. */
function Targets({ checks }: { checks: EvalCheck[] }) {
  const targets = checks.filter((c) => !c.gate);
  if (targets.length === 0) return null;
  return (
    <section className="panel" aria-label="Targets">
      <header><h2>Targets of the whole run</h2></header>
      <dl className="totals pad">{targets.map((c) => <div key={c.name}><dt>{words(c.name)}</dt><dd>{number(c.got, 2)} {c.empty ? <span className="small muted">nothing to measure</span> : <Badge tone={c.holds ? "ok" : "bad"} icon={c.holds ? "check" : "cross"}>{`${c.most ? "at most" : "at least"} ${number(c.bound, 2)}`}</Badge>}</dd></div>)}</dl>
    </section>
  );
}

/** What the agent called, turn by turn: calls of one turn stand together. */
function Way({ path }: { path: EvalPath }) {
  const turns = [...new Set(path.calls.map((c) => c.turn))];
  return (
    <ol className="way" aria-label="Calls in order">
      {turns.map((turn) => <li key={turn}>{path.calls.filter((c) => c.turn === turn).map((c, i) => <span key={i} className={`chip ${c.failed ? "bad" : c.asked ? "warn" : ""}`} title={c.failed ? "failed" : c.asked ? "a person was asked" : "came back"}><code>{c.tool}</code>{c.failed ? " failed" : c.asked ? " asked" : ""}</span>)}</li>)}
      <li><span className="chip">{path.answered ? "answer" : "no answer"}</span></li>
      {(path.fallback ?? 0) > 0 && <li className="small muted">{count(path.fallback ?? 0, "turn")} left to the reference policy</li>}
    </ol>
  );
}
