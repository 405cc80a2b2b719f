import { useDeferredValue, useState } from "react";
import type { CasePartProps } from "..";
import { Badge } from "../../parts/Badge";
import { Chart } from "../../parts/Chart";
import { Loaded, Notice } from "../../parts/states";
import { Table } from "../../parts/Table";
import { words } from "../../lib/format";
import { useEvidence } from "../../hooks/cases";
import { CitedText, Numeral } from "../../parts/Numeral";
import { hoursOf, useScene, useWhatIf, type Analysis, type Figures, type Scene } from "./data";
import { FireMap } from "./FireMap";

/** A case's surge: map, time line and what other figures would have said. */
export function SurgeOfCase({ case: c }: CasePartProps) {
  return <SurgeOf id={c.id} />;
}

export function SurgeOf({ id }: { id: string }) {
  const scene = useScene(id);
  return <Loaded query={scene} lines={12}>{(record) => <WhatIf key={id} record={record} />}</Loaded>;
}

function WhatIf({ record }: { record: Scene }) {
  const asRecorded = figuresOf(record);
  const [figures, setFigures] = useState(asRecorded);
  const asked = useDeferredValue(figures);
  const changed = !same(figures, asRecorded);
  const other = useWhatIf(record.case, changes(asked, asRecorded));
  const scene = changed && other.data ? other.data : record;
  return (
    <div className="airshed-surge airshed-live">
      <div className="stack">
        {changed && (
          <Notice tone="warn">
            <p className="strong">A what-if, not the record.</p>
            <p>These figures were changed here and nowhere else. The report and the case stay as they were decided.</p>
          </Notice>
        )}
        {other.error ? <Notice tone="bad">{other.error instanceof Error ? other.error.message : "That did not work."}</Notice> : null}
        <Headline scene={scene} record={record} />
        <section className="panel pad" aria-label="Map"><FireMap scene={scene} /></section>
        <TimelineOf scene={scene} />
        {scene.analysis && <div className="airshed-pair"><Pollutants analysis={scene.analysis} /><Past analysis={scene.analysis} /></div>}
      </div>
      <aside className="stack">
        <Sliders figures={figures} record={asRecorded} set={setFigures} reset={() => setFigures(asRecorded)} changed={changed} />
        {scene.analysis && <States analysis={scene.analysis} />}
        {scene.analysis && <Terms analysis={scene.analysis} />}
        {scene.analysis && <Wind analysis={scene.analysis} />}
        {scene.analysis && <Without analysis={scene.analysis} />}
      </aside>
    </div>
  );
}

function figuresOf(s: Scene): Figures {
  const r = s.rules;
  return { surge_aqi_threshold: r.surge_aqi_threshold, fire_correlation_radius_km: r.fire_correlation_radius_km, correlation_window_hours: hoursOf(r), high_contribution_fire_count: r.high_contribution_fire_count };
}

/** The figures that differ from the record's; the server keeps the record's for the rest. */
function changes(asked: Figures, record: Figures): Partial<Figures> | undefined {
  const out = Object.fromEntries(Object.entries(asked).filter(([k, v]) => v !== record[k as keyof Figures])) as Partial<Figures>;
  return Object.keys(out).length > 0 ? out : undefined;
}

const same = (a: Figures, b: Figures) => (Object.keys(a) as (keyof Figures)[]).every((k) => a[k] === b[k]);

const conclusions: Record<string, ["ok" | "warn" | "bad" | "plain", string]> = {
  primary: ["bad", "Primary source"],
  possible: ["warn", "Possible source"],
  none: ["ok", "No source shown"],
  unknown: ["plain", "Not established"],
};

