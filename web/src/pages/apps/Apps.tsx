import { Link } from "wouter";
import type { AppSummary } from "../../api/types";
import { useApps } from "../../hooks/apps";
import { count, words } from "../../lib/format";
import { Badge } from "../../parts/Badge";
import { Page } from "../../parts/Page";
import { Empty, Loaded } from "../../parts/states";

/** The apps one may see, each a card. */
export default function Apps() {
  const apps = useApps();
  return (
    <Page title="Apps" lead="What this installation looks into, and for whom.">
      <Loaded query={apps} lines={8}>
        {(all) =>
          all.length === 0 ? (
            <div className="panel"><Empty icon="apps" title="No app is open to you.">Apps appear here once an administrator gives you one of their roles.</Empty></div>
          ) : (
            <div className="grid">{all.map((a) => <Card key={a.id} app={a} />)}</div>
          )
        }
      </Loaded>
    </Page>
  );
}

function Card({ app: a }: { app: AppSummary }) {
  return (
    <article className="card">
      <h2><Link href={`/apps/${a.id}`}>{a.title}</Link></h2>
      <p>{a.doc}</p>
      <p className="row">{liveCounts(a).map(([state, n]) => <Link key={state} className="small" href={`/cases?app=${a.id}&state=${state}`}>{count(n, words(state).toLowerCase() + " case", words(state).toLowerCase() + " cases")}</Link>)}</p>
      {a.mine.length > 0 && <p className="row small"><span className="muted">Your roles</span>{a.mine.map((r) => <Badge key={r} icon="person">{r}</Badge>)}</p>}
    </article>
  );
}

/** Cases by state, leaving out states without any. */
export function liveCounts(a: AppSummary): [string, number][] {
  return a.counts.filter((c) => c.count > 0).map((c): [string, number] => [c.state, c.count]);
}
