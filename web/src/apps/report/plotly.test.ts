import { expect, test } from "vitest";
import { legible, translate } from "./plotly";
import type { Plot, Trace } from "./types";

type Drawn = { id: string; type: string; name: string; data: unknown[]; stack?: string; stackStrategy?: string; xAxisIndex?: number; areaStyle?: { color: string }; lineStyle?: { color: string }; itemStyle?: { color: string } };
type Option = {
  series: Drawn[]; grid: unknown[]; title: { text: string }[]; legend?: { data: string[] };
  xAxis: { type: string; name?: string; data?: string[] }[]; yAxis: { type: string; name?: string; min?: number; max?: number; data?: string[] }[];
  tooltip: { formatter: (p: unknown) => string };
};

function draw(plot: Plot, columns = 2): Option {
  const d = translate(plot, columns);
  if (!d) throw new Error("nothing is drawn");
  return d.option as unknown as Option;
}

const area = (name: string, facet: string, y: number[], colour: string, more: Partial<Trace> = {}): Trace => ({
  type: "scatter", name, x: [2025, 2030, 2050], y, xaxis: `x${facet}`, yaxis: `y${facet}`, stackgroup: "positive",
  line: { color: colour, width: 0.1 }, fillcolor: colour, showlegend: facet === "", ...more,
});

/** Two scenarios as stacked areas in two subplots, shaped like a run's figures. */
const facets: Plot = {
  data: [
    { type: "scatter", name: "", mode: "markers", opacity: 0, x: [2025], y: [0], xaxis: "x2", yaxis: "y2", showlegend: false },
    area("Wind", "", [10, 20, 40], "rgb(0,148,133)"), area("Coal", "", [30, 15, 0], "rgb(0,63,92)"),
    area("Wind", "2", [10, 15, 25], "rgb(0,148,133)"), area("Coal", "2", [30, 25, 20], "rgb(0,63,92)"),
    { type: "scatter", name: "Net", mode: "lines+markers", x: [2025, 2050], y: [40, 45], xaxis: "x2", yaxis: "y2", line: { color: "yellow" }, marker: { size: 10, line: { color: "black", width: 1 } }, showlegend: false },
    { type: "scatter", name: "Net", mode: "lines+markers", x: [null], y: [null], showlegend: true, line: { color: "yellow" } },
  ],
  layout: {
    title: { text: "" },
    xaxis: { domain: [0, 0.45], title: { text: "Year" } }, yaxis: { domain: [0.55, 1], title: { text: "PJ" }, matches: "y" },
    ...{ xaxis2: { domain: [0.55, 1] }, yaxis2: { domain: [0.55, 1], title: { text: "PJ" }, matches: "y" } },
    annotations: [
      { text: "<b>House View</b><br>Generation", x: 0.775, y: 1.01 }, { text: "<b>1p5DS</b><br>Generation", x: 0.225, y: 1.01 },
      { text: "A remark", x: 1, y: -0.05 },
    ],
  },
};

test("R-080 series, values, stacking and colours come from the figure", () => {
  const o = draw(facets);
  expect(o.series.map((s) => [s.name, s.type, s.xAxisIndex, s.stack])).toEqual([
    ["Wind", "line", 0, "0 positive"], ["Coal", "line", 0, "0 positive"],
    ["Wind", "line", 1, "1 positive"], ["Coal", "line", 1, "1 positive"], ["Net", "line", 1, undefined],
  ]);
  expect(o.series[1].data).toEqual([[Date.UTC(2025, 0, 1), 30], [Date.UTC(2030, 0, 1), 15], [Date.UTC(2050, 0, 1), 0]]);
  expect(o.series[1].stackStrategy).toBe("all");
  expect(o.series[1].areaStyle?.color).toBe("rgb(0,63,92)");
  expect(o.series[4].lineStyle?.color).toBe("yellow");
});

test("R-080 axis titles, subplot titles, legend and one scale", () => {
  const o = draw(facets);
  expect(o.grid.length).toBe(2);
  expect(o.xAxis.map((a) => [a.type, a.name])).toEqual([["time", "Year"], ["time", ""]]);
  expect(o.yAxis.map((a) => [a.name, a.min, a.max])).toEqual([["PJ", 0, 45], ["PJ", 0, 45]]);
  expect(o.title.map((t) => t.text)).toEqual(["1p5DS", "House View"]);
  expect(o.legend?.data).toEqual(["Wind", "Coal", "Net"]);
  expect(translate(facets, 1)?.notes).toEqual(["A remark"]);
});

