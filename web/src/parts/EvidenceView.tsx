import { lazy, Suspense, useState, type ReactNode } from "react";
import type { Evidence, View } from "../api/types";
import { words } from "../lib/format";
import { cell, columnsOf, isDict, nestedField, positionOf, rowsOf, spread, type Dict } from "../lib/shape";
import { Chart } from "./Chart";
import type { IconName } from "./Icon";
import { Icon } from "./Icon";
import { Fields, Json } from "./Json";
import { Loading } from "./states";
import { Table } from "./Table";
import { Time } from "./Time";

const MapView = lazy(() => import("./MapView").then((m) => ({ default: m.MapView })));

const names: Record<View, [string, IconName]> = {
  table: ["Table", "table"], chart: ["Chart", "chart"], map: ["Map", "map"], image: ["Image", "image"], text: ["Text", "doc"], json: ["JSON", "code"],
};

/** One entry of the ledger in the view its app names for its kind, and as JSON. */
export function EvidenceView({ evidence: e, view = "json", children }: { evidence: Evidence; view?: View; children?: ReactNode }) {
  const options = viewsFor(e.data, view);
  const [chosen, setChosen] = useState<View>();
  const shown = chosen && options.includes(chosen) ? chosen : options[0];
  return (
    <article className="evidence" aria-label={e.summary || e.kind}>
      <header className="row between top">
        <div className="grow">
          <h3>{e.summary || words(e.kind)}</h3>
          <SourceLine evidence={e} />
        </div>
        {options.length > 1 && (
          <div className="segmented" role="group" aria-label="View">
            {options.map((v) => (
              <button key={v} type="button" className="button small" aria-pressed={v === shown} onClick={() => setChosen(v)}>
                <Icon name={names[v][1]} size={14} /> {names[v][0]}
              </button>
            ))}
          </div>
        )}
      </header>
      <div className="evidence-body">{show(shown, e)}</div>
      {children}
    </article>
  );
}

/** Where an entry came from and when it was read. */
export function SourceLine({ evidence: e }: { evidence: Evidence }) {
  const isURL = /^https?:\/\//.test(e.source.locator);
  return (
    <p className="muted small row">
      <span>Source: <strong>{e.source.system}</strong></span>
      {e.source.locator && (isURL ? <a className="break" href={e.source.locator} rel="noreferrer noopener" target="_blank">{e.source.locator}</a> : <code className="break">{e.source.locator}</code>)}
      <span>read <Time at={e.source.fetched} /></span>
    </p>
  );
}

/** The views that can show this data, the wished one first. */
export function viewsFor(data: unknown, wished: View): View[] {
  const can: View[] = wished === "chart" && !drawable(data) ? [] : [wished];
  if (rowsOf(data) || (isDict(data) && !can.includes("table"))) can.push("table");
  if (pointsOf(data).length > 0) can.push("map");
  can.push("json");
  return [...new Set(can)];
}

/** Whether there is anything to put on an axis. */
function drawable(data: unknown): boolean {
  return rowsOf(data) !== undefined || (isDict(data) && Object.values(data).some((v) => typeof v === "number"));
}

function show(view: View, e: Evidence): ReactNode {
  switch (view) {
    case "table":
      return <TableOf data={e.data} caption={e.summary || e.kind} />;
    case "chart":
      return <ChartOf data={e.data} label={e.summary || e.kind} />;
    case "map":
      return <Suspense fallback={<Loading lines={8} />}><MapView label={e.summary || e.kind} points={pointsOf(e.data)} /></Suspense>;
    case "image":
      return <ImageOf data={e.data} alt={e.summary || e.kind} />;
    case "text":
      return <TextOf data={e.data} />;
    case "json":
      return <Json value={e.data} label={e.summary || e.kind} />;
  }
}

function TableOf({ data, caption }: { data: unknown; caption: string }) {
  const found = rowsOf(data);
  if (!found) return isDict(data) ? <Fields value={data} /> : <Json value={data} />;
  const rows = spread(found.rows);
  const numeric = (c: string) => rows.every((r) => r[c] === undefined || r[c] === null || typeof r[c] === "number");
  return (
    <div className="stack">
      {Object.keys(found.beside).length > 0 && <Fields value={found.beside} />}
      <Table
        figures
        caption={caption}
        rows={rows}
        rowKey={(_, i) => String(i)}
        limit={50}
        columns={orderly(columnsOf(rows)).map((c) => ({
          key: c, title: words(c), align: numeric(c) ? "right" : "left",
          show: (r: Dict) => <Short text={cell(r[c])} />,
          sort: (r: Dict) => (typeof r[c] === "number" ? (r[c] as number) : cell(r[c])),
        }))}
      />
    </div>
  );
}

