import type { EChartsCoreOption } from "echarts/core";
import { readAxis, readFacets, type Facet } from "./facets";
import type { Plot, Trace } from "./types";

/** A Plotly figure as ECharts draws it. */
export type Drawing = { option: EChartsCoreOption; height: number; notes: string[]; names: string[] };

type Item = Record<string, unknown>;
type Hover = { name: string; texts: (string | undefined)[] };

/** How tall one subplot is, and what stands between and around them. */
const rowHeight = 230, gap = 56;

/**
 * Translates a Plotly figure: its traces, stacking, colours, subplots with their titles,
 * axis titles and ranges, legend and hover. Columns says how many subplots fit beside
 * each other; on a dark page, colours too dark to be seen are lightened. Undefined means
 * that nothing in the figure can be drawn.
 */
export function translate(given: Plot, columns: number, dark = false): Drawing | undefined {
  const plot = dark ? { ...given, data: given.data?.map(onDark) } : given;
  const { facets, notes } = readFacets(plot);
  if (facets.length === 0) return undefined;
  const across = Math.min(Math.max(columns, 1), facets.length);
  const rows = Math.ceil(facets.length / across);
  const series: Item[] = [];
  const grids: Item[] = [], xAxes: Item[] = [], yAxes: Item[] = [], titles: Item[] = [];
  const hovers: Record<string, Hover> = {};
  facets.forEach((f, i) => {
    const left = `${((i % across) * 100) / across}%`, width = `${100 / across - 2}%`;
    const top = 30 + Math.floor(i / across) * (rowHeight + gap);
    if (f.title) titles.push({ text: f.title, left, top: top - 28, textStyle: { fontSize: 12, fontWeight: 600 } });
    if (f.traces[0].type === "pie") {
      series.push(pie(f, left, width, top));
      return;
    }
    const at = grids.length;
    grids.push({ left, width, top: top + 18, height: rowHeight - 18, containLabel: true });
    const sideways = f.traces.some((t) => t.orientation === "h" && t.type === "bar");
    const along = { gridIndex: at, ...f.x.option }, up = { gridIndex: at, type: "value", name: f.y.title, ...f.y.range };
    xAxes.push(sideways ? { ...up, name: f.x.title } : along);
    yAxes.push(sideways ? { ...along, name: f.y.title } : up);
    for (const t of f.traces) series.push(...drawn(t, f, at, sideways, plot, hovers));
  });
  const names = legendNames(plot);
  return {
    height: 30 + rows * (rowHeight + gap) + legendHeight(names, across),
    notes, names,
    option: {
      title: [...(plot.layout?.title ? titleOf(plot) : []), ...titles],
      grid: grids, xAxis: xAxes, yAxis: yAxes, series,
      legend: names.length > 0 ? { type: names.length > 12 ? "scroll" : "plain", bottom: 0, left: 0, right: 0, data: names, icon: "roundRect", itemWidth: 12, itemHeight: 12 } : undefined,
      tooltip: tooltip(hovers, facets),
    },
  };
}

/** Room for the legend's lines: about three entries beside each other in a column. */
function legendHeight(names: string[], columns: number): number {
  return names.length === 0 ? 0 : names.length > 12 ? 28 : 6 + 26 * Math.ceil(names.length / (3 * columns));
}

function titleOf(plot: Plot): Item[] {
  const text = readAxis(plot.layout?.title);
  return text ? [{ text, left: 0, top: 0, textStyle: { fontSize: 13 } }] : [];
}

/** The names that the legend shows, each once. A group of traces is one entry. */
function legendNames(plot: Plot): string[] {
  if (plot.layout?.showlegend === false) return [];
  const names = (plot.data ?? []).filter((t) => t.type !== "waterfall" && t.showlegend !== false && t.name).map((t) => t.name ?? "");
  const unique = [...new Set(names)];
  return unique.length > 1 ? unique : [];
}

/** The series that draw one trace. */
function drawn(t: Trace, f: Facet, at: number, sideways: boolean, plot: Plot, hovers: Record<string, Hover>): Item[] {
  const id = `${at}:${f.traces.indexOf(t)}`;
  hovers[id] = { name: t.name || f.title, texts: (t.y ?? []).map((v) => number(v)) };
  const common = { id, name: t.name, xAxisIndex: at, yAxisIndex: at };
  switch (t.type) {
    case "waterfall": return waterfall(t, f, common, hovers);
    case "bar": return [bar(t, f, common, sideways, plot)];
    default: return [line(t, f, common)];
  }
}

