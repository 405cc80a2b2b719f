import { Link, Route, Switch } from "wouter";
import type { EvalResult, SuiteInfo } from "../../api/types";
import { useAppTitle } from "../../hooks/apps";
import { useLabels, useResults, useSuites } from "../../hooks/evals";
import { number, words } from "../../lib/format";
import { Badge } from "../../parts/Badge";
import { Chart } from "../../parts/Chart";
import { Page } from "../../parts/Page";
import { Empty, Loaded } from "../../parts/states";
import { Table } from "../../parts/Table";
import { Tabs } from "../../parts/Tabs";
import { Time } from "../../parts/Time";
import { Labels } from "./Labels";
import { Result } from "./Result";

/** How the agents measure up, and what people should look at. */
export default function Evals() {
  const labels = useLabels();
  return (
    <Switch>
      <Route path="/evals/results/:id">{(p) => <Result id={p.id} />}</Route>
      <Route>
        <Page title="Evals" lead="Agents are measured against examples with known answers. A gate is the lowest mean that passes.">
          <Tabs label="Parts of evaluation" tabs={[{ href: "/evals", title: "Suites" }, { href: "/evals/results", title: "Results" }, { href: "/evals/labels", title: "To label", count: labels.data?.length }]} />
          <Switch>
            <Route path="/evals"><Suites /></Route>
            <Route path="/evals/results"><Results /></Route>
            <Route path="/evals/labels"><Labels /></Route>
            <Route><Empty icon="search" title="There is no such page." /></Route>
          </Switch>
        </Page>
      </Route>
    </Switch>
  );
}

function Suites() {
  const suites = useSuites();
  const results = useResults();
  const title = useAppTitle();
  const latest = (s: SuiteInfo) => results.data?.find((r) => r.app === s.app && r.suite === s.name);
  return (
    <div className="panel">
      <Loaded query={suites} lines={8}>
        {(all) => (
          <Table
            caption="Suites"
            rows={all}
            rowKey={(s) => `${s.app}/${s.name}`}
            empty={<Empty icon="evals" title="The apps you see have no suites." />}
            columns={[
              { key: "name", title: "Suite", wide: true, show: (s) => <><span className="strong">{words(s.name)}</span><div className="small muted">{s.doc}</div></>, sort: (s) => s.name },
              { key: "app", title: "App", show: (s) => title(s.app), sort: (s) => s.app, minor: true },
              { key: "agent", title: "Measures", minor: true, show: (s) => (s.agent ? <code>{s.agent}</code> : "rules alone") },
              { key: "gates", title: "Gates", show: (s) => Object.entries(s.gates).map(([g, least]) => <div key={g} className="small nowrap">{words(g)} ≥ {number(least, 2)}</div>).concat(s.targets.map((t) => <div key={t.name} className="small nowrap muted">{words(t.name)} {t.most ? "≤" : "≥"} {number(t.bound, 2)}</div>)) },
              { key: "latest", title: "Newest result", show: (s) => { const r = latest(s); return r ? <Link href={`/evals/results/${r.id}`}><Passed result={r} /></Link> : <span className="muted small">not run yet</span>; } },
            ]}
          />
        )}
      </Loaded>
    </div>
  );
}

function Passed({ result: r }: { result: EvalResult }) {
  if (!r.ended) return <Badge tone="warn" icon="warning">Not finished</Badge>;
  if (r.unsafe) return <Badge tone="bad" icon="warning">Unsafe</Badge>;
  return r.passed ? <Badge tone="ok" icon="check">Passes</Badge> : <Badge tone="bad" icon="cross">Below a gate</Badge>;
}

function Results() {
  const results = useResults();
  const title = useAppTitle();
  return (
    <div className="stack">
      <Loaded query={results} lines={8}>
        {(all) => (
          <>
            {all.length > 1 && <Trend results={all} />}
            <div className="panel">
              <Table
                caption="Results"
                rows={all}
                rowKey={(r) => r.id}
                empty={<Empty icon="evals" title="No suite has been run yet.">Run <code>dossier eval</code>; the results appear here.</Empty>}
                columns={[
                  { key: "suite", title: "Suite", show: (r) => <Link href={`/evals/results/${r.id}`} className="strong">{words(r.suite)}</Link>, sort: (r) => r.suite },
                  { key: "app", title: "App", minor: true, show: (r) => title(r.app), sort: (r) => r.app },
                  { key: "player", title: "Played by", minor: true, show: (r) => <><code>{r.player || "reference"}</code>{r.prompt && <div className="small muted nowrap">prompt {r.prompt}</div>}</>, sort: (r) => r.player },
                  { key: "passed", title: "Gates", show: (r) => <Passed result={r} />, sort: (r) => (r.passed ? 1 : 0) },
                  { key: "means", title: "Means", show: (r) => Object.entries(r.means).map(([g, m]) => <div key={g} className="small nowrap">{words(g)} {number(m, 3)}</div>) },
                  { key: "examples", title: "Examples", align: "right", minor: true, show: (r) => number(r.examples), sort: (r) => r.examples },
                  { key: "cost", title: "Cost", align: "right", minor: true, show: (r) => (r.cost > 0 ? number(r.cost, 4) : "none"), sort: (r) => r.cost },
                  { key: "started", title: "Run", show: (r) => <Time at={r.started} />, sort: (r) => r.started },
                ]}
              />
            </div>
          </>
        )}
      </Loaded>
    </div>
  );
}

/** The mean of all grades over time, one line for each suite. */
function Trend({ results }: { results: EvalResult[] }) {
  const ordered = results.toReversed();
  const title = useAppTitle();
  const suites = [...new Set(ordered.map((r) => `${r.app}/${r.suite}`))].slice(0, 6);
  const mean = (r: EvalResult) => { const m = Object.values(r.means); return m.length === 0 ? null : m.reduce((a, b) => a + b, 0) / m.length; };
  return (
    <div className="panel pad">
      <Chart label="Mean grade of each suite's runs, oldest to newest" height={220} range={[0, 1]} x={ordered.map((r) => r.started.slice(5, 16).replace("T", " "))}
        series={suites.map((s) => ({ name: `${title(s.split("/")[0])}: ${words(s.split("/")[1])}`, values: ordered.map((r) => (`${r.app}/${r.suite}` === s ? mean(r) : null)), kind: "scatter" as const }))} />
    </div>
  );
}
