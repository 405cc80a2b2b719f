import { Link, useParams } from "wouter";
import { MapView } from "../../parts/MapView";
import { Badge } from "../../parts/Badge";
import { Loaded, Notice } from "../../parts/states";
import { Table } from "../../parts/Table";
import { Time } from "../../parts/Time";
import { tell } from "../../parts/toast";
import { useAudit, useReinstate, useVan, type Removal, type Rider, type VanPage } from "./data";
import { StatusBadge } from "./Overview";

/** One van: who rides in it, when they work, where they live, and its cases. */
export function Van() {
  const { id = "" } = useParams<{ id: string }>();
  const query = useVan(id);
  return <Loaded query={query} lines={10}>{(v) => <Page v={v} />}</Loaded>;
}

function Page({ v }: { v: VanPage }) {
  const audit = useAudit();
  const failing = v.riders.filter((r) => r.failed_checks.length > 0);
  return (
    <div className="stack">
      <div className="row between">
        <div>
          <h2>{v.vanpool_id} <span className="muted">{v.name}, {v.pickup_name}</span></h2>
          {v.case ? <p><StatusBadge status={v.case.status} /> <Link href={`/cases/${v.case.case_id}`}>{v.case.case_id}</Link></p> : <p className="muted">No case is open.</p>}
        </div>
        <button type="button" className="button" disabled={audit.isPending}
          onClick={() => audit.mutate({ van: v.vanpool_id, again: Boolean(v.case) }, {
            onSuccess: (l) => tell(l.outcome === "verified" ? `${v.vanpool_id} is verified.` : l.reasoning, l.outcome === "verified" ? "ok" : "info"),
            onError: (e) => tell(e.message, "bad"),
          })}>
          {v.case ? "Look again" : "Audit now"}
        </button>
      </div>
      {v.case && failing.length > 0 && <Notice tone="warn">{v.case.meta.details}</Notice>}
      <Week v={v} />
      <section className="panel" aria-label="Homes and pickup">
        <header><h2>Homes and pickup</h2></header>
        <div className="body pool-map">
          <MapView label={`Homes of the riders of ${v.vanpool_id}, rounded to about a hundred metres, and its pickup point`} height={340}
            circles={[{ ...v.pickup, km: v.max_miles / estimate * kmPerMile, label: `${v.max_miles} miles of road, estimated`, tone: "accent" }]}
            points={[
              ...v.riders.filter((r) => r.home).map((r) => ({ ...r.home!, id: r.employee_id, label: `${r.employee_id}, ${r.home_zip}`, name: r.failed_checks.includes("location"), tone: r.failed_checks.includes("location") ? ("bad" as const) : ("ok" as const) })),
              { ...v.pickup, label: "Pickup", tone: "accent", shape: "square", name: true },
            ]} />
          <p className="muted small">Known by ZIP code alone: {v.riders.filter((r) => r.home_by_zip || !r.home).map((r) => `${r.employee_id} (${r.home_zip || "no ZIP code"})`).join(", ") || "nobody"}. Up to {v.max_miles} miles are allowed; the circle is where that ends as the crow flies, a fifth added for roads.</p>
        </div>
      </section>
      <Riders v={v} />
      {v.cancelled.length > 0 && <Cancelled list={v.cancelled} />}
      {v.history.length > 0 && (
        <section className="panel" aria-label="Earlier cases">
          <header><h2>Earlier cases</h2></header>
          <Table rows={v.history} rowKey={(c) => c.case_id} caption="Closed cases of this van"
            columns={[
              { key: "case_id", title: "Case", show: (c) => <Link href={`/cases/${c.case_id}`}>{c.case_id}</Link> },
              { key: "outcome", title: "Outcome", show: (c) => <StatusBadge status={c.outcome ?? c.status} /> },
              { key: "details", title: "Why", show: (c) => c.meta.details, wide: true },
              { key: "resolved", title: "Closed", show: (c) => (c.resolved_at ? <Time at={c.resolved_at} /> : "–") },
            ]} />
        </section>
      )}
    </div>
  );
}

