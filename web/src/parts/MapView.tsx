import { useId, useMemo, useRef, useState, type KeyboardEvent, type PointerEvent } from "react";
import { number } from "../lib/format";
import { Icon } from "./Icon";

export type Tone = "accent" | "ok" | "warn" | "bad" | "info";
export type LatLng = { lat: number; lng: number };
export type MapPoint = LatLng & { id?: string; label: string; tone?: Tone; size?: number; shape?: "dot" | "square" | "cross"; name?: boolean };
export type MapCircle = LatLng & { km: number; label: string; tone?: Tone };
export type MapPolygon = { rings: [lat: number, lng: number][][]; label: string; tone?: Tone; id?: string; fill?: string };
export type MapArrow = { from: LatLng; to: LatLng; label: string; tone?: Tone };

type Props = {
  /** What the map shows, in a sentence. */
  label: string;
  points?: MapPoint[];
  circles?: MapCircle[];
  polygons?: MapPolygon[];
  arrows?: MapArrow[];
  height?: number;
  /** Called with the id of a point or polygon that was chosen. */
  onSelect?: (id: string) => void;
  selected?: string;
};

const kmPerDegree = 111.195;
type Box = { left: number; right: number; top: number; bottom: number };

/**
 * A map without tiles: points, circles, polygons and arrows by latitude and
 * longitude, with a grid and a scale. Drag to move it, or use the buttons.
 */
export function MapView(props: Props) {
  const { label, points = [], circles = [], polygons = [], arrows = [], height = 380, onSelect, selected } = props;
  const frame = useId();
  const [zoom, setZoom] = useState(1);
  const [shift, setShift] = useState({ x: 0, y: 0 });
  const drag = useRef<{ x: number; y: number; sx: number; sy: number }>(undefined);
  const svg = useRef<SVGSVGElement>(null);
  const width = 800;

  const fit = useMemo(() => extent(props), [props.points, props.circles, props.polygons, props.arrows]);
  const middle = (fit.top + fit.bottom) / 2;
  const squeeze = Math.max(0.2, Math.cos((middle * Math.PI) / 180));
  const scale = Math.min((width - 60) / ((fit.right - fit.left) * squeeze), (height - 60) / (fit.top - fit.bottom)) * zoom;
  const cx = (fit.left + fit.right) / 2;
  const px = (lng: number) => width / 2 + (lng - cx) * squeeze * scale + shift.x;
  const py = (lat: number) => height / 2 - (lat - middle) * scale + shift.y;
  const km = (n: number) => (n / kmPerDegree) * scale;

  const grab = (e: PointerEvent) => {
    drag.current = { x: e.clientX, y: e.clientY, sx: shift.x, sy: shift.y };
  };
  const move = (e: PointerEvent) => {
    const d = drag.current;
    if (!d || !svg.current) return;
    const ratio = width / svg.current.clientWidth;
    setShift({ x: d.sx + (e.clientX - d.x) * ratio, y: d.sy + (e.clientY - d.y) * ratio });
  };
  const zoomBy = (f: number) => {
    const next = Math.min(40, Math.max(0.5, zoom * f));
    setShift({ x: (shift.x * next) / zoom, y: (shift.y * next) / zoom });
    setZoom(next);
  };
  const pick = (id: string | undefined) =>
    onSelect && id !== undefined
      ? {
          tabIndex: 0, role: "button", onClick: () => onSelect(id),
          onKeyDown: (e: KeyboardEvent) => (e.key === "Enter" || e.key === " ") && (e.preventDefault(), onSelect(id)),
        }
      : {};

  return (
    <figure className="map">
      <div className="map-box">
        <svg ref={svg} viewBox={`0 0 ${width} ${height}`} role="group" aria-label={label} onPointerDown={grab} onPointerMove={move} onPointerUp={() => (drag.current = undefined)} onPointerLeave={() => (drag.current = undefined)}>
          <defs>
            <marker id={`${frame}-head`} viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" markerHeight="7" orient="auto-start-reverse"><path d="M0 0 10 5 0 10z" fill="context-stroke" /></marker>
          </defs>
          <Graticule box={fit} px={px} py={py} width={width} height={height} step={gridStep(scale)} />
          {polygons.map((p, i) => (
            <path key={i} className={`map-area ${p.tone ?? "info"}`} data-on={p.id !== undefined && p.id === selected} style={p.fill ? { fill: p.fill, fillOpacity: 0.55 } : undefined} d={p.rings.map((ring) => "M" + ring.map(([lat, lng]) => `${px(lng).toFixed(1)} ${py(lat).toFixed(1)}`).join("L") + "Z").join("")} fillRule="evenodd" aria-label={p.label} {...pick(p.id)}><title>{p.label}</title></path>
          ))}
          {circles.map((c, i) => (
            <circle key={i} className={`map-circle ${c.tone ?? "accent"}`} cx={px(c.lng)} cy={py(c.lat)} r={Math.max(2, km(c.km))}><title>{c.label}</title></circle>
          ))}
          {arrows.map((a, i) => (
            <line key={i} className={`map-arrow ${a.tone ?? "accent"}`} x1={px(a.from.lng)} y1={py(a.from.lat)} x2={px(a.to.lng)} y2={py(a.to.lat)} markerEnd={`url(#${frame}-head)`}><title>{a.label}</title></line>
          ))}
          {points.map((p, i) => (
            <g key={i} className={`map-point ${p.tone ?? "accent"}`} data-on={p.id !== undefined && p.id === selected} transform={`translate(${px(p.lng).toFixed(1)} ${py(p.lat).toFixed(1)})`} aria-label={p.label} {...pick(p.id)}>
              <title>{p.label}</title>
              <Mark shape={p.shape} size={p.size ?? 5} />
              {p.name && <text x={(p.size ?? 5) + 4} y={4}>{p.label}</text>}
            </g>
          ))}
          <ScaleBar height={height} kmSize={km(1)} />
        </svg>
        <div className="map-tools">
          <button type="button" className="button icon small" aria-label="Zoom in" onClick={() => zoomBy(1.5)}><Icon name="plus" /></button>
          <button type="button" className="button icon small" aria-label="Zoom out" onClick={() => zoomBy(1 / 1.5)}><Icon name="minus" /></button>
          <button type="button" className="button small" onClick={() => { setZoom(1); setShift({ x: 0, y: 0 }); }}>Fit</button>
        </div>
      </div>
      <figcaption className="muted small">{label}</figcaption>
    </figure>
  );
}

