import type { AxisSpec, Plot, Trace } from "./types";

/** The x axis of a subplot: what ECharts is told, and where a trace's points lie. */
export type Along = {
  title: string;
  option: Record<string, unknown>;
  names: string[];
  pairs: (t: Trace) => (number | string | null)[][];
};

/** One subplot of a figure, with the traces drawn in it. */
export type Facet = { title: string; traces: Trace[]; x: Along; y: { title: string; range: { min?: number; max?: number } } };

/** The subplots of a figure in the order of the page, and the remarks that belong to none. */
export function readFacets(plot: Plot): { facets: Facet[]; notes: string[] } {
  const groups = new Map<string, Trace[]>();
  for (const t of plot.data ?? []) {
    const trace = { ...t, type: t.type ?? "scatter" };
    if (!shows(trace)) continue;
    // Several waterfalls or pies cannot share axes; each has a subplot of its own.
    const own = trace.type === "waterfall" || trace.type === "pie" ? ` ${trace.name ?? groups.size}` : "";
    const key = `${t.xaxis ?? "x"} ${t.yaxis ?? "y"}${own}`;
    groups.set(key, [...(groups.get(key) ?? []), trace]);
  }
  const placed = [...groups.entries()].map(([key, traces], i) => ({ key, traces, i, ...place(plot, key) }));
  placed.sort((a, b) => b.top - a.top || a.left - b.left || a.i - b.i);
  const { titles, notes } = readTitles(plot, placed);
  const facets = placed.map(({ key, traces, i }) => {
    const [x, y] = key.split(" ");
    const own = traces[0].type === "waterfall" || traces[0].type === "pie" ? (traces[0].name ?? "") : "";
    return {
      title: titles.get(i) ?? own, traces,
      x: along(traces, axisOf(plot, x)), y: { title: readAxis((axisOf(plot, y) ?? axisOf(plot, "y"))?.title), range: rangeOf(plot, y) },
    };
  });
  return { facets: sameScale(plot, facets, placed.map((p) => p.key.split(" ")[1])), notes };
}

/** Traces that only carry a legend entry or an axis are not drawn. */
function shows(t: Trace): boolean {
  if (t.visible === false || t.visible === "legendonly" || t.opacity === 0) return false;
  if (t.type === "pie") return (t.values ?? []).length > 0;
  return (t.y ?? t.x ?? []).some((v) => v !== null);
}

type Placed = { key: string; i: number; left: number; right: number; top: number; bottom: number };

function place(plot: Plot, key: string): Omit<Placed, "key" | "i"> {
  const [x, y] = key.split(" ");
  const h = axisOf(plot, x)?.domain ?? [0, 1], v = axisOf(plot, y)?.domain ?? [0, 1];
  return { left: h[0], right: h[1], bottom: v[0], top: v[1] };
}

/** "x3" is layout.xaxis3. */
function axisOf(plot: Plot, name: string): AxisSpec | undefined {
  return plot.layout?.[`${name[0]}axis${name.slice(1)}` as "xaxis"];
}

/** The text of a title, which may be a string or an object. */
export function readAxis(title: unknown): string {
  const text = typeof title === "string" ? title : title && typeof title === "object" && "text" in title ? String(title.text ?? "") : "";
  return clean(text);
}