/** Columns named by words first: JavaScript puts those named by numbers, such as years, in front. */
function orderly(columns: string[]): string[] {
  const isNumber = (c: string) => /^\d+$/.test(c);
  return [...columns.filter((c) => !isNumber(c)), ...columns.filter(isNumber)];
}

/** Short texts stay on one line. */
function Short({ text }: { text: string }) {
  return text.length <= 24 ? <span className="nowrap">{text}</span> : <>{text}</>;
}

function ChartOf({ data, label }: { data: unknown; label: string }) {
  const found = rowsOf(data);
  if (!found) return isDict(data) && drawable(data) ? <BarsOf data={data} label={label} /> : <Json value={data} />;
  const nested = nestedField(found.rows);
  if (nested !== undefined) return <LinesOf rows={found.rows} field={nested} label={label} />;
  const columns = columnsOf(found.rows);
  const x = columns.find((c) => found.rows.every((r) => typeof r[c] === "string")) ?? columns[0];
  const ys = columns.filter((c) => c !== x && found.rows.some((r) => typeof r[c] === "number")).slice(0, 6);
  return (
    <Chart
      label={label}
      x={found.rows.map((r) => shortTime(cell(r[x])))}
      series={ys.map((y) => ({ name: words(y), values: found.rows.map((r) => (typeof r[y] === "number" ? (r[y] as number) : null)) }))}
    />
  );
}

/** One line for each row, along the keys of the field that holds its values. */
function LinesOf({ rows, field, label }: { rows: Dict[]; field: string; label: string }) {
  const x = [...new Set(rows.flatMap((r) => Object.keys(r[field] as Dict)))];
  const texts = columnsOf(rows).filter((c) => c !== field && rows.every((r) => typeof r[c] === "string") && new Set(rows.map((r) => r[c])).size > 1);
  const series = rows.slice(0, 6).map((r, i) => ({
    name: texts.map((c) => String(r[c])).join(", ") || `Row ${i + 1}`,
    values: x.map((k) => { const v = (r[field] as Dict)[k]; return typeof v === "number" ? v : null; }),
  }));
  return <Chart label={rows.length > series.length ? `${label} (the first ${series.length} of ${rows.length} rows)` : label} x={x} series={series} />;
}

function BarsOf({ data, label }: { data: Dict; label: string }) {
  const entries = Object.entries(data).filter((e): e is [string, number] => typeof e[1] === "number");
  return <Chart label={label} x={entries.map(([k]) => words(k))} series={[{ name: "Value", kind: "bar", values: entries.map(([, v]) => v) }]} />;
}

function shortTime(text: string): string {
  const m = /^\d{4}-(\d{2}-\d{2})T(\d{2}:\d{2})/.exec(text);
  return m ? `${m[1]} ${m[2]}` : text;
}

function pointsOf(data: unknown) {
  const rows = rowsOf(data)?.rows ?? (isDict(data) ? [data] : []);
  return rows.flatMap((r) => {
    const at = positionOf(r);
    if (!at) return [];
    const name = ["name", "title", "label", "id"].map((k) => r[k]).find((v) => typeof v === "string");
    return [{ ...at, label: typeof name === "string" ? name : `${at.lat.toFixed(3)}, ${at.lng.toFixed(3)}`, name: rows.length <= 12 }];
  });
}

function ImageOf({ data, alt }: { data: unknown; alt: string }) {
  const d = isDict(data) ? data : {};
  const direct = [d.url, d.src, d.href].find((v): v is string => typeof v === "string" && /^(\/|data:image\/)/.test(v));
  const raw = [d.base64, d.data].find((v): v is string => typeof v === "string");
  const src = direct ?? (raw ? `data:${typeof d.mime === "string" ? d.mime : "image/png"};base64,${raw}` : undefined);
  if (!src) return <Json value={data} />;
  return <img className="evidence-image" src={src} alt={alt} loading="lazy" />;
}

function TextOf({ data }: { data: unknown }) {
  if (typeof data === "string") return <div className="prose prewrap">{data}</div>;
  if (!isDict(data)) return <Json value={data} />;
  const entry = Object.entries(data).find(([k, v]) => typeof v === "string" && ["text", "body", "content", "markdown", "prose", "message"].includes(k));
  if (!entry) return <Fields value={data} />;
  const { [entry[0]]: _, ...beside } = data;
  return (
    <div className="stack">
      {Object.keys(beside).length > 0 && <Fields value={beside} />}
      <div className="prose prewrap">{entry[1] as string}</div>
    </div>
  );
}
