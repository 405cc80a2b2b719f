import { Link } from "wouter";
import type { GateState } from "../../api/types";
import { useStatus } from "../../hooks/settings";
import { number, words } from "../../lib/format";
import { Badge } from "../../parts/Badge";
import { Empty, Loaded } from "../../parts/states";
import { Table } from "../../parts/Table";
import { Time } from "../../parts/Time";

/** Whether every part works, which models play, and which gates hold. */
export function Health() {
  const status = useStatus();
  return (
    <Loaded query={status} lines={10}>
      {(s) => (
        <div className="stack">
          <section className="panel">
            <header><h2>Parts</h2><span className="small muted">Version {s.version}, running since <Time at={s.started} /></span></header>
            <Table caption="Parts" rows={[{ part: "Database", ...s.database }, { part: "Work", ...s.work }, { part: "Mail", ...s.mail }, { part: "Tracing", ...s.tracing }]} rowKey={(p) => p.part}
              columns={[{ key: "part", title: "Part" }, { key: "name", title: "Uses", show: (p) => <code>{p.name}</code> }, { key: "ok", title: "State", show: (p) => <OK ok={p.ok} /> }, { key: "note", title: "Note", wide: true }]} />
          </section>
          <section className="panel">
            <header><h2>Models</h2></header>
            <Table caption="Models" rows={s.models} rowKey={(m) => m.alias} empty={<Empty icon="spark" title="No model is configured.">Every agent is played by its reference policy, and the product is complete without one.</Empty>}
              columns={[{ key: "alias", title: "Alias", show: (m) => <code>{m.alias}</code> }, { key: "model", title: "Stands for", show: (m) => <code>{m.model}</code> }, { key: "ok", title: "State", show: (m) => <OK ok={m.ok} /> }, { key: "note", title: "Note", wide: true }]} />
          </section>
          <section className="panel">
            <header><h2>Gates</h2><Link href="/evals" className="small">Suites</Link></header>
            <Table caption="Gates" rows={s.gates} rowKey={(g) => `${g.app}.${g.agent}`} empty={<Empty icon="evals" title="No app has an agent." />}
              columns={[{ key: "agent", title: "Agent", show: (g) => <code>{`${g.app}.${g.agent}`}</code> }, { key: "suite", title: "Suite", minor: true, show: (g) => (g.suite ? words(g.suite) : "–") }, { key: "least", title: "At least", align: "right", show: (g) => (g.set ? number(g.least, 2) : "–") }, { key: "mean", title: "Newest mean", align: "right", show: (g) => (g.checked ? number(g.mean, 3) : "–") }, { key: "holds", title: "Gate", show: (g) => <GateBadge gate={g} /> }, { key: "note", title: "Note", wide: true }]} />
          </section>
        </div>
      )}
    </Loaded>
  );
}

function OK({ ok }: { ok: boolean }) {
  return ok ? <Badge tone="ok" icon="check">Works</Badge> : <Badge tone="bad" icon="warning">Does not work</Badge>;
}

function GateBadge({ gate: g }: { gate: GateState }) {
  if (!g.set) return <Badge icon="minus">No gate</Badge>;
  if (g.holds) return <Badge tone="ok" icon="check">Holds</Badge>;
  if (!g.checked) return <Badge icon="minus">Not run</Badge>;
  return g.stale ? <Badge tone="warn" icon="warning">Out of date</Badge> : <Badge tone="bad" icon="cross">Below</Badge>;
}
