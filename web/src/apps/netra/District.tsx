import { useState } from "react";
import { Link, useParams } from "wouter";
import { exact, words } from "../../lib/format";
import { useHas } from "../../hooks/session";
import { Chart } from "../../parts/Chart";
import { Empty, ErrorBox, Loaded, Notice } from "../../parts/states";
import { Table } from "../../parts/Table";
import { Time } from "../../parts/Time";
import { Band, WindowPicker } from "./Board";
import { bandClass, districtPath, useHistory, useReview, useScore, useSignals, type Account, type Score, type Window } from "./data";

const layers = ["cognitive", "network", "physical"] as const;

/** One district: score, layers, why, what would change it, history and signals. */
export function District() {
  const p = useParams<{ state: string; district: string }>();
  const state = decodeURIComponent(p.state), district = decodeURIComponent(p.district);
  const [w, setWindow] = useState<Window>("24h");
  const score = useScore(state, district, w);
  return (
    <div className="stack">
      <div className="row between">
        <div><Link href="/apps/netra">All districts</Link></div>
        <div className="row">
          <WindowPicker value={w} onChange={setWindow} />
          <Link className="button small" href={`${districtPath({ state, district }).replace("/district/", "/briefing/")}`}>Officer briefing</Link>
        </div>
      </div>
      <Loaded query={score} lines={12}>{(s) => <Body s={s} w={w} />}</Loaded>
    </div>
  );
}

function Body({ s, w }: { s: Score; w: Window }) {
  return (
    <>
      <Head s={s} />
      <div className="netra-columns">
        <section className="panel pad stack"><h2>Layers</h2><LayerBars s={s} /><Why s={s} /></section>
        <section className="panel pad stack"><h2>What would change the band</h2><Changes s={s} /><Limits s={s} /></section>
      </div>
      <section className="panel pad stack"><h2>History</h2><History s={s} w={w} /></section>
      <section className="panel pad stack" id="signals"><h2>Signals in the window</h2><Signals s={s} w={w} /></section>
      <Review s={s} />
      <p className="muted small">{s.governance_disclaimer} Methodology <Link href="/apps/netra/methodology">{s.methodology_version}</Link>.</p>
    </>
  );
}

function Head({ s }: { s: Score }) {
  return (
    <header className={`netra-head ${bandClass(s.threshold.label)}`}>
      <div>
        <h2>{s.district}, {s.state}</h2>
        <p><Band label={s.threshold.label} /> {s.threshold.range} · {s.action_required}</p>
      </div>
      <dl className="figures">
        <div><dt>Score of 100</dt><dd className="netra-big"><a className="numeral" href="#signals" title="The signals it is computed from">{s.score.toFixed(2)}</a></dd></div>
        <div><dt>Trend</dt><dd>{s.trend_arrow} {s.trend}{s.trend_basis === "insufficient" ? " (unknown)" : ""}</dd></div>
        <div><dt>Primary trigger</dt><dd>{words(s.primary_trigger)}</dd></div>
        <div><dt>Signals, {s.time_window}</dt><dd><a className="numeral" href="#signals">{s.signal_count}</a></dd></div>
        <div><dt>Escalation floor</dt><dd>{words(s.escalation_floor.label.toLowerCase())}</dd></div>
        <div><dt>Computed</dt><dd><Time at={s.timestamp} /></dd></div>
      </dl>
    </header>
  );
}

function LayerBars({ s }: { s: Score }) {
  return (
    <ul className="netra-layers">
      {layers.map((l) => (
        <li key={l}>
          <span>{words(l)} <span className="muted small">{s.layer_counts[l]} {s.layer_counts[l] === 1 ? "signal" : "signals"}</span></span>
          <span className="netra-bar" aria-hidden="true"><span style={{ width: `${s.layer_scores[l] * 10}%` }} /></span>
          <a className="numeral right" href="#signals">{s.layer_scores[l].toFixed(2)}/10</a>
        </li>
      ))}
    </ul>
  );
}

/** Why the score stands where it stands. A sheet that is printed needs exact times. */
export function Why({ s, printed = false }: { s: Score; printed?: boolean }) {
  return (
    <>
      <p className="prose">{s.rationale}</p>
      {s.top_contributing_signals.length > 0 && (
        <ol className="netra-top">
          {s.top_contributing_signals.map((t, i) => (
            <li key={i}>{t.event_summary} <span className="muted small">severity {t.severity}, {t.polarity}, {t.layers.join(", ")}, weight {t.weight.toFixed(3)}{(t.sources ?? 1) > 1 ? `, ${t.sources} sources` : ""} · {printed ? exact(new Date(t.timestamp)) : <Time at={t.timestamp} />}</span></li>
          ))}
        </ol>
      )}
    </>
  );
}