function Headline({ scene, record }: { scene: Scene; record: Scene }) {
  const chain = useEvidence(record.case).data ?? [];
  const a = scene.analysis;
  if (!scene.surge || !a) return <Notice>By these figures {scene.station.name} is in no surge: its index of {record.surge?.aqi ?? "–"} is not above {scene.rules.surge_aqi_threshold}.</Notice>;
  const [tone, text] = conclusions[a.conclusion] ?? ["plain", words(a.conclusion)];
  const source = (kind: string) => ({ case: record.case, evidence: chain.findLast((e) => e.kind === kind)?.id });
  return (
    <section className="panel pad stack tight" aria-label="Result">
      <div className="row between">
        <h2>{scene.station.name}: index <Numeral value={scene.surge.aqi} {...source("station_readings")} /></h2>
        <Badge tone={tone}>{text}</Badge>
      </div>
      <dl className="figures">
        <Figure name="Fires" now={a.correlation.fire_count} was={record.analysis?.correlation.fire_count} source={source("fire_set")} />
        <Figure name="Mean distance" now={Math.round(a.correlation.avg_distance_km * 10) / 10} was={record.analysis && Math.round(record.analysis.correlation.avg_distance_km * 10) / 10} unit="km" source={source("fire_set")} />
        <Figure name="Confidence" now={a.confidence.score} was={record.analysis?.confidence.score} source={source("settings")} />
        <Figure name="Stubble share" now={a.share?.stubble_burning_percent ?? "–"} unit={a.share ? "%" : ""} source={source("stubble_share")} />
      </dl>
      <p><CitedText text={scene.texts.reasoning} case={record.case} cited={chain} /></p>
      <p className="muted"><CitedText text={scene.texts.weakest_link} case={record.case} cited={chain} /></p>
    </section>
  );
}

type Source = { case: string; evidence: string | undefined };

function Figure({ name, now, was, unit = "", source }: { name: string; now: number | string; was?: number; unit?: string; source: Source }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd><Numeral value={now} unit={unit} {...source} />{was !== undefined && was !== now && <span className="muted small"> (record: {was}{unit && ` ${unit}`})</span>}</dd>
    </div>
  );
}

const sliders: { key: keyof Figures; name: string; min: number; max: number; step: number; unit: string }[] = [
  { key: "surge_aqi_threshold", name: "Surge above", min: 200, max: 500, step: 5, unit: "" },
  { key: "fire_correlation_radius_km", name: "Radius", min: 25, max: 300, step: 5, unit: " km" },
  { key: "correlation_window_hours", name: "Window", min: 6, max: 168, step: 6, unit: " h" },
  { key: "high_contribution_fire_count", name: "High contributor above", min: 0, max: 500, step: 5, unit: " fires" },
];

function Sliders({ figures, record, set, reset, changed }: { figures: Figures; record: Figures; set: (f: Figures) => void; reset: () => void; changed: boolean }) {
  return (
    <section className="panel pad stack tight" aria-label="What if">
      <div className="row between"><h3>What if</h3><button type="button" className="button small" disabled={!changed} onClick={reset}>Back to the record</button></div>
      {sliders.map((s) => (
        <div key={s.key} className="field">
          <label htmlFor={s.key} className="row between"><span>{s.name}</span><output htmlFor={s.key}>{figures[s.key]}{s.unit}</output></label>
          <input id={s.key} type="range" min={Math.min(s.min, record[s.key])} max={Math.max(s.max, record[s.key])} step={s.step} value={figures[s.key]} onChange={(e) => set({ ...figures, [s.key]: Number(e.target.value) })} />
        </div>
      ))}
    </section>
  );
}

function TimelineOf({ scene }: { scene: Scene }) {
  const t = scene.analysis?.timeline;
  if (!t || t.fires.length === 0) return null;
  const step = t.fires.length > 1 ? (Date.parse(t.fires[1].from) - Date.parse(t.fires[0].from)) / 3.6e6 : 6;
  return (
    <section className="panel pad" aria-label="Time line">
      <Chart
        label={`Index of ${scene.station.name} and fires within ${scene.rules.fire_correlation_radius_km} km in the week before, UTC. Dashed: surge above ${scene.rules.surge_aqi_threshold}`}
        height={280}
        option={{
          grid: { left: 8, right: 8, top: 56, bottom: 6, containLabel: true },
          legend: { top: 0, left: 0 },
          xAxis: { type: "time" },
          yAxis: [{ type: "value", name: "Index", min: 0 }, { type: "value", name: "Fires", min: 0, splitLine: { show: false } }],
          series: [
            { name: "Index", type: "line", showSymbol: false, data: t.aqi.map((p) => [p.timestamp, p.aqi]), markLine: { symbol: "none", silent: true, label: { show: false }, lineStyle: { type: "dashed" }, data: [{ yAxis: scene.rules.surge_aqi_threshold }] } },
            { name: `Fires per ${step} h`, type: "bar", yAxisIndex: 1, barWidth: "60%", itemStyle: { opacity: 0.65 }, data: t.fires.map((f) => [f.from, f.count]) },
          ],
        }}
      />
    </section>
  );
}

function Section({ title, children, badge }: { title: string; children: React.ReactNode; badge?: React.ReactNode }) {
  return <section className="panel" aria-label={title}><header><h3>{title}</h3>{badge}</header><div className="body stack tight">{children}</div></section>;
}