function Mark({ shape = "dot", size }: { shape?: MapPoint["shape"]; size: number }) {
  if (shape === "square") return <rect x={-size} y={-size} width={size * 2} height={size * 2} />;
  if (shape === "cross") return <path className="stroke" d={`M${-size} ${-size}L${size} ${size}M${size} ${-size}L${-size} ${size}`} />;
  return <circle r={size} />;
}

type GridProps = { box: Box; px: (n: number) => number; py: (n: number) => number; width: number; height: number; step: number };

function Graticule({ box, px, py, width, height, step }: GridProps) {
  const from = (n: number) => Math.floor(n / step) - 40;
  const lines = (lo: number, at: (n: number) => number, max: number) =>
    Array.from({ length: 120 }, (_, i) => (from(lo) + i) * step).filter((v) => at(v) > -1 && at(v) < max + 1);
  const digits = step < 0.1 ? 2 : step < 1 ? 1 : 0;
  return (
    <g className="map-grid" aria-hidden="true">
      {lines(box.left, px, width).map((v) => (
        <g key={`x${v}`}><line x1={px(v)} x2={px(v)} y1={0} y2={height} /><text x={px(v) + 3} y={12}>{Math.abs(v).toFixed(digits)}° {v < 0 ? "W" : "E"}</text></g>
      ))}
      {lines(box.bottom, py, height).map((v) => (
        <g key={`y${v}`}><line x1={0} x2={width} y1={py(v)} y2={py(v)} /><text x={4} y={py(v) - 3}>{Math.abs(v).toFixed(digits)}° {v < 0 ? "S" : "N"}</text></g>
      ))}
    </g>
  );
}

function ScaleBar({ height, kmSize }: { height: number; kmSize: number }) {
  const steps = [0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000];
  const km = steps.findLast((s) => s * kmSize < 130) ?? 0.1;
  const w = km * kmSize;
  return (
    <g className="map-scale" transform={`translate(14 ${height - 14})`} aria-hidden="true">
      <path d={`M0 -5V0H${w}V-5`} />
      <text x={w + 6} y={0}>{number(km)} km</text>
    </g>
  );
}

function gridStep(scale: number): number {
  return [0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 20, 30].find((s) => s * scale > 90) ?? 45;
}

function extent({ points = [], circles = [], polygons = [], arrows = [] }: Props): Box {
  const lats: number[] = [];
  const lngs: number[] = [];
  const add = (lat: number, lng: number) => {
    lats.push(lat);
    lngs.push(lng);
  };
  for (const p of points) add(p.lat, p.lng);
  for (const a of arrows) {
    add(a.from.lat, a.from.lng);
    add(a.to.lat, a.to.lng);
  }
  for (const c of circles) {
    const d = c.km / kmPerDegree;
    const dx = d / Math.max(0.2, Math.cos((c.lat * Math.PI) / 180));
    add(c.lat - d, c.lng - dx);
    add(c.lat + d, c.lng + dx);
  }
  for (const p of polygons) for (const ring of p.rings) for (const [lat, lng] of ring) add(lat, lng);
  if (lats.length === 0) return { left: -180, right: 180, bottom: -60, top: 75 };
  const lo = (v: number[]) => v.reduce((a, b) => Math.min(a, b));
  const hi = (v: number[]) => v.reduce((a, b) => Math.max(a, b));
  const pad = (a: number, b: number): [number, number] => (b - a < 0.02 ? [(a + b) / 2 - 0.02, (a + b) / 2 + 0.02] : [a, b]);
  const [bottom, top] = pad(lo(lats), hi(lats));
  const [left, right] = pad(lo(lngs), hi(lngs));
  return { left, right, bottom, top };
}
