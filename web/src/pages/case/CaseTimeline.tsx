import { useState } from "react";
import { Link } from "wouter";
import type { Event } from "../../api/types";
import { evidencePath } from "../../parts/Numeral";
import { Empty } from "../../parts/states";
import { lookOf, Timeline, type Moment } from "../../parts/Timeline";
import { isDict } from "../../lib/shape";

/** Single steps of runs are for the run's own page. */
export function forPeople(e: Event): boolean {
  return e.kind !== "run.step";
}

/** The events of a case, with links to what they are about. */
export function CaseTimeline({ events, case: caseID, newestFirst }: { events: Event[]; case: string; newestFirst?: boolean }) {
  if (events.length === 0) return <Empty icon="clock" title="Nothing has happened yet." />;
  const moments = events.map((e): Moment => ({ key: String(e.seq), at: e.at, ...lookOf(e.kind), title: <EventText event={e} case={caseID} />, by: e.by }));
  return <Timeline moments={newestFirst ? moments.reverse() : moments} />;
}

/** The whole timeline; the single steps of runs only if somebody wants to see them. */
export function WholeTimeline({ events, case: caseID }: { events: Event[]; case: string }) {
  const [steps, setSteps] = useState(false);
  const hidden = events.length - events.filter(forPeople).length;
  return (
    <div className="stack">
      {hidden > 0 && <label className="check"><input type="checkbox" checked={steps} onChange={(e) => setSteps(e.target.checked)} /> Show the {hidden} single steps of runs too</label>}
      <CaseTimeline events={steps ? events : events.filter(forPeople)} case={caseID} />
    </div>
  );
}

function EventText({ event: e, case: caseID }: { event: Event; case: string }) {
  const data = isDict(e.data) ? e.data : {};
  const evidence = [data.evidence, data.id].find((v): v is string => typeof v === "string" && v.startsWith("ev-"));
  if (e.approval) return <Link href={`/inbox/${e.approval}`}>{e.text}</Link>;
  if (evidence) return <Link href={evidencePath(caseID, evidence)}>{e.text}</Link>;
  if (e.run) return <Link href={`/runs/${e.run}`}>{e.text}</Link>;
  return <span>{e.text}</span>;
}