function line(t: Trace, f: Facet, common: Item): Item {
  const colour = colourOf(t), mode = t.mode ?? "lines";
  const points = mode.includes("markers") && (t.marker?.size === undefined || Number(t.marker.size) >= 1);
  const area = t.stackgroup !== undefined || (t.fill !== undefined && t.fill !== "none");
  const style = { color: colour, borderColor: text(t.marker?.line?.color), borderWidth: t.marker?.line?.width };
  if (!mode.includes("lines") && !area) {
    return { ...common, type: "scatter", data: f.x.pairs(t), symbolSize: Number(t.marker?.size ?? 6), itemStyle: style };
  }
  return {
    ...common, type: "line", data: f.x.pairs(t), showSymbol: points, symbolSize: Number(t.marker?.size ?? 6), connectNulls: t.connectgaps === true,
    itemStyle: style, lineStyle: { color: colour, width: t.line?.width ?? 2, type: dash(t.line?.dash) },
    stack: t.stackgroup === undefined ? undefined : `${String(common.xAxisIndex)} ${t.stackgroup}`, stackStrategy: "all",
    areaStyle: area ? { color: t.fillcolor ?? colour, opacity: t.stackgroup === undefined ? 0.35 : 0.85 } : undefined,
    step: t.line?.shape === "hv" ? "end" : undefined,
  };
}

function dash(d: string | undefined): string {
  return d === undefined || d === "solid" ? "solid" : d.startsWith("dot") ? "dotted" : "dashed";
}

function bar(t: Trace, f: Facet, common: Item, sideways: boolean, plot: Plot): Item {
  const mode = plot.layout?.barmode ?? "group";
  const stacked = mode === "stack" || mode === "relative";
  const values = sideways ? (t.x ?? []) : (t.y ?? []);
  const labels = (sideways ? t.y : t.x) ?? values.map((_, i) => i);
  const each = Array.isArray(t.marker?.color) ? (t.marker.color as unknown[]) : undefined;
  return {
    ...common, type: "bar", barMaxWidth: 40, barGap: mode === "overlay" ? "-100%" : undefined,
    stack: stacked ? `${String(common.xAxisIndex)} bars` : undefined, stackStrategy: mode === "relative" ? "samesign" : "all",
    itemStyle: { color: colourOf(t), opacity: t.opacity },
    data: f.x.names.map((name) => {
      const i = labels.findIndex((l) => String(l) === name);
      const value = i < 0 ? null : values[i];
      return each && i >= 0 ? { value, itemStyle: { color: text(each[i]) } } : value;
    }),
  };
}

/** A waterfall as bars on an invisible foot; a bar through zero has a part on either side. */
function waterfall(t: Trace, f: Facet, common: Item, hovers: Record<string, Hover>): Item[] {
  const up = text(t.increasing?.marker?.color), down = text(t.decreasing?.marker?.color), whole = text(t.totals?.marker?.color);
  const foot: (number | null)[] = [], above: unknown[] = [], below: unknown[] = [];
  let level = 0;
  f.x.names.forEach((name) => {
    const i = (t.x ?? []).findIndex((x) => String(x) === name);
    const y = Number(t.y?.[i] ?? NaN), measure = t.measure?.[i] ?? "relative";
    if (i < 0 || (Number.isNaN(y) && measure === "relative")) {
      foot.push(null); above.push(null); below.push(null);
      return;
    }
    const from = measure === "relative" ? level : 0, to = measure === "relative" ? level + y : measure === "absolute" ? y : level;
    level = to;
    const lo = Math.min(from, to), hi = Math.max(from, to);
    foot.push(lo >= 0 ? lo : hi <= 0 ? hi : 0);
    const style = { color: measure !== "relative" ? (whole ?? up) : to < from ? down : up };
    const label = { show: true, position: "top", formatter: t.text?.[i] ?? String(Math.round(measure === "relative" ? y : to)), fontSize: 10 };
    above.push({ value: lo >= 0 ? hi - lo : Math.max(hi, 0), itemStyle: style, label: hi > 0 ? label : undefined });
    below.push({ value: hi <= 0 ? lo - hi : Math.min(lo, 0), itemStyle: style, label: hi > 0 ? undefined : { ...label, position: "bottom" } });
  });
  const id = String(common.id);
  hovers[`${id}:below`] = { name: "", texts: [] };
  const shape = { ...common, type: "bar", stack: id, stackStrategy: "samesign", barMaxWidth: 40 };
  return [
    { ...shape, id: `${id}:foot`, data: foot, silent: true, itemStyle: { color: "transparent" } },
    { ...shape, data: above },
    { ...shape, id: `${id}:below`, data: below },
  ];
}

