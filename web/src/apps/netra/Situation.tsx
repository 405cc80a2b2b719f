import { useState } from "react";
import { Link, useLocation, useParams } from "wouter";
import { exact, words } from "../../lib/format";
import { Loaded } from "../../parts/states";
import { Table } from "../../parts/Table";
import { Band, WindowPicker } from "./Board";
import { districtPath, useMethodology, useStandings, type Standings, type Window } from "./data";
import { risesAlone, sheetOf, toLookAt } from "./situation";

/** What calls for attention in one state or in all of them, on a sheet for printing. */
export function Situation() {
  const [w, setWindow] = useState<Window>("24h");
  const query = useStandings(w);
  return (
    <div className="stack">
      <Loaded query={query} lines={12}>{(all) => <Sheet all={all} picker={<WindowPicker value={w} onChange={setWindow} />} />}</Loaded>
    </div>
  );
}

function Sheet({ all, picker }: { all: Standings; picker: React.ReactNode }) {
  const state = decodeURIComponent(useParams<{ state?: string }>().state ?? "");
  const [, go] = useLocation();
  const actions = new Map(useMethodology().data?.bands.map((b) => [b.label, b.action]));
  const districts = all.districts.filter((d) => state === "" || d.state === state);
  const shown = toLookAt(districts);
  const states = [...new Set(all.districts.map((d) => d.state))];
  const newest = districts.map((d) => d.timestamp).toSorted().at(-1);
  return (
    <>
      <div className="row between no-print">
        <div className="row">
          {picker}
          <label className="row"><span className="visually-hidden">State</span>
            <select className="input" value={state} onChange={(e) => go(e.target.value === "" ? "/apps/netra/situation" : `/apps/netra/situation/${encodeURIComponent(e.target.value)}`)}>
              <option value="">All states</option>
              {states.map((s) => <option key={s}>{s}</option>)}
            </select>
          </label>
        </div>
        <div className="row">
          <button type="button" className="button" onClick={() => download(`netra-${all.time_window}-${(newest ?? "").slice(0, 10)}.csv`, sheetOf(all, districts))}>Download CSV</button>
          <button type="button" className="button primary" onClick={() => window.print()}>Print</button>
        </div>
      </div>
      <article className="netra-sheet netra-situation stack">
        <header>
          <p className="muted small">Situation sheet{newest && <> · {exact(new Date(newest))}</>} · last {all.time_window}</p>
          <h2>{state || "All states"}</h2>
          <p>{shown.length === 0 ? `None of the ${districts.length} districts is above the baseline.` : `${shown.length} of ${districts.length} districts to look at; the others are at the baseline.`}</p>
        </header>
        {shown.length > 0 && (
          <Table caption="Districts to look at" rows={shown} rowKey={(d) => `${d.state}/${d.district}`} columns={[
            { key: "district", title: "District", show: (d) => <><Link href={districtPath(d)}>{d.district}</Link>{state === "" && <div className="muted small">{d.state}</div>}</> },
            { key: "score", title: "Score", align: "right", show: (d) => d.score.toFixed(2) },
            { key: "band", title: "Band and what it calls for", wide: true, show: (d) => <><Band label={d.threshold.label} /> <span className="small">{actions.get(d.threshold.label)}</span>{risesAlone(d) && <div className="muted small">▲ its strongest signal alone calls for {words(d.escalation_floor.toLowerCase())}</div>}</> },
            { key: "trend", title: "Trend", show: (d) => <span className="nowrap">{d.trend_basis === "insufficient" ? "unknown" : `${d.trend_arrow} ${d.trend}`}</span> },
            { key: "trigger", title: "Trigger", show: (d) => words(d.primary_trigger) },
            { key: "signals", title: "Signals", align: "right", show: (d) => d.signal_count },
          ]} />
        )}
        <footer className="muted small">{all.governance_disclaimer} Methodology {all.methodology_version}. District level only; the scores describe published reports and predict nothing.</footer>
      </article>
    </>
  );
}

/** Hands a text to the browser as a file. */
function download(name: string, text: string) {
  const address = URL.createObjectURL(new Blob([text], { type: "text/csv" }));
  const link = Object.assign(document.createElement("a"), { href: address, download: name });
  link.click();
  URL.revokeObjectURL(address);
}
