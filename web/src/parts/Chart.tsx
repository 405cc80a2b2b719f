import type { EChartsCoreOption, EChartsType } from "echarts/core";
import { useEffect, useRef, useState } from "react";
import { useTheme } from "../hooks/theme";
import { Icon } from "./Icon";
import { Table } from "./Table";

/** One line or set of bars: a value for each x, null where there is none. */
export type Series = { name: string; values: (number | null)[]; kind?: "line" | "bar" | "scatter"; dashed?: boolean };

type Props = {
  /** What the chart shows, in a sentence; read out instead of the picture. */
  label: string;
  height?: number;
  /** The simple way: values along x. */
  x?: (string | number)[];
  series?: Series[];
  /** A horizontal line such as a threshold. */
  limits?: { name: string; at: number }[];
  unit?: string;
  stacked?: boolean;
  /** The ends of the scale, where values cannot go beyond them. */
  range?: [least: number, most: number];
  /** The full way: an ECharts option. Colours and fonts are set for it. */
  option?: EChartsCoreOption;
};

/** A chart. ECharts is fetched when the first one is shown; its place is held meanwhile. */
export function Chart(props: Props) {
  const { label, height = 260, x, series } = props;
  const box = useRef<HTMLDivElement>(null);
  const chart = useRef<EChartsType>(undefined);
  const { shown } = useTheme();
  const [asTable, setAsTable] = useState(false);
  const [failed, setFailed] = useState(false);
  const text = JSON.stringify([props.x, props.series, props.limits, props.unit, props.stacked, props.range, props.option]);

  useEffect(() => {
    const el = box.current;
    if (!el || asTable) return;
    let gone = false;
    const watcher = new ResizeObserver(() => chart.current?.resize());
    void import("./echarts").then(
      ({ init }) => {
        if (gone) return;
        chart.current = init(el, undefined, { renderer: "svg" });
        chart.current.setOption(optionOf(props, el));
        watcher.observe(el);
      },
      () => setFailed(true),
    );
    return () => {
      gone = true;
      watcher.disconnect();
      chart.current?.dispose();
      chart.current = undefined;
    };
    // text stands for every prop that the option is made from.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [text, shown, asTable]);

  return (
    <figure className="chart">
      {asTable && x && series ? (
        <ChartTable label={label} x={x} series={series} />
      ) : failed ? (
        <p className="muted">The chart could not be fetched. Load the page again.</p>
      ) : (
        <div ref={box} role="img" aria-label={label} style={{ height }} />
      )}
      <figcaption className="row between">
        <span className="muted small">{label}</span>
        {x && series && (
          <button type="button" className="button quiet small" aria-pressed={asTable} onClick={() => setAsTable(!asTable)}>
            <Icon name={asTable ? "chart" : "table"} size={14} /> {asTable ? "Show chart" : "Show table"}
          </button>
        )}
      </figcaption>
    </figure>
  );
}

function ChartTable({ label, x, series }: { label: string; x: (string | number)[]; series: Series[] }) {
  const rows = x.map((v, i) => ({ x: v, values: series.map((s) => s.values[i]) }));
  return (
    <Table
      caption={label}
      rows={rows}
      rowKey={(_, i) => String(i)}
      columns={[
        { key: "x", title: "" },
        ...series.map((s, i) => ({ key: s.name, title: s.name, align: "right" as const, show: (r: (typeof rows)[number]) => r.values[i] ?? "–" })),
      ]}
    />
  );
}

function optionOf(p: Props, el: HTMLElement): EChartsCoreOption {
  const css = getComputedStyle(el);
  const v = (name: string) => css.getPropertyValue(name).trim();
  const axis = {
    axisLine: { lineStyle: { color: v("--line-strong") } },
    axisLabel: { color: v("--muted"), hideOverlap: true },
    splitLine: { lineStyle: { color: v("--line") } },
    nameTextStyle: { color: v("--muted") },
  };
  const base: EChartsCoreOption = {
    animation: false,
    color: [1, 2, 3, 4, 5, 6].map((n) => v(`--chart-${n}`)),
    textStyle: { fontFamily: v("--font"), color: v("--ink") },
    tooltip: {
      trigger: "axis", renderMode: "richText", confine: true,
      backgroundColor: v("--raised"), borderColor: v("--line-strong"), textStyle: { color: v("--ink"), fontSize: 12 },
    },
  };
  if (p.option) return { ...base, ...themed(p.option, axis, v("--ink")), tooltip: { ...(base.tooltip as object), ...(p.option.tooltip as object | undefined) } };
  const series = p.series ?? [];
  return {
    ...base,
    grid: { left: 8, right: 16, top: series.length > 1 ? 34 : p.unit ? 28 : 14, bottom: 6, containLabel: true },
    legend: series.length > 1 ? { type: "scroll", pageTextStyle: { color: v("--muted") }, pageIconColor: v("--ink"), pageIconInactiveColor: v("--line-strong"), top: 0, left: 0, textStyle: { color: v("--ink") } } : undefined,
    xAxis: { type: "category", data: p.x, ...axis, splitLine: { show: false } },
    yAxis: { type: "value", name: p.unit, min: p.range?.[0], max: p.range?.[1], scale: series.every((s) => s.kind !== "bar"), ...axis },
    series: series.map((s, i) => ({
      name: s.name, type: s.kind ?? "line", data: s.values, showSymbol: s.values.length < 40, symbolSize: s.kind === "scatter" ? 9 : 5,
      stack: p.stacked ? "all" : undefined, lineStyle: s.dashed ? { type: "dashed" } : undefined, barMaxWidth: 36,
      markLine: i === 0 && p.limits?.length ? {
        symbol: "none", silent: true, label: { formatter: "{b}", color: v("--ink"), position: "insideEndTop" },
        lineStyle: { color: v("--bad"), type: "dashed" }, data: p.limits.map((l) => ({ name: l.name, yAxis: l.at })),
      } : undefined,
    })),
  };
}

type Axis = { axisLabel?: object };

/** Gives the axes, titles and legend of an option the theme's colours. */
function themed(option: EChartsCoreOption, axis: Axis, ink: string): EChartsCoreOption {
  const out: Record<string, unknown> = { ...option };
  for (const name of ["xAxis", "yAxis"]) {
    const given = out[name];
    if (Array.isArray(given)) out[name] = given.map((a: Axis) => ({ ...axis, ...a, axisLabel: { ...axis.axisLabel, ...a.axisLabel } }));
    else if (given && typeof given === "object") out[name] = { ...axis, ...given };
  }
  if (Array.isArray(out.title)) {
    out.title = out.title.map((t: { textStyle?: object }) => ({ ...t, textStyle: { color: ink, ...t.textStyle } }));
  }
  if (out.legend && typeof out.legend === "object") out.legend = { textStyle: { color: ink }, ...out.legend };
  return out;
}