function States({ analysis: a }: { analysis: Analysis }) {
  return (
    <Section title="Fires by state">
      <Table caption="Fires by state" rows={a.correlation.states} rowKey={(r) => r.state} empty={<p className="muted">No fire in any state.</p>} columns={[
        { key: "state", title: "State", show: (r) => <>{r.state}<br /><span className="muted small">{(r.districts ?? []).slice(0, 3).join(", ")}</span></> },
        { key: "fire_count", title: "Fires", align: "right" },
        { key: "avg_distance_km", title: "km", align: "right", show: (r) => r.avg_distance_km.toFixed(1) },
        { key: "high", title: "High", show: (r) => (r.is_high_contribution ? <Badge tone="bad" icon="warning">high</Badge> : "no") },
      ]} />
      {a.correlation.unattributed > 0 && <p className="muted small">{a.correlation.unattributed} more in no known state.</p>}
      {a.correlation.undated > 0 && <p className="muted small">{a.correlation.undated} undated, not counted.</p>}
    </Section>
  );
}

function Terms({ analysis: a }: { analysis: Analysis }) {
  return (
    <Section title={`Confidence ${a.confidence.score}`}>
      <Table caption="Terms of the confidence" rows={a.confidence.terms} rowKey={(t) => t.name} columns={[
        { key: "name", title: "Term", show: (t) => <>{words(t.name).replace(/^(Nasa|Dss)/, (w) => w.toUpperCase())}<br /><span className="muted small">{t.why}</span></> },
        { key: "points", title: "Points", align: "right", show: (t) => (t.status === "not_assessable" ? <span className="muted small">not assessable</span> : t.points) },
      ]} />
    </Section>
  );
}

const winds: Record<string, ["ok" | "bad" | "warn" | "plain", string]> = { supports: ["ok", "Supports"], contradicts: ["bad", "Contradicts"], unclear: ["warn", "Unclear"], not_assessable: ["plain", "Not assessable"] };

function Wind({ analysis: a }: { analysis: Analysis }) {
  const [tone, text] = winds[a.transport.verdict] ?? ["plain", words(a.transport.verdict)];
  return <Section title="Wind" badge={<Badge tone={tone}>{text}</Badge>}><p>{a.transport.reason}</p><p className="muted small">It stands beside the confidence and does not change it.</p></Section>;
}

function Without({ analysis: a }: { analysis: Analysis }) {
  return (
    <Section title="Without one state's fires">
      <Table caption="Without one state's fires" rows={a.counterfactuals} rowKey={(c) => c.without_state} empty={<p className="muted">There is no state to leave out.</p>} columns={[
        { key: "without_state", title: "Without" },
        { key: "fire_count", title: "Fires", align: "right" },
        { key: "confidence_score", title: "Confidence", align: "right" },
        { key: "conclusion", title: "Conclusion", show: (c) => words(c.conclusion) },
      ]} />
    </Section>
  );
}

function Pollutants({ analysis: a }: { analysis: Analysis }) {
  return (
    <Section title="Pollutants">
      <Table caption="Pollutants side by side" rows={a.pollutants} rowKey={(p) => p.pollutant} columns={[
        { key: "pollutant", title: "", show: (p) => (p.pollutant === "pm25" ? "PM2.5" : p.pollutant.toUpperCase()) },
        { key: "level", title: "µg/m³", align: "right", show: (p) => p.level ?? "–" },
        { key: "sub_index", title: "Sub-index", align: "right", show: (p) => p.sub_index ?? "–" },
        { key: "times", title: "× limit", align: "right", show: (p) => p.times_standard ?? "–" },
        { key: "r", title: "r, fires", align: "right", show: (p) => p.fires_correlation ?? "–" },
      ]} />
    </Section>
  );
}

function Past({ analysis: a }: { analysis: Analysis }) {
  const h = a.history;
  return (
    <Section title="Same weeks, earlier years">
      <p>{h.sentence}</p>
      {h.years.length > 0 && <Table caption="Earlier years" rows={h.years} rowKey={(y) => String(y.year)} columns={[
        { key: "year", title: "Year" }, { key: "mean_aqi", title: "Mean", align: "right" }, { key: "max_aqi", title: "Highest", align: "right" }, { key: "reports", title: "Reports", align: "right" },
      ]} />}
      {h.recurring_districts.length > 0 && <p className="muted small">Named before: {h.recurring_districts.slice(0, 5).map((d) => `${d.district} (${d.earlier_reports})`).join(", ")}.</p>}
    </Section>
  );
}
