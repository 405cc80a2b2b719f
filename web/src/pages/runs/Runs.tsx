import { useId, useState } from "react";
import { Link, useLocation } from "wouter";
import type { Run, RunStatus } from "../../api/types";
import { useApps, useAppTitle } from "../../hooks/apps";
import { useRuns } from "../../hooks/runs";
import { isZero, span, words } from "../../lib/format";
import { useQueryState } from "../../lib/query";
import { RunBadge } from "../../parts/Badge";
import { Icon } from "../../parts/Icon";
import { Page } from "../../parts/Page";
import { Empty, Loaded } from "../../parts/states";
import { Table, type Column } from "../../parts/Table";
import { Time } from "../../parts/Time";
import { Choice } from "../cases/Cases";

const statuses: [string, string][] = [["", "Any"], ["ready", "Working"], ["paused", "Paused"], ["done", "Done"], ["failed", "Failed"]];

/** What the agents did and do. */
export default function Runs() {
  const id = useId();
  const [get, set] = useQueryState();
  const apps = useApps();
  const [, go] = useLocation();
  const [chosen, setChosen] = useState<string[]>([]);
  const all = get("all") === "yes";
  const runs = useRuns({ app: get("app"), status: (get("status") || undefined) as RunStatus | undefined, top: !all });
  const toggle = (run: string) => setChosen((c) => (c.includes(run) ? c.filter((x) => x !== run) : [...c, run].slice(-2)));
  return (
    <Page
      title="Runs"
      lead="One agent working on one case. Every step is recorded before the next is taken."
      actions={<button type="button" className="button" disabled={chosen.length !== 2} onClick={() => go(`/runs/compare/${chosen[0]}/${chosen[1]}`)}><Icon name="eye" /> Compare{chosen.length > 0 ? ` (${chosen.length} of 2)` : " two"}</button>}
    >
      <div className="filters">
        <Choice id={`${id}app`} label="App" value={get("app")} onChange={(v) => set({ app: v })} options={[["", "All apps"], ...(apps.data ?? []).map((a): [string, string] => [a.id, a.title])]} />
        <Choice id={`${id}status`} label="Status" value={get("status")} onChange={(v) => set({ status: v })} options={statuses} />
        <label className="check" htmlFor={`${id}all`}><input id={`${id}all`} type="checkbox" checked={all} onChange={(e) => set({ all: e.target.checked ? "yes" : "" })} /> Show runs that other runs called</label>
      </div>
      <div className="panel">
        <Loaded query={runs} lines={10}>
          {(data) => (
            <>
              <RunTable runs={data.pages.flatMap((p) => p.items)} chosen={chosen} toggle={toggle} />
              {runs.hasNextPage && <div className="table-more"><button type="button" className="button small" disabled={runs.isFetchingNextPage} onClick={() => void runs.fetchNextPage()}>Show more</button></div>}
            </>
          )}
        </Loaded>
      </div>
    </Page>
  );
}

export function RunTable({ runs, hideCase, chosen, toggle }: { runs: Run[]; hideCase?: boolean; chosen?: string[]; toggle?: (id: string) => void }) {
  const title = useAppTitle();
  const columns: Column<Run>[] = [
    { key: "agent", title: "Agent", show: (r) => <><Link href={`/runs/${r.id}`} className="strong">{words(r.agent)}</Link><div className="small muted mono break">{r.id}</div></>, sort: (r) => r.agent },
    { key: "status", title: "Status", show: (r) => <RunBadge status={r.status} />, sort: (r) => r.status },
    ...(hideCase ? [] : [
      { key: "app", title: "App", minor: true, show: (r: Run) => <span className="nowrap">{title(r.app)}</span>, sort: (r: Run) => r.app },
      { key: "case", title: "Case", minor: true, show: (r: Run) => (r.case ? <Link href={`/cases/${r.case}`} className="mono">{r.case}</Link> : <span className="muted">none</span>) },
    ]),
    { key: "for", title: "For", minor: true, show: (r) => r.for.name || r.for.id },
    { key: "took", title: "Took", align: "right", minor: true, show: (r) => (isZero(r.ended) ? "–" : span(new Date(r.ended ?? "").getTime() - new Date(r.started).getTime())) },
    { key: "started", title: "Started", show: (r) => <Time at={r.started} />, sort: (r) => r.started },
    ...(toggle ? [{ key: "pick", title: "Compare", show: (r: Run) => <input type="checkbox" className="pick" aria-label={`Compare ${r.id}`} checked={chosen?.includes(r.id) ?? false} onChange={() => toggle(r.id)} /> }] : []),
  ];
  return <Table caption="Runs" rows={runs} columns={columns} rowKey={(r) => r.id} empty={<Empty icon="run" title="No runs here.">A run begins when an app's trigger fires, when a case moves on, or when somebody talks to an agent.</Empty>} />;
}
