import { Loaded } from "../../parts/states";
import { Table } from "../../parts/Table";
import { Time } from "../../parts/Time";
import { Link } from "wouter";
import { useMethodology, useRetention, useReviews, useWeights, type Methodology, type Proposal } from "./data";

/** Every formula, weight and limit, with its version. */
export function Method() {
  return <Loaded query={useMethodology()} lines={14}>{(m) => <Account m={m} />}</Loaded>;
}

function Account({ m }: { m: Methodology }) {
  return (
    <div className="stack">
      <h2>Methodology {m.version}</h2>
      <Table caption="Formulas" rows={m.formulas} rowKey={(f) => f.name} columns={[
        { key: "name", title: "Step" }, { key: "is", title: "Formula", wide: true }, { key: "note", title: "Note", wide: true, show: (f) => f.note ?? "", minor: true }]} />
      <Table caption="Layers" rows={m.layers} rowKey={(l) => l.layer} columns={[{ key: "layer", title: "Layer" }, { key: "holds", title: "Holds", wide: true }, { key: "weight", title: "Weight", align: "right" }]} />
      <Table caption="Bands" rows={m.bands} rowKey={(b) => b.label} columns={[{ key: "range", title: "Score" }, { key: "label", title: "Band" }, { key: "action", title: "Calls for", wide: true }]} />
      <Table caption="Windows" rows={m.windows} rowKey={(w) => w.window} columns={[{ key: "window", title: "Window" }, { key: "use", title: "Use", wide: true }]} />
      <section><h3>Limits</h3><ul className="netra-list">{m.limits.map((l) => <li key={l}>{l}</li>)}</ul></section>
      <p className="muted small">{m.governance_disclaimer}</p>
    </div>
  );
}

/** False-alarm rates, proposed weights and proofs of deletion. */
export function Oversight() {
  const reviews = useReviews(), weights = useWeights(), retention = useRetention();
  return (
    <div className="stack">
      <section className="stack tight"><h2>False-alarm rates</h2>
        <Loaded query={reviews}>{(r) => <Table caption="False-alarm rates" rows={r.false_alarm_rates} rowKey={(x) => `${x.state}/${x.district}/${x.band}`} empty={<p className="muted">No score has been reviewed yet.</p>} columns={[
          { key: "district", title: "District", sort: (x) => x.district }, { key: "state", title: "State" }, { key: "band", title: "Band" },
          { key: "reviewed", title: "Reviewed", align: "right" }, { key: "false_alarms", title: "False alarms", align: "right" },
          { key: "rate", title: "Rate", align: "right", show: (x) => `${(x.rate * 100).toFixed(0)} %`, sort: (x) => x.rate }]} />}</Loaded>
      </section>
      <section className="stack tight"><h2>Proposed weights</h2>
        <Loaded query={weights}>{({ proposals }) => <Table<Proposal> caption="Proposed weights" rows={proposals} rowKey={(x) => x.id} empty={<p className="muted">Nobody has proposed other weights. They change only by a proposal with its back-test that a second person approves.</p>} columns={[
          { key: "version", title: "Version", show: (x) => <Link href={`/cases/${x.case}`}>{x.version}</Link> }, { key: "why", title: "Why", wide: true }, { key: "status", title: "Status" },
          { key: "moves", title: "Bands moved", align: "right", show: (x) => `${x.back_test.band_moves} of ${x.back_test.scores}` },
          { key: "mean", title: "Mean score", align: "right", show: (x) => `${x.back_test.mean_before.toFixed(2)} → ${x.back_test.mean_after.toFixed(2)}` },
          { key: "proposed", title: "Proposed", show: (x) => <Time at={x.proposed} /> }]} />}</Loaded>
      </section>
      <section className="stack tight"><h2>Retention</h2>
        <Loaded query={retention}>{(r) => <><p className="muted">Signals are kept for {kept(r.retain)}. Every removal leaves a proof.</p><Table caption="Proofs of removal" rows={r.proofs} rowKey={(x) => x.id} empty={<p className="muted">Nothing has been removed yet.</p>} columns={[
          { key: "at", title: "Removed", show: (x) => <Time at={x.at} /> }, { key: "before", title: "Older than", show: (x) => <Time at={x.before} /> },
          { key: "removed", title: "Signals", align: "right" }, { key: "remaining", title: "Left", align: "right" }, { key: "digest", title: "Digest of ids", wide: true }]} /></>}</Loaded>
      </section>
      {reviews.data && <p className="muted small">{reviews.data.governance_disclaimer}</p>}
    </div>
  );
}

/** A length of time as the product writes it, 2160h0m0s, in days where it is whole days. */
function kept(text: string): string {
  const hours = /^(\d+)h0m0s$/.exec(text);
  return hours && Number(hours[1]) % 24 === 0 ? `${Number(hours[1]) / 24} days` : text;
}
