import { useState } from "react";
import { Chart } from "../../parts/Chart";
import { ErrorBox, Loaded } from "../../parts/states";
import { Table } from "../../parts/Table";
import { Time } from "../../parts/Time";
import { useHas } from "../../hooks/session";
import { useEvals, useWork } from "./hooks";

/** The recorded ratings of a report, round by round. */
export function Ratings({ report }: { report: string }) {
  const evals = useEvals(report);
  const { evaluate } = useWork(report);
  const rates = useHas("reviewer", "admin");
  const [name, setName] = useState("");
  return (
    <section className="panel" aria-label="Evaluation">
      <header><h3>Evaluation</h3></header>
      <div className="body stack">
        {rates && <form className="row" onSubmit={(e) => { e.preventDefault(); evaluate.mutate(name, { onSuccess: () => setName("") }); }}>
          <label htmlFor="report-run">Name of the record</label>
          <input id="report-run" className="input" required maxLength={100} value={name} onChange={(e) => setName(e.target.value)} />
          <button type="submit" className="button" disabled={evaluate.isPending || name === ""}>Record the ratings as they stand</button>
        </form>}
        {evaluate.error && <ErrorBox error={evaluate.error} />}
        <Loaded query={evals} lines={3}>
          {(e) => (
            <>
              <Table
                caption="Recorded ratings" rows={e.runs} rowKey={(r) => r.run_id} empty={<p className="muted">No ratings are recorded yet. Review some sections, then record them under a name.</p>}
                columns={[
                  { key: "run_id", title: "Record" },
                  ...["accuracy", "completeness", "clarity", "data_use"].map((d) => ({ key: d, title: d.replace("_", " "), align: "right" as const, show: (r: (typeof e.runs)[number]) => (r.aggregate[d] === undefined ? "–" : `${r.aggregate[d]} (${r.rated[d]})`) })),
                  { key: "model", title: "Written by" }, { key: "prompt_version", title: "Prompt" }, { key: "timestamp", title: "When", show: (r) => <Time at={r.timestamp} /> },
                ]}
              />
              {e.comparison && (
                <Chart
                  label="Mean rating of each dimension, record by record" unit="of 5" height={240} x={e.comparison.dimensions.map((d) => d.name.replace("_", " "))}
                  series={e.comparison.runs.map((r, i) => ({ name: r.run_id, kind: "bar" as const, values: e.comparison?.dimensions.map((d) => d.means[i]) ?? [] }))}
                />
              )}
            </>
          )}
        </Loaded>
      </div>
    </section>
  );
}
