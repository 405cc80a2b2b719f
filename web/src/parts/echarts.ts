// The parts of ECharts that the console uses. Imported only when a chart is shown.
import { BarChart, HeatmapChart, LineChart, PieChart, RadarChart, ScatterChart } from "echarts/charts";
import {
  AriaComponent, DataZoomComponent, GridComponent, LegendComponent, MarkAreaComponent, MarkLineComponent,
  RadarComponent, TitleComponent, TooltipComponent, VisualMapComponent,
} from "echarts/components";
import * as core from "echarts/core";
import { SVGRenderer } from "echarts/renderers";

core.use([
  BarChart, HeatmapChart, LineChart, PieChart, RadarChart, ScatterChart,
  AriaComponent, DataZoomComponent, GridComponent, LegendComponent, MarkAreaComponent, MarkLineComponent,
  RadarComponent, TitleComponent, TooltipComponent, VisualMapComponent, SVGRenderer,
]);

export const init = core.init;
