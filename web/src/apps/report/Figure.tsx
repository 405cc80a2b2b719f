import { useLayoutEffect, useMemo, useRef, useState } from "react";
import { Chart, type Series } from "../../parts/Chart";
import { Loaded, Notice } from "../../parts/states";
import { Table } from "../../parts/Table";
import { useTheme } from "../../hooks/theme";
import { useChart } from "./hooks";
import { adds, labels, total } from "./rows";
import { translate } from "./plotly";
import type { ChartData, Numeral, Row } from "./types";

/** A chart of the run: its Plotly figure, or its rows drawn by scenario. */
export function Figure({ report, id, picked }: { report: string; id: string; picked?: Numeral }) {
  const chart = useChart(report, id);
  return <Loaded query={chart}>{(c) => <Drawn chart={c} picked={picked} />}</Loaded>;
}

const figure = "figure", totals = "totals";

function Drawn({ chart, picked }: { chart: ChartData; picked?: Numeral }) {
  const { data, plot } = chart;
  const drawable = useMemo(() => plot !== undefined && translate(plot, 1) !== undefined, [plot]);
  const [view, setView] = useState(drawable ? figure : totals);
  const scenarios = data.summary.scenarios;
  const wide = (data.chart.years?.length ?? 0) > 1;
  const byRow = wide && scenarios.length > 1;
  return (
    <div className="stack tight">
      <h4>{data.chart.title}</h4>
      {(drawable || byRow) && (
        <div className="field">
          <label htmlFor={`view-${data.chart.id}`}>Show</label>
          <select id={`view-${data.chart.id}`} className="input" value={view} onChange={(e) => setView(e.target.value)}>
            {drawable && <option value={figure}>The run’s own figure</option>}
            <option value={totals}>{byRow ? "All scenarios, totals" : "The rows, side by side"}</option>
            {byRow && scenarios.map((s) => <option key={s} value={s}>{s}, by row</option>)}
          </select>
        </div>
      )}
      {view === figure && plot ? <PlotlyFigure chart={chart} /> : wide ? <Lines chart={chart} scenario={view === totals ? undefined : view} /> : <Bars chart={chart} />}
      {data.summary.caveats?.map((c) => <Notice key={c}>{c}</Notice>)}
      <details open={picked?.resolved_to?.path !== undefined}>
        <summary>Rows ({data.row_count})</summary>
        <Rows rows={data.rows} years={data.chart.years} picked={picked} />
      </details>
    </div>
  );
}

/** The figure of the run, with as many subplots beside each other as there is room for. */
function PlotlyFigure({ chart }: { chart: ChartData }) {
  const box = useRef<HTMLDivElement>(null);
  const [columns, setColumns] = useState(1);
  useLayoutEffect(() => {
    const el = box.current;
    if (!el) return;
    const watcher = new ResizeObserver(() => setColumns(Math.max(1, Math.floor(el.clientWidth / 340))));
    watcher.observe(el);
    return () => watcher.disconnect();
  }, []);
  const dark = useTheme().shown === "dark";
  const drawing = useMemo(() => translate(chart.plot ?? {}, columns, dark), [chart.plot, columns, dark]);
  return (
    <div ref={box} className="report-plot">
      {drawing && <Chart key={columns} label={`${chart.data.chart.title}, the figure of the run${chart.data.chart.units ? `, in ${chart.data.chart.units}` : ""}`} option={drawing.option} height={drawing.height} />}
      {drawing?.notes.map((n) => <p key={n} className="muted small">{n}</p>)}
    </div>
  );
}

function Lines({ chart, scenario }: { chart: ChartData; scenario?: string }) {
  const { data } = chart;
  const years = data.chart.years ?? [];
  const unit = data.summary.units[0] ?? "";
  const rows = data.rows.filter((r) => (r.unit ?? "") === unit);
  const value = (r: Row, y: number) => r.cells.find((c) => c.year === y)?.value;
  const stacked = scenario !== undefined && (chart.plot?.data ?? []).some((t) => t.stackgroup);
  const series: Series[] =
    scenario === undefined && data.summary.scenarios.length > 1 && adds(unit)
      ? data.summary.scenarios.map((s) => ({ name: s, values: years.map((y) => total(data, s, unit, y)) }))
      : rows
          .filter((r) => scenario === undefined || r.scenario === scenario)
          .map((r) => ({ name: scenario === undefined && r.scenario ? `${r.scenario}: ${r.label}` : r.label, values: years.map((y) => value(r, y) ?? null), kind: stacked ? ("bar" as const) : ("line" as const) }));
  return <Chart label={`${data.chart.title}, ${unit}${scenario ? `, ${scenario}` : ""}`} x={years} series={series} unit={unit} stacked={stacked} height={280} />;
}

function Bars({ chart }: { chart: ChartData }) {
  const { data } = chart;
  const shown = labels(data);
  const names = data.summary.scenarios.length > 0 ? data.summary.scenarios : [""];
  const series: Series[] = names.map((s) => ({
    name: s, kind: "bar", values: shown.map((l) => data.rows.find((r) => r.label === l && (r.scenario ?? "") === s)?.cells[0]?.value ?? null),
  }));
  return <Chart label={`${data.chart.title}, ${data.summary.measure_type}`} x={shown} series={series} unit={data.summary.units[0]} height={300} />;
}

function Rows({ rows, years, picked }: { rows: Row[]; years?: number[]; picked?: Numeral }) {
  const cell = /^\/rows\/(\d+)\/values\/(\w+)$/.exec(picked?.resolved_to?.path ?? "");
  const at = cell ? { row: Number(cell[1]), column: cell[2] } : undefined;
  const columns = years && years.length > 0 ? years.map(String) : ["val"];
  const value = (r: Row, c: string) => (c === "val" ? r.cells[0]?.value : r.cells.find((x) => String(x.year) === c)?.value);
  return (
    <Table
      caption="Rows of the chart"
      rows={rows.map((r, i) => ({ ...r, i }))}
      rowKey={(r) => String(r.i)}
      selected={at ? String(at.row) : undefined}
      columns={[
        { key: "scenario", title: "Scenario" },
        { key: "label", title: "Row" },
        ...columns.map((c) => ({
          key: c, title: c, align: "right" as const,
          show: (r: Row & { i: number }) => (at && at.row === r.i && at.column === c ? <mark>{value(r, c) ?? "–"}</mark> : (value(r, c) ?? "–")),
        })),
      ]}
    />
  );
}