test("R-080 hovering names each trace with its unit", () => {
  const o = draw(facets);
  const text = o.tooltip.formatter([
    { seriesId: o.series[0].id, dataIndex: 2, axisValueLabel: "2050" }, { seriesId: o.series[1].id, dataIndex: 2, axisValueLabel: "2050" },
  ]);
  expect(text).toBe("2050\nWind: 40 PJ\nCoal: 0 PJ");
});

test("R-080 a waterfall stands on what came before and crosses zero", () => {
  const o = draw({
    data: [{ type: "waterfall", name: "1p5DS", x: ["Net 2025", "Power", "Land"], y: [400, -300, -170], measure: ["relative", "relative", "relative"], text: ["400", "-300", "-170"], increasing: { marker: { color: "red" } }, decreasing: { marker: { color: "navy" } } }],
    layout: { yaxis: { title: "Mt" } },
  });
  expect(o.series.map((s) => s.stack)).toEqual(["0:0", "0:0", "0:0"]);
  expect(o.series[0].data).toEqual([0, 100, 0]);
  expect(o.series[1].data.map((d) => (d as { value: number }).value)).toEqual([400, 300, 100]);
  expect(o.series[2].data.map((d) => Math.abs((d as { value: number }).value))).toEqual([0, 0, 70]);
  expect(o.series[1].data.map((d) => (d as { itemStyle: { color: string } }).itemStyle.color)).toEqual(["red", "navy", "navy"]);
  expect(o.xAxis[0].data).toEqual(["Net 2025", "Power", "Land"]);
  expect(o.tooltip.formatter([{ seriesId: "0:0:foot", dataIndex: 1 }, { seriesId: "0:0", dataIndex: 1, axisValueLabel: "Power" }, { seriesId: "0:0:below", dataIndex: 1 }])).toContain("1p5DS: -300 Mt");
});

test("R-080 bars stack, stand beside each other or lie on their side", () => {
  const bars: Trace[] = [
    { type: "bar", name: "A", x: ["p", "q"], y: [1, -2], marker: { color: "teal" } }, { type: "bar", name: "B", x: ["q"], y: [3] },
  ];
  const relative = draw({ data: bars, layout: { barmode: "relative" } });
  expect(relative.series.map((s) => [s.stack, s.stackStrategy])).toEqual([["0 bars", "samesign"], ["0 bars", "samesign"]]);
  expect(relative.series[1].data).toEqual([null, 3]);
  expect(relative.series[0].itemStyle?.color).toBe("teal");
  expect(draw({ data: bars }).series[0].stack).toBeUndefined();
  const lying = draw({ data: [{ type: "bar", name: "A", orientation: "h", y: ["p", "q"] as unknown as number[], x: [1, 2] }], layout: { xaxis: { title: "PJ" } } });
  expect([lying.xAxis[0].type, lying.yAxis[0].type, lying.xAxis[0].name]).toEqual(["value", "category", "PJ"]);
  expect(lying.series[0].data).toEqual([1, 2]);
});

test("R-080 pies, and figures that hold nothing to draw", () => {
  const o = draw({ data: [{ type: "pie", labels: ["a", "b"], values: [1, 3], hole: 0.5, marker: { colors: ["red", "blue"] } }] });
  expect(o.series[0].data).toEqual([{ name: "a", value: 1, itemStyle: { color: "red" } }, { name: "b", value: 3, itemStyle: { color: "blue" } }]);
  expect(translate({}, 1)).toBeUndefined();
  expect(translate({ data: [{ type: "scatter", opacity: 0, x: [1], y: [1] }] }, 1)).toBeUndefined();
});

test("colours can be told from a dark page", () => {
  expect(legible("rgb(0,29,52)")).toBe("rgb(115,131,143)");
  expect(legible("rgb(0,169,206)")).toBe("rgb(0,169,206)");
  expect(legible("yellow")).toBe("yellow");
});