function Riders({ v }: { v: VanPage }) {
  return (
    <section className="panel" aria-label="Riders">
      <header><h2>Riders</h2></header>
      <Table rows={v.riders} rowKey={(r) => r.employee_id} caption={`Riders of ${v.vanpool_id}`} empty={<p className="muted">Nobody rides in this van.</p>}
        columns={[
          { key: "employee_id", title: "Employee" },
          { key: "name", title: "Name", minor: true },
          { key: "shift", title: "Shift", show: (r) => (r.shift_name ? `${r.shift_name} (${r.pattern})` : "none on record") },
          { key: "schedule", title: "Schedule", minor: true },
          { key: "home_zip", title: "Home ZIP" },
          { key: "pto", title: "Days off", show: (r) => r.pto.map((p) => `${p.from} to ${p.to}`).join(", ") || "–", minor: true },
          { key: "failed", title: "Checks", show: (r) => (r.failed_checks.length === 0 ? <Badge tone="ok" icon="check">Fits</Badge> : <Badge tone="bad" icon="cross">{r.failed_checks.join(", ")}</Badge>) },
        ]} />
    </section>
  );
}

/** Seats that were taken away, and the way to give one back. */
function Cancelled({ list }: { list: Removal[] }) {
  const back = useReinstate();
  return (
    <section className="panel" aria-label="Cancelled seats">
      <header><h2>Cancelled seats</h2></header>
      <Table rows={list} rowKey={(r) => r.case_id + r.employee_id} caption="Memberships whose cancellation stands"
        columns={[
          { key: "employee_id", title: "Employee" },
          { key: "failed_checks", title: "Because of", show: (r) => r.failed_checks.join(", ") },
          { key: "approver", title: "Agreed by" },
          { key: "case_id", title: "Case", show: (r) => <Link href={`/cases/${r.case_id}`}>{r.case_id}</Link>, minor: true },
          { key: "at", title: "Cancelled", show: (r) => <Time at={r.at} />, minor: true },
          { key: "back", title: "If it was wrong", show: (r) => (
            <button type="button" className="button small" disabled={back.isPending}
              onClick={() => back.mutate(r, { onSuccess: () => tell(`${r.employee_id} has the seat back.`), onError: (e) => tell(e.message, "bad") })}>Give the seat back</button>
          ) },
        ]} />
    </section>
  );
}

const kmPerMile = 1.609344;
const estimate = 1.2; // by which the way along roads is longer than the great circle

const days = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];
const minutes = 7 * 24 * 60;

/** The week as rows of riders: work as bars, the ways to and from work beside them. */
function Week({ v }: { v: VanPage }) {
  if (v.riders.length === 0) return null;
  const at = (m: number) => `${(100 * Math.max(0, Math.min(minutes, m))) / minutes}%`;
  const wide = (from: number, to: number) => `${(100 * Math.max(0, Math.min(minutes, to) - Math.max(0, from))) / minutes}%`;
  return (
    <section className="panel" aria-label="Shifts of the week">
      <header><h2>Week of {v.monday}</h2></header>
      <div className="body">
        <div className="pool-week" role="img" aria-label={`Working times by rider: ${v.riders.map((r) => `${r.employee_id} ${r.schedule || "no shift"}`).join("; ")}`}>
          <div className="pool-row pool-days" aria-hidden="true"><span />{days.map((d) => <span key={d}>{d}</span>)}</div>
          {v.riders.map((r: Rider) => (
            <div key={r.employee_id} className={`pool-row ${r.failed_checks.includes("shift") ? "bad" : ""}`} aria-hidden="true">
              <span className="small">{r.employee_id}</span>
              <div className="pool-track">
                {r.week.map((w, i) => (
                  <span key={i}>
                    <i className="commute" style={{ left: at(w.from - 60), width: wide(w.from - 60, w.from) }} />
                    <i className="work" style={{ left: at(w.from), width: wide(w.from, w.to) }} title={`${r.employee_id}: ${r.schedule}`} />
                    <i className="commute" style={{ left: at(w.to), width: wide(w.to, w.to + 60) }} />
                  </span>
                ))}
              </div>
            </div>
          ))}
        </div>
        <p className="muted small">Strong is work, faint is the hour before and after it. Riders share a day if both faint stretches overlap by half an hour; whoever does not on enough days is red.</p>
      </div>
    </section>
  );
}
