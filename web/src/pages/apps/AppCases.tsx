import { Link } from "wouter";
import type { AppDetail } from "../../api/types";
import { useCases } from "../../hooks/cases";
import { number, words } from "../../lib/format";
import { Icon } from "../../parts/Icon";
import { Loaded } from "../../parts/states";
import { CaseTable } from "../cases/Cases";
import { TriggerButton } from "./Triggers";
import { liveCounts } from "./Apps";

/** The newest cases of an app, how many there are, and what can be started. */
export function AppCases({ app: a }: { app: AppDetail }) {
  const cases = useCases({ app: a.id });
  return (
    <div className="stack">
      <div className="row between">
        <dl className="totals">{liveCounts(a).map(([state, n]) => <div key={state}><dt>{words(state)}</dt><dd><Link href={`/cases?app=${a.id}&state=${state}`}>{number(n)}</Link></dd></div>)}</dl>
        <div className="row">{a.triggers.map((t) => <TriggerButton key={t.name} app={a.id} trigger={t} />)}</div>
      </div>
      <div className="panel">
        <header><h2>Newest cases</h2><Link href={`/cases?app=${a.id}`} className="small row">All cases of {a.title} <Icon name="arrow" size={14} /></Link></header>
        <Loaded query={cases} lines={8}>{(d) => <CaseTable cases={d.pages[0]?.items.slice(0, 25) ?? []} hideApp />}</Loaded>
      </div>
    </div>
  );
}
