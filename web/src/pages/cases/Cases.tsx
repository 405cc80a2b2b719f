import { useEffect, useId, useState } from "react";
import { Link } from "wouter";
import type { Case, State } from "../../api/types";
import { useApps, useAppTitle } from "../../hooks/apps";
import { useCases } from "../../hooks/cases";
import { words } from "../../lib/format";
import { useQueryState } from "../../lib/query";
import { StateBadge } from "../../parts/Badge";
import { Icon } from "../../parts/Icon";
import { Page } from "../../parts/Page";
import { Empty, Loaded } from "../../parts/states";
import { Table, type Column } from "../../parts/Table";
import { Time } from "../../parts/Time";

const states: State[] = ["open", "waiting", "closed", "preliminary", "cleared"];
const ages: [string, string][] = [["", "Any age"], ["1", "Opened today"], ["7", "Last 7 days"], ["30", "Last 30 days"], ["365", "Last year"]];

/** All cases one may see, with filters that live in the address. */
export default function Cases() {
  const [get, set] = useQueryState();
  const days = Number(get("days"));
  const [after] = useState(() => Date.now());
  const cases = useCases({
    app: get("app"), state: get("state") ? [get("state") as State] : undefined, stage: get("stage"), q: get("q"), subject: get("subject"),
    opened_after: days > 0 ? new Date(after - days * 86_400_000).toISOString() : undefined,
  });
  const filtered = ["app", "state", "stage", "q", "subject", "days"].some((k) => get(k) !== "");
  return (
    <Page title="Cases" lead="Every matter the apps look into, from the first look to the outcome.">
      <Filters get={get} set={set} />
      <div className="panel">
        <Loaded query={cases} lines={10}>
          {(data) => (
            <>
              <CaseTable cases={data.pages.flatMap((p) => p.items)} filtered={filtered} clear={() => set({ app: "", state: "", stage: "", q: "", subject: "", days: "" })} />
              {cases.hasNextPage && (
                <div className="table-more">
                  <button type="button" className="button small" disabled={cases.isFetchingNextPage} onClick={() => void cases.fetchNextPage()}>{cases.isFetchingNextPage ? "Loading…" : "Show more"}</button>
                </div>
              )}
            </>
          )}
        </Loaded>
      </div>
    </Page>
  );
}

function Filters({ get, set }: { get: (n: string) => string; set: (c: Record<string, string>) => void }) {
  const id = useId();
  const apps = useApps();
  const [text, setText] = useState(get("q"));
  useEffect(() => {
    const timer = setTimeout(() => text !== get("q") && set({ q: text }), 300);
    return () => clearTimeout(timer);
  }, [text, get, set]);
  return (
    <form className="filters" role="search" onSubmit={(e) => { e.preventDefault(); set({ q: text }); }}>
      <div className="field grow">
        <label htmlFor={`${id}q`}>Search</label>
        <input id={`${id}q`} className="input" type="search" placeholder="Words in the case, its findings or its evidence" value={text} onChange={(e) => setText(e.target.value)} />
      </div>
      <Choice id={`${id}app`} label="App" value={get("app")} onChange={(v) => set({ app: v })} options={[["", "All apps"], ...(apps.data ?? []).map((a): [string, string] => [a.id, a.title])]} />
      <Choice id={`${id}state`} label="State" value={get("state")} onChange={(v) => set({ state: v })} options={[["", "All but early ones"], ...states.map((s): [string, string] => [s, words(s)])]} />
      <Choice id={`${id}days`} label="Age" value={get("days")} onChange={(v) => set({ days: v })} options={ages} />
    </form>
  );
}

export function Choice({ id, label, value, onChange, options }: { id: string; label: string; value: string; onChange: (v: string) => void; options: [string, string][] }) {
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <select id={id} className="input" value={value} onChange={(e) => onChange(e.target.value)}>
        {options.map(([v, text]) => <option key={v} value={v}>{text}</option>)}
      </select>
    </div>
  );
}

export function CaseTable({ cases, filtered = false, clear, hideApp }: { cases: Case[]; filtered?: boolean; clear?: () => void; hideApp?: boolean }) {
  const title = useAppTitle();
  const columns: Column<Case>[] = [
    { key: "title", title: "Case", wide: true, show: (c) => <><Link href={`/cases/${c.id}`} className="strong">{c.title || c.subject}</Link><div className="small muted mono break">{c.id} · {c.subject}</div></>, sort: (c) => c.title },
    ...(hideApp ? [] : [{ key: "app", title: "App", minor: true, show: (c: Case) => <span className="nowrap">{title(c.app)}</span>, sort: (c: Case) => c.app }]),
    { key: "state", title: "State", show: (c) => <StateBadge state={c.state} />, sort: (c) => c.state },
    { key: "stage", title: "Stage or outcome", minor: true, show: (c) => words(c.outcome || c.stage) || "–", sort: (c) => c.outcome || c.stage },
    { key: "opened", title: "Opened", minor: true, show: (c) => <Time at={c.opened} />, sort: (c) => c.opened },
    { key: "updated", title: "Changed", show: (c) => <Time at={c.updated} />, sort: (c) => c.updated },
  ];
  return (
    <Table
      caption="Cases"
      rows={cases}
      columns={columns}
      rowKey={(c) => c.id}
      empty={
        filtered ? (
          <Empty icon="search" title="No case fits these filters.">{clear && <button type="button" className="button small" onClick={clear}><Icon name="cross" size={14} /> Clear the filters</button>}</Empty>
        ) : (
          <Empty title="There are no cases yet.">Apps open cases by themselves, on a schedule or when something arrives. You can start one from an app's page under <Link href="/apps">Apps</Link>.</Empty>
        )
      }
    />
  );
}
