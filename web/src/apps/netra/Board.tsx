import { useMemo, useState } from "react";
import { Link } from "wouter";
import { words } from "../../lib/format";
import { useConnected } from "../../hooks/live";
import { Loaded } from "../../parts/states";
import { Table } from "../../parts/Table";
import { Time } from "../../parts/Time";
import { risesAlone } from "./situation";
import { bandClass, districtPath, useStandings, windows, type Standing, type Standings, type Window } from "./data";

/** All districts as tiles, by state, coloured by band. */
export function Board() {
  const [w, setWindow] = useState<Window>("24h");
  const [asTable, setAsTable] = useState(false);
  const query = useStandings(w);
  return (
    <div className="stack">
      <div className="row between">
        <WindowPicker value={w} onChange={setWindow} />
        <div className="row">
          <Live />
          <button type="button" className="button small" aria-pressed={asTable} onClick={() => setAsTable(!asTable)}>{asTable ? "Show tiles" : "Show table"}</button>
        </div>
      </div>
      <Loaded query={query} lines={10}>{(data) => (asTable ? <Rows data={data} /> : <Tiles data={data} />)}</Loaded>
      {query.data && <p className="muted small">{query.data.governance_disclaimer} Methodology <Link href="/apps/netra/methodology">{query.data.methodology_version}</Link>.</p>}
    </div>
  );
}

function Live() {
  return useConnected() ? <span className="muted small netra-live">Live</span> : <span className="muted small">Not connected</span>;
}

export function WindowPicker({ value, onChange }: { value: Window; onChange: (w: Window) => void }) {
  return (
    <div className="segmented" role="group" aria-label="Time window">
      {windows.map((w) => (
        <button key={w} type="button" className="button small" aria-pressed={w === value} onClick={() => onChange(w)}>{w}</button>
      ))}
    </div>
  );
}

const bands = ["BASELINE", "MONITORING", "PREVENTIVE_READINESS", "SENIOR_REVIEW", "CRITICAL"];

function groupBy(list: Standing[], by: (d: Standing) => string): Map<string, Standing[]> {
  const out = new Map<string, Standing[]>();
  for (const d of list) out.set(by(d), [...(out.get(by(d)) ?? []), d]);
  return out;
}

function Tiles({ data }: { data: Standings }) {
  const states = useMemo(() => groupBy(data.districts, (d) => d.state), [data]);
  const counts = groupBy(data.districts, (d) => d.threshold.label);
  return (
    <>
      <ul className="netra-legend" aria-label="Bands">
        {bands.map((b) => (
          <li key={b}><span className={`netra-swatch ${bandClass(b)}`} aria-hidden="true" /> {words(b.toLowerCase())} <span className="muted">{counts.get(b)?.length ?? 0}</span></li>
        ))}
        <li><span aria-hidden="true">▲</span> the strongest signal alone calls for a higher band</li>
      </ul>
      <div className="netra-states">
        {[...states].map(([state, districts]) => (
          <section key={state} aria-label={state}>
            <h2>{state}</h2>
            <ul className="netra-tiles">{districts.map((d) => <li key={d.district}><Tile d={d} /></li>)}</ul>
          </section>
        ))}
      </div>
    </>
  );
}

function Tile({ d }: { d: Standing }) {
  const floor = risesAlone(d);
  const text = `${d.district}: ${d.score.toFixed(2)}, ${words(d.threshold.label.toLowerCase())}, trend ${d.trend}, ${d.signal_count} ${d.signal_count === 1 ? "signal" : "signals"}` +
    (floor ? `; the strongest signal alone would call for ${words(d.escalation_floor.toLowerCase())}` : "");
  return (
    <Link href={districtPath(d)} className={`netra-tile ${bandClass(d.threshold.label)}`} aria-label={text} title={text}>
      <span className="netra-name">{d.district}</span>
      <span className="netra-score">{d.signal_count === 0 ? "–" : d.score.toFixed(1)} <span aria-hidden="true">{d.signal_count === 0 ? "" : d.trend_arrow}</span>{floor && <span className="netra-floor" aria-hidden="true">▲</span>}</span>
    </Link>
  );
}

function Rows({ data }: { data: Standings }) {
  const rows = useMemo(() => data.districts.toSorted((a, b) => b.score - a.score), [data]);
  return (
    <Table
      caption="Districts by score"
      rows={rows}
      rowKey={(d) => `${d.state}/${d.district}`}
      columns={[
        { key: "district", title: "District", show: (d) => <Link href={districtPath(d)}>{d.district}</Link>, sort: (d) => d.district },
        { key: "state", title: "State", sort: (d) => d.state },
        { key: "score", title: "Score", align: "right", show: (d) => d.score.toFixed(2), sort: (d) => d.score },
        { key: "band", title: "Band", show: (d) => <Band label={d.threshold.label} />, sort: (d) => bands.indexOf(d.threshold.label) },
        { key: "floor", title: "Escalation floor", show: (d) => words(d.escalation_floor.toLowerCase()), minor: true },
        { key: "trend", title: "Trend", show: (d) => `${d.trend_arrow} ${d.trend}`, sort: (d) => d.trend },
        { key: "signals", title: "Signals", align: "right", show: (d) => d.signal_count, sort: (d) => d.signal_count },
        { key: "at", title: "Computed", show: (d) => <Time at={d.timestamp} />, minor: true },
      ]}
    />
  );
}

export function Band({ label }: { label: string }) {
  return <span className={`netra-band ${bandClass(label)}`}>{words(label.toLowerCase())}</span>;
}
