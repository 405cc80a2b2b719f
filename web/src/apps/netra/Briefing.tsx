import { Link, useParams } from "wouter";
import { exact, words } from "../../lib/format";
import { Loaded } from "../../parts/states";
import { Changes, Limits, Why } from "./District";
import { districtPath, useScore } from "./data";

/** A district on one sheet, for printing. */
export function Briefing() {
  const p = useParams<{ state: string; district: string }>();
  const place = { state: decodeURIComponent(p.state), district: decodeURIComponent(p.district) };
  const query = useScore(place.state, place.district, "24h");
  return (
    <div className="stack">
      <div className="row between no-print">
        <Link href={districtPath(place)}>Back to {place.district}</Link>
        <button type="button" className="button primary" onClick={() => window.print()}>Print</button>
      </div>
      <Loaded query={query} lines={12}>
        {(s) => (
          <article className="netra-sheet stack">
            <header>
              <p className="muted small">Officer briefing · {exact(new Date(s.timestamp))}</p>
              <h2>{s.district}, {s.state}</h2>
              <p className="netra-line"><strong>{s.score.toFixed(2)}</strong> of 100 over {s.time_window} · {words(s.threshold.label.toLowerCase())} ({s.threshold.range}) · {s.trend_arrow} {s.trend}{s.trend_basis === "insufficient" ? " (unknown)" : ""} · {s.signal_count} {s.signal_count === 1 ? "signal" : "signals"}</p>
              <p>{s.action_required}.</p>
            </header>
            <table className="table">
              <caption className="visually-hidden">Layer scores</caption>
              <thead><tr><th scope="col">Layer</th><th scope="col" className="right">Score of 10</th><th scope="col" className="right">Signals</th></tr></thead>
              <tbody>
                {(["cognitive", "network", "physical"] as const).map((l) => (
                  <tr key={l}><td>{words(l)}</td><td className="right">{s.layer_scores[l].toFixed(2)}</td><td className="right">{s.layer_counts[l]}</td></tr>
                ))}
              </tbody>
            </table>
            <section className="stack tight"><h3>Why</h3><Why s={s} printed /></section>
            <section className="stack tight"><h3>What would change the band</h3><Changes s={s} /></section>
            <Limits s={s} />
            <footer className="muted small">{s.governance_disclaimer} Methodology {s.methodology_version}. District level only; the score describes published reports and predicts nothing.</footer>
          </article>
        )}
      </Loaded>
    </div>
  );
}