function pie(f: Facet, left: string, width: string, top: number): Item {
  const t = f.traces[0], colours = t.marker?.colors ?? [];
  return {
    type: "pie", name: t.name, left, width, top, height: rowHeight, radius: [`${Math.round(Number(t.hole ?? 0) * 72)}%`, "72%"],
    data: (t.labels ?? []).map((name, i) => ({ name, value: t.values?.[i], itemStyle: { color: text(colours[i]) } })),
  };
}

/** The colour that a trace is drawn in; undefined leaves it to the theme. */
export function colourOf(t: Trace): string | undefined {
  return t.line?.color ?? text(t.marker?.color) ?? t.fillcolor;
}

/** A trace with colours that can be told from a dark page. */
function onDark(t: Trace): Trace {
  const marked = (m: Trace["increasing"]) => (m?.marker?.color ? { marker: { color: legible(m.marker.color) } } : m);
  const c = t.marker?.color;
  return {
    ...t, fillcolor: legible(t.fillcolor), line: t.line && { ...t.line, color: legible(t.line.color) },
    marker: t.marker && { ...t.marker, color: Array.isArray(c) ? c.map((v) => legible(text(v))) : legible(text(c)), colors: t.marker.colors?.map((v) => legible(text(v))) },
    increasing: marked(t.increasing), decreasing: marked(t.decreasing), totals: marked(t.totals),
  };
}

/** A colour, lightened by half its way to white where it is nearly black. */
export function legible(colour: string | undefined): string | undefined {
  const rgb = /^rgba?\((\d+), ?(\d+), ?(\d+)/.exec(colour ?? "")?.slice(1).map(Number)
    ?? /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/i.exec(colour ?? "")?.slice(1).map((h) => parseInt(h, 16));
  if (!rgb && colour !== "black") return colour;
  const [r, g, b] = rgb ?? [0, 0, 0];
  if (0.2126 * r + 0.7152 * g + 0.0722 * b > 70) return colour;
  return `rgb(${[r, g, b].map((v) => Math.round(v + (255 - v) * 0.45)).join(",")})`;
}

function text(v: unknown): string | undefined {
  return typeof v === "string" && v !== "" ? v : undefined;
}

function number(v: unknown): string | undefined {
  return typeof v === "number" ? String(Number(v.toPrecision(6))) : undefined;
}

type Param = { seriesId?: string; seriesName?: string; dataIndex?: number; axisValueLabel?: string; name?: string; value?: unknown; percent?: number; axisIndex?: number };

/** What hovering shows: the place on the axis and each trace's value with its unit. */
function tooltip(hovers: Record<string, Hover>, facets: Facet[]): Item {
  return {
    trigger: facets.some((f) => f.traces[0].type === "pie") ? "item" : "axis",
    formatter: (given: Param | Param[]) => {
      const all = Array.isArray(given) ? given : [given];
      const lines = all.flatMap((p) => {
        if (p.percent !== undefined) return [`${p.name}: ${String(p.value)} (${p.percent} %)`];
        const h = hovers[p.seriesId ?? ""];
        const value = h?.texts[p.dataIndex ?? -1] ?? plain(p.value);
        if (!h || h.name === "" || value === undefined) return [];
        const unit = facets[Number(String(p.seriesId).split(":")[0])]?.y.title ?? "";
        return [`${h.name}: ${value} ${unit}`.trim()];
      });
      return [all[0]?.axisValueLabel ?? "", ...lines].filter((l) => l !== "").join("\n");
    },
  };
}

function plain(v: unknown): string | undefined {
  const last: unknown = Array.isArray(v) ? v[v.length - 1] : v;
  return number(last);
}
