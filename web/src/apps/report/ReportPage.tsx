import { useState } from "react";
import { Link, useParams } from "wouter";
import { Badge, type Tone } from "../../parts/Badge";
import { TextDiff } from "../../parts/Diff";
import type { IconName } from "../../parts/Icon";
import { Empty, ErrorBox, Loaded, Notice } from "../../parts/states";
import { Time } from "../../parts/Time";
import { Draft, Source } from "./Draft";
import { Figure } from "./Figure";
import { Ratings } from "./Ratings";
import { Review } from "./Review";
import { Stopped } from "./Stopped";
import { useHas } from "../../hooks/session";
import { useReport, useSection, useWork } from "./hooks";
import { sentences } from "./text";
import type { Numeral, Report, Section } from "./types";
import "./report.css";

const looks: Record<string, [Tone, IconName, string]> = {
  empty: ["plain", "clock", "No draft"], draft: ["warn", "pencil", "Draft"], sent_back: ["info", "reply", "Sent back"], final: ["ok", "check", "Final"],
};

export function Status({ status }: { status: string }) {
  const [tone, icon, word] = looks[status] ?? looks.empty;
  return <Badge tone={tone} icon={icon}>{word}</Badge>;
}

/** A report: outline on the left, the draft in the middle, its charts on the right. */
export function ReportPage() {
  const { report = "", section } = useParams<{ report: string; section?: string }>();
  const query = useReport(report);
  return <Loaded query={query} lines={10}>{(r) => <Opened report={r} section={section ?? r.sections.find((s) => s.round > 0)?.id ?? r.sections[0].id} />}</Loaded>;
}

function Opened({ report, section }: { report: Report; section: string }) {
  const { draft } = useWork(report.id);
  const drafts = useHas("analyst", "admin");
  const page = useSection(report.id, section);
  const written = report.sections.filter((s) => s.round > 0).length;
  const final = report.sections.filter((s) => s.status === "final").length;
  return (
    <div className="stack">
      <div className="row between">
        <h2>{report.title}</h2>
        <span className="row">
          <span className="muted small">{written} of {report.sections.length} drafted, {final} final</span>
          {drafts && <button type="button" className="button small" disabled={draft.isPending || final === report.sections.length} title="Sections that are final stay as they are" onClick={() => draft.mutate([])}>Redraft all</button>}
          {["html", "pdf", "docx", "md"].map((f) => <a key={f} className="button quiet small" href={`/report/reports/${encodeURIComponent(report.id)}/file?format=${f}`} target="_blank" rel="noreferrer">{f.toUpperCase()}</a>)}
        </span>
      </div>
      {draft.error && <ErrorBox error={draft.error} />}
      {report.problems.map((p, i) => <Notice key={i} tone="warn">Line {p.line} of the outline ({p.section}): {p.message}</Notice>)}
      <div className="report-desk">
        <nav className="panel pad report-outline" aria-label="Sections">
          <ol>
            {report.sections.map((s) => (
              <li key={s.id} data-level={s.level}>
                <Link href={`/apps/report/r/${encodeURIComponent(report.id)}/${encodeURIComponent(s.id)}`} aria-current={s.id === section ? "page" : undefined}>{s.title}</Link>
                <Status status={s.status} />
              </li>
            ))}
          </ol>
        </nav>
        <Loaded query={page} lines={12}>{(s) => <SectionView key={s.id} report={report.id} section={s} />}</Loaded>
      </div>
      {page.data && <Ratings report={report.id} />}
    </div>
  );
}

/** Says why the last run of a section failed. */
export function LastRun({ failed }: { failed: Section["failed"] }) {
  return failed && <Notice tone="bad">The last run of this section failed. {failed.why} <Link href={`/runs/${encodeURIComponent(failed.run)}`}>See what it did</Link></Notice>;
}

