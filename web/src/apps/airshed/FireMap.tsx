import { useMemo } from "react";
import { MapView, type MapArrow, type MapPoint, type MapPolygon } from "../../parts/MapView";
import { hoursOf, wedge, type Scene } from "./data";

/** More dots than this are thinned: the browser draws each one. */
const most = 1500;

/** The station, its radius, the fires that count and those that do not, and the way the air came. */
export function FireMap({ scene }: { scene: Scene }) {
  const { points, polygons, arrows, drawn } = useMemo(() => layers(scene), [scene]);
  const at = { lat: scene.station.latitude, lng: scene.station.longitude };
  const r = scene.rules;
  const count = scene.analysis?.correlation.fire_count ?? 0;
  const label = `${count} fires within ${r.fire_correlation_radius_km} km and ${hoursOf(r)} hours of ${scene.station.name}${drawn > 1 ? `; one in ${drawn} is drawn` : ""}`;
  return (
    <>
      <MapView label={label} height={520} points={points} polygons={polygons} arrows={arrows} circles={[{ ...at, km: r.fire_correlation_radius_km, label: `${r.fire_correlation_radius_km} km`, tone: "accent" }]} />
      <ul className="airshed-legend small muted" aria-label="Legend">
        <li><span className="dot bad" /> fire that counts</li>
        <li><span className="dot info" /> fire outside radius or window</li>
        <li><span className="dot accent square" /> station of the surge</li>
        <li><span className="dot ok square" /> other border station</li>
        <li><span className="wash" /> upwind sector and path of the air</li>
      </ul>
    </>
  );
}

function layers(s: Scene) {
  const drawn = Math.max(1, Math.ceil(s.fires.length / most));
  const points: MapPoint[] = s.fires
    .filter((_, i) => i % drawn === 0)
    .sort((a, b) => Number(a.counts) - Number(b.counts))
    .map((f) => ({ lat: f.latitude, lng: f.longitude, tone: f.counts ? "bad" : "info", size: f.counts ? 3 : 2, label: `${f.district || "unknown district"}, ${f.state || "no state"}: ${f.acq_date} ${f.acq_time}` }));
  for (const b of s.border_stations) if (b.name !== s.station.name) points.push({ lat: b.latitude, lng: b.longitude, tone: "ok", shape: "square", size: 4, label: `${b.name}, a border station` });
  const here = s.surge ?? s.station;
  points.push({ lat: here.latitude, lng: here.longitude, tone: "accent", shape: "square", size: 6, name: true, label: s.station.name });
  const polygons: MapPolygon[] = (s.outlines ?? []).map((ring) => ({ rings: [ring.map(([lng, lat]): [number, number] => [lat, lng])], label: "boundary", tone: "info" }));
  const arrows: MapArrow[] = [];
  const t = s.analysis?.transport;
  if (t && t.verdict !== "not_assessable" && s.surge) {
    polygons.push({ rings: [wedge(s.surge, t.from_degrees, t.sector_degrees, s.rules.fire_correlation_radius_km)], label: "Upwind sector", tone: "accent" });
    const path = t.path;
    for (let i = path.length - 1; i > 0; i -= 4) {
      const to = path[Math.max(0, i - 4)];
      arrows.push({ from: { lat: path[i].latitude, lng: path[i].longitude }, to: { lat: to.latitude, lng: to.longitude }, label: `Where the air was ${i} hours before the surge`, tone: "accent" });
    }
  }
  return { points, polygons, arrows, drawn };
}
