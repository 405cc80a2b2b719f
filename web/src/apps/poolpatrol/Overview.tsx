import { Link } from "wouter";
import { count, number, words } from "../../lib/format";
import { useQueryState } from "../../lib/query";
import { Badge, type Tone } from "../../parts/Badge";
import { Chart } from "../../parts/Chart";
import { Empty, Loaded, Loading } from "../../parts/states";
import { Table } from "../../parts/Table";
import { Time } from "../../parts/Time";
import { tell } from "../../parts/toast";
import { useAuditAll, useMetrics, useVans, type Metrics, type Reversal, type Reversals, type Van } from "./data";

/** The programme at a glance: vans, what is flagged, the trend and how often we were wrong. It is shown at once, so that nothing moves under the reader. */
export function Overview() {
  const metrics = useMetrics();
  const auditAll = useAuditAll();
  const [get, set] = useQueryState();
  const text = get("q");
  const flagged = get("flagged") === "true";
  const vans = useVans(text, flagged);
  return (
    <div className="stack">
      <div className="row between">
        <p className="muted">Every van is audited once a week: shifts and homes against its riders.</p>
        <button type="button" className="button" disabled={auditAll.isPending}
          onClick={() => auditAll.mutate(undefined, { onSuccess: (r) => tell(`${r.due} audits are due now.`), onError: () => tell("The audits could not be started.", "bad") })}>
          Audit every van
        </button>
      </div>
      {metrics.isPending || vans.isPending ? <Loading lines={12} /> : (
        <>
          <Loaded query={metrics} lines={3}>{(m) => <Figures m={m} />}</Loaded>
          <Vans vans={vans} text={text} flagged={flagged} set={set} />
          {metrics.data && <ReversalTable r={metrics.data.reversals} />}
        </>
      )}
    </div>
  );
}

function Figures({ m }: { m: Metrics }) {
  const figures: [name: string, value: string, note: string, rows?: string][] = [
    ["Vans flagged", number(m.cases_open), `of ${count(m.vans, "van")} have an open case`, "/apps/poolpatrol?flagged=true#vans"],
    ["Audits", number(m.audits), `${number(m.vans_verified)} verified at once`, "/runs?app=poolpatrol"],
    ["Hours saved", number(m.audit_hours_saved, 1), `worth ${number(m.cost_saved, 0)}; ${(100 * m.part_of_baseline).toFixed(1)} % of two people over three months`],
    ["To resolution", m.hours_to_resolution.n > 0 ? `${m.hours_to_resolution.median.toFixed(1)} h` : "–", `median of ${count(m.hours_to_resolution.n, "closed case")}`, "/cases?app=poolpatrol&state=closed"],
    ["Per case", `${m.seconds_per_case.mean.toFixed(2)} s`, `of models and tools; cost ${number(m.cost_per_case.mean, 4)}`, "/runs?app=poolpatrol"],
    ["Reversal rate", m.reversals.all.cancelled > 0 ? `${(100 * m.reversals.all.rate).toFixed(1)} %` : "–", `${m.reversals.all.reversed} of ${m.reversals.all.cancelled} cancellations undone`, "/apps/poolpatrol#reversals"],
  ];
  return (
    <>
      <ul className="pool-figures" aria-label="The programme's numbers">
        {figures.map(([name, value, note, rows]) => <li key={name} className="panel"><span className="muted small">{name}</span><strong>{rows ? <Link className="numeral" href={rows} title="What it is counted from">{value}</Link> : value}</strong><span className="muted small">{note}</span></li>)}
      </ul>
      {m.weeks.length > 1 && (
        <section className="panel" aria-label="Trend">
          <header><h2>Trend</h2></header>
          <div className="body">
            <Chart label="Audits and flagged vans by week" height={200} x={m.weeks.map((w) => w.monday)}
              series={[{ name: "Audits", kind: "bar", values: m.weeks.map((w) => w.audits) }, { name: "Flagged", kind: "line", values: m.weeks.map((w) => w.flagged) }]} />
          </div>
        </section>
      )}
    </>
  );
}

const tones: Record<string, Tone> = { pending_reply: "warn", hitl_review: "bad", pre_cancel: "bad", re_audit: "info", verified: "ok", resolved: "ok", cancelled: "plain" };