function clean(text: string): string {
  const list = /^\[(.*)\]$/.exec(text); // several units, as Python prints a list
  const plain = list ? list[1].replace(/['"]/g, "").trim().replace(/\s+/g, " and ") : text;
  return plain.replace(/<br\s*\/?>/g, "\n").replace(/<[^>]*>/g, "").trim();
}

/** Gives each subplot the annotation above it; what is left is a remark. */
function readTitles(plot: Plot, placed: Placed[]): { titles: Map<number, string>; notes: string[] } {
  const titles = new Map<number, string>(), notes: string[] = [];
  const lost: string[] = [];
  for (const a of plot.layout?.annotations ?? []) {
    const text = clean(a.text ?? "");
    if (text === "" || a.visible === false) continue;
    const { x, y } = a;
    if (x === undefined || y === undefined) {
      lost.push(text);
      continue;
    }
    const owner = placed.find((p) => x > p.left && x < p.right && Math.abs(y - p.top) < 0.06 && !titles.has(p.i));
    if (owner) titles.set(owner.i, head(text));
    else notes.push(text);
  }
  // Annotations without a place follow the order of the subplots.
  placed.filter((p) => !titles.has(p.i)).sort((a, b) => a.i - b.i).forEach((p, n) => { if (lost[n]) titles.set(p.i, head(lost[n])); });
  return { titles, notes: [...notes, ...lost.slice(placed.length)] };
}

/** The first line of a title, without the chart's own name behind a colon. */
function head(text: string): string {
  return text.split("\n")[0].replace(/: .*$/, "");
}

/** Reads the x axis that some traces share. */
function along(traces: Trace[], axis: AxisSpec | undefined): Along {
  const sideways = traces.some((t) => t.type === "bar" && t.orientation === "h");
  const all = traces.flatMap((t) => (sideways ? t.y : t.x) ?? []).filter((x) => x !== null);
  const title = readAxis(axis?.title);
  const names = [...new Set(all.map(String))];
  const rotate = axis?.tickangle ?? (names.some((n) => n.length > 12) ? 45 : 0);
  const label = { rotate: Math.abs(rotate), fontSize: axis?.tickfont?.size === undefined ? undefined : Math.min(axis.tickfont.size, 11) };
  const bars = traces.some((t) => t.type === "bar" || t.type === "waterfall");
  if (!bars && all.length > 0 && all.every((x) => typeof x === "number")) return yearly(traces, all as number[], title);
  return {
    title, names, option: { type: "category", data: names, name: sideways ? undefined : title, nameLocation: "middle", nameGap: 28, axisLabel: { ...label, interval: bars && names.length < 16 ? 0 : "auto" } },
    pairs: (t) => (t.x ?? []).map((x, i) => [String(x), t.y?.[i] ?? null]),
  };
}

/**
 * An axis of numbers, drawn as time so that stacked areas add up along y and uneven
 * steps keep their distance. Traces of a stack are given every place on the axis.
 */
function yearly(traces: Trace[], all: number[], title: string): Along {
  const places = [...new Set(all)].sort((a, b) => a - b);
  const years = places.every((n) => Number.isInteger(n) && n > 1800 && n < 2300);
  const at = (n: number) => (years ? Date.UTC(n, 0, 1) : n);
  const stacked = traces.some((t) => t.stackgroup !== undefined);
  return {
    title, names: places.map(String),
    option: {
      type: years ? "time" : "value", name: title, nameLocation: "middle", nameGap: 28, min: at(places[0]), max: at(places[places.length - 1]),
      axisLabel: years ? { formatter: "{yyyy}", hideOverlap: true } : undefined, axisPointer: years ? { label: { formatter: "{yyyy}" } } : undefined,
    },
    pairs: (t) => {
      if (!stacked || t.stackgroup === undefined) return (t.x ?? []).map((x, i) => [at(Number(x)), t.y?.[i] ?? null]);
      const known = new Map((t.x ?? []).map((x, i) => [Number(x), t.y?.[i] ?? null]));
      return places.map((n) => [at(n), known.get(n) ?? 0]);
    },
  };
}

function rangeOf(plot: Plot, y: string): { min?: number; max?: number } {
  const r = axisOf(plot, y)?.range;
  return Array.isArray(r) && r.length === 2 && r.every((v) => typeof v === "number") ? { min: r[0], max: r[1] } : {};
}

/** Subplots whose axes match, or of which there are several, are drawn to one scale. */
function sameScale(plot: Plot, facets: Facet[], axes: string[]): Facet[] {
  const matched = axes.map((y) => axisOf(plot, y)?.matches !== undefined || axisOf(plot, y) === undefined);
  const open = facets.filter((f, i) => matched[i] && f.y.range.min === undefined && f.traces[0].type !== "pie" && f.traces[0].type !== "waterfall");
  if (open.length < 2) return facets;
  const [lo, hi] = open.map(extent).reduce(([a, b], [c, d]) => [Math.min(a, c), Math.max(b, d)]);
  const step = 10 ** Math.floor(Math.log10(Math.max(hi - lo, 1e-9))) / 2;
  const range = { min: Math.floor(lo / step) * step, max: Math.ceil(hi / step) * step };
  return facets.map((f) => (open.includes(f) ? { ...f, y: { ...f.y, range } } : f));
}

/** The lowest and highest point of a subplot, stacks added up. */
function extent(f: Facet): [number, number] {
  const sums = new Map<string, number>();
  const ends: number[] = [0];
  for (const t of f.traces) {
    (t.y ?? []).forEach((v, i) => {
      if (typeof v !== "number") return;
      if (t.stackgroup === undefined) {
        ends.push(v);
        return;
      }
      const key = `${t.stackgroup} ${String(t.x?.[i])}`;
      const sum = (sums.get(key) ?? 0) + v;
      sums.set(key, sum);
      ends.push(sum);
    });
  }
  return [Math.min(...ends), Math.max(...ends)];
}