function SectionView({ report, section }: { report: string; section: Section }) {
  const { draft } = useWork(report);
  const drafts = useHas("analyst", "admin");
  const [chosen, setChosen] = useState<number>();
  const [against, setAgainst] = useState<number>();
  const [picked, setPicked] = useState<Numeral>();
  const [chart, setChart] = useState<string>();
  const newest = section.rounds.at(-1);
  const round = section.rounds.find((r) => r.round === chosen) ?? newest;
  if (!round) {
    return (
      <section className="panel pad">
        <Empty icon="pencil" title="This section has no draft yet.">
          {drafts && <button type="button" className="button primary" disabled={draft.isPending} onClick={() => draft.mutate([section.id])}>Draft it</button>}
        </Empty>
        <LastRun failed={section.failed} />
        {draft.error && <ErrorBox error={draft.error} />}
      </section>
    );
  }
  const older = section.rounds.find((r) => r.round === against);
  const pick = (n: Numeral) => {
    setPicked(n);
    const owner = chartOf(n, section);
    if (owner) setChart(owner);
  };
  const shown = chart ?? section.charts[0]?.id;
  return (
    <>
      <section className="panel report-middle" aria-label={section.title}>
        <header className="row between">
          <h3>{section.title}</h3>
          <span className="row">
            <Status status={round.status} />
            <select className="input" aria-label="Round" value={round.round} onChange={(e) => { setChosen(Number(e.target.value)); setPicked(undefined); }}>
              {section.rounds.map((r) => <option key={r.round} value={r.round}>Round {r.round}</option>)}
            </select>
            {section.rounds.length > 1 && (
              <select className="input" aria-label="Compare with" value={against ?? ""} onChange={(e) => setAgainst(e.target.value === "" ? undefined : Number(e.target.value))}>
                <option value="">No comparison</option>
                {section.rounds.filter((r) => r.round !== round.round).map((r) => <option key={r.round} value={r.round}>Against round {r.round}</option>)}
              </select>
            )}
          </span>
        </header>
        <div className="body stack">
          <p className="muted small">{section.instructions}</p>
          {older ? <TextDiff before={sentences(older.text)} after={sentences(round.text)} /> : (
            <Draft round={round} picked={picked} onPick={pick} onFigure={(t) => setChart(figureOf(t, section))} />
          )}
          <p className="muted small">
            {round.verdict.faith.numerals.length} numerals, all resolved · prompt {round.prompt_version} · <Link href={`/runs/${encodeURIComponent(round.run)}`}>how it was written</Link> · <Link href={`/cases/${encodeURIComponent(round.case)}`}>case</Link> · <Time at={round.created} />
          </p>
          {(round.verdict.notes ?? []).length > 0 && (
            <div>
              <h4>Notes of the last review</h4>
              <ul className="report-notes">
                {round.verdict.notes?.map((n) => (
                  <li key={n.id}><Badge tone={n.closed ? "ok" : "warn"} icon={n.closed ? "check" : "clock"}>{n.closed ? "Closed" : "Open"}</Badge> {n.text}<span className="muted small"> {n.why}{n.quote ? ` “${short(n.quote)}”` : ""}</span></li>
                ))}
              </ul>
            </div>
          )}
          {round === newest && <LastRun failed={section.failed} />}
          <Stopped run={round.run} />
          {section.reviews.filter((r) => r.round === round.round).map((r) => (
            <Notice key={r.id} icon="pencil">{r.by} rated {Object.entries(r.ratings).map(([d, n]) => `${d.replace("_", " ")} ${n}`).join(", ") || "nothing"}. {r.notes}</Notice>
          ))}
          {round === newest && round.status === "sent_back" && drafts && (
            <div><button type="button" className="button" disabled={draft.isPending} onClick={() => draft.mutate([section.id])}>Write the next round</button></div>
          )}
          {draft.error && <ErrorBox error={draft.error} />}
          {round === newest && round.status !== "final" && <Review report={report} section={section} round={round} />}
        </div>
      </section>
      <aside className="stack report-right" aria-label="Charts and sources">
        {picked && <section className="panel pad"><Source n={picked} round={round} charts={section.evidence} /></section>}
        <section className="panel pad stack">
          <div className="field">
            <label htmlFor="report-chart">Chart ({section.charts_from === "map" ? "chosen by the map" : "chosen by relevance"})</label>
            <select id="report-chart" className="input" value={shown ?? ""} onChange={(e) => setChart(e.target.value)}>
              {section.charts.map((c) => <option key={c.id} value={c.id}>{c.title}</option>)}
            </select>
          </div>
          {shown ? <Figure key={shown} report={report} id={shown} picked={picked} /> : <Empty icon="chart" title="No chart belongs to this section." />}
        </section>
      </aside>
    </>
  );
}

function short(s: string): string {
  return s.length > 140 ? s.slice(0, 140) + "…" : s;
}

/** The chart that a numeral belongs to. */
function chartOf(n: Numeral, s: Section): string | undefined {
  if (n.resolved_to?.evidence) return s.evidence[n.resolved_to.evidence];
  const name = n.resolved_to?.computed;
  return name === undefined ? undefined : s.charts.find((c) => name.startsWith(c.id + " "))?.id;
}

/** The chart that a figure's target names. */
function figureOf(target: string, s: Section): string | undefined {
  const name = target.startsWith("chart:") ? target.slice(6) : target.replace(/^.*\//, "").replace(/\.png$/, "");
  return s.charts.find((c) => c.id === name || c.id.endsWith("/" + name))?.id;
}