export function Changes({ s }: { s: Score }) {
  const link = s.weakest_link;
  return (
    <ul className="netra-list">
      {s.band_change.up && <li>{s.band_change.up.text}</li>}
      {s.band_change.down && <li>{s.band_change.down.text}</li>}
      {link && <li>Without “{link.event_summary}” the score would be {link.score_without.toFixed(2)} ({words(link.band_without.toLowerCase())}){link.changes_band ? ": it alone decides the band" : ""}.</li>}
      {s.peak && <li>The strongest signal, “{s.peak.event_summary}”, has a strength of {s.peak.strength.toFixed(2)} and alone would call for {words(s.escalation_floor.label.toLowerCase())}.</li>}
    </ul>
  );
}

export function Limits({ s }: { s: Score }) {
  if (s.health.length === 0) return null;
  return <Notice tone="warn"><p className="strong">What the score cannot show here</p><ul className="netra-list">{s.health.map((h, i) => <li key={i}>{h.text}</li>)}</ul></Notice>;
}

function History({ s, w }: { s: Score; w: Window }) {
  const query = useHistory(s.state, s.district, w);
  return (
    <Loaded query={query}>
      {({ points }) => points.length === 0 ? <Empty icon="chart" title="No score has been stored yet." /> : (
        <Chart
          label={`Stored ${w} scores of ${s.district}`}
          x={points.map((p) => exact(new Date(p.timestamp)))}
          series={[{ name: "Score", values: points.map((p) => p.score) }]}
          limits={[{ name: "Monitoring 30", at: 30 }, { name: "Preventive 60", at: 60 }, { name: "Senior review 75", at: 75 }, { name: "Critical 90", at: 90 }]}
        />
      )}
    </Loaded>
  );
}

function Signals({ s, w }: { s: Score; w: Window }) {
  const query = useSignals(s.state, s.district, w);
  return (
    <Loaded query={query}>
      {({ signals }) => (
        <Table<Account>
          caption="Signals in the window"
          rows={signals}
          rowKey={(a) => a.signal.id}
          empty={<Empty icon="folder" title="No signals in this window." />}
          limit={50}
          columns={[
            { key: "event", title: "Event", wide: true, show: (a) => <><div>{a.signal.event_summary}</div><div className="muted small">{a.why}{a.by_model ? ` The model proposed ${a.by_model.polarity}, severity ${a.by_model.severity_score}.` : ""} Used: {a.used}.</div></> },
            { key: "at", title: "When", show: (a) => <Time at={a.signal.timestamp} />, sort: (a) => a.signal.timestamp },
            { key: "layers", title: "Layers", show: (a) => a.signal.risk_layers.join(", "), sort: (a) => a.signal.risk_layers.join() },
            { key: "polarity", title: "Polarity", show: (a) => a.signal.polarity, sort: (a) => a.signal.polarity },
            { key: "severity", title: "Severity", align: "right", show: (a) => a.signal.severity_score, sort: (a) => a.signal.severity_score },
            { key: "tags", title: "Place", show: (a) => a.signal.geo_sensitivity?.join(", ") || "–", minor: true },
            { key: "sources", title: "Sources", align: "right", show: (a) => <SourceLink url={a.signal.source_url} count={a.signal.sources} />, sort: (a) => a.signal.sources },
          ]}
        />
      )}
    </Loaded>
  );
}

/** How many sources reported a signal, with a way to the first of them if it is on the web. */
function SourceLink({ url, count }: { url: string; count: number }) {
  return /^https?:\/\//.test(url) ? <a className="numeral" href={url} target="_blank" rel="noreferrer" title={url}>{count}</a> : <span title={url}>{count}</span>;
}

function Review({ s }: { s: Score }) {
  const may = useHas("officer", "senior", "admin");
  const [note, setNote] = useState("");
  const review = useReview();
  if (!may) return null;
  const say = (false_alarm: boolean) => review.mutate({ state: s.state, district: s.district, window: s.time_window, score_timestamp: s.timestamp, false_alarm, note }, { onSuccess: () => setNote("") });
  return (
    <section className="panel pad stack no-print">
      <h2>Review this score</h2>
      <p className="muted small">Your word is on the score above, as it was last stored. Reviews are counted and published. They never change a weight.</p>
      <div className="field"><label htmlFor="netra-note">Note</label><input id="netra-note" className="input" value={note} maxLength={1000} onChange={(e) => setNote(e.target.value)} /></div>
      <div className="row">
        <button type="button" className="button" disabled={review.isPending} onClick={() => say(false)}>It was right</button>
        <button type="button" className="button danger" disabled={review.isPending} onClick={() => say(true)}>It was a false alarm</button>
        {review.isSuccess && <span className="muted" role="status">Recorded.</span>}
      </div>
      {review.error && <ErrorBox error={review.error} />}
    </section>
  );
}