const names: Record<string, string> = { hitl_review: "HITL review", pre_cancel: "Pre-cancel", re_audit: "Re-audit" };

export function StatusBadge({ status }: { status: string }) {
  return <Badge tone={tones[status] ?? "plain"} icon={status === "verified" || status === "resolved" ? "check" : "clock"}>{names[status] ?? words(status)}</Badge>;
}

type VansProps = { vans: ReturnType<typeof useVans>; text: string; flagged: boolean; set: (changes: Record<string, string>) => void };

function Vans({ vans, text, flagged, set }: VansProps) {
  const none = flagged ? "No van with an open case fits." : "No van fits.";
  return (
    <section className="panel" aria-label="Vans" id="vans">
      <header className="row between">
        <h2>Vans</h2>
        <div className="pool-find">
          <input className="input" type="search" placeholder="Van or pickup" aria-label="Find a van" maxLength={100} value={text} onChange={(e) => set({ q: e.target.value })} />
          <label><input type="checkbox" checked={flagged} onChange={(e) => set({ flagged: e.target.checked ? "true" : "" })} /> Only flagged</label>
        </div>
      </header>
      <Loaded query={vans} lines={8}>{(data) => <VanTable list={data.pages.flat()} empty={text || flagged ? none : "There are no vans yet. Import them with dossier poolpatrol import."} />}</Loaded>
      {vans.hasNextPage && (
        <div className="table-more">
          <button type="button" className="button small" disabled={vans.isFetchingNextPage} onClick={() => void vans.fetchNextPage()}>{vans.isFetchingNextPage ? "Loading…" : "Show more"}</button>
        </div>
      )}
    </section>
  );
}

function VanTable({ list, empty }: { list: Van[]; empty: string }) {
  return (
    <Table rows={list} rowKey={(v) => v.vanpool_id} caption="Vans with their open case and newest audit" limit={Infinity} empty={<Empty icon="folder" title={empty} />}
        columns={[
          { key: "vanpool_id", title: "Van", show: (v) => <Link href={`/apps/poolpatrol/van/${v.vanpool_id}`}>{v.vanpool_id}</Link>, sort: (v) => v.vanpool_id },
          { key: "pickup_name", title: "Pickup", sort: (v) => v.pickup_name, minor: true },
          { key: "riders", title: "Riders", align: "right", sort: (v) => v.riders },
          { key: "status", title: "Status", show: (v) => (v.status || v.last_result ? <StatusBadge status={v.status || v.last_result} /> : "not audited"), sort: (v) => v.status || v.last_result },
          { key: "case_id", title: "Case", show: (v) => (v.case_id ? <Link href={`/cases/${v.case_id}`}>{v.case_id}</Link> : "–") },
          { key: "audited_at", title: "Audited", show: (v) => (v.audited_at ? <Time at={v.audited_at} /> : "–"), sort: (v) => v.audited_at ?? "", minor: true },
        ]} />
  );
}

/** How often decisions like this one were wrong, for whoever makes the next. */
export function ReversalTable({ r }: { r: Reversals }) {
  const rows = [
    { ...r.all, by: "All" },
    ...r.by_rule.map((x) => ({ ...x, by: `Check: ${x.name}` })),
    ...r.by_model.map((x) => ({ ...x, by: `Model: ${x.name}` })),
    ...r.by_approver.map((x) => ({ ...x, by: `Approver: ${x.name}` })),
  ];
  return (
    <section className="panel" aria-label="Reversals" id="reversals">
      <header><h2>How often we were wrong</h2></header>
      <Table<Reversal & { by: string }> rows={rows} rowKey={(x) => x.by} caption="Cancellations, and how many were undone or rejected"
        columns={[
          { key: "by", title: "Cancellations" },
          { key: "proposed", title: "Decided", align: "right" },
          { key: "rejected", title: "Rejected", align: "right" },
          { key: "cancelled", title: "Cancelled", align: "right" },
          { key: "reversed", title: "Undone", align: "right" },
          { key: "rate", title: "Reversal rate", align: "right", show: (x) => (x.cancelled > 0 ? `${(100 * x.rate).toFixed(1)} %` : "–") },
        ]} />
    </section>
  );
}
