import { Suspense } from "react";
import { Link, Route, Switch } from "wouter";
import type { Case } from "../../api/types";
import { useAppModule, useAppTitle } from "../../hooks/apps";
import { useCaseApprovals } from "../../hooks/approvals";
import { useCase, useEvidence, useFindings, useTimeline } from "../../hooks/cases";
import { bundlePath } from "../../hooks/ledger";
import { useRuns } from "../../hooks/runs";
import { isZero, span, words } from "../../lib/format";
import { Badge, StateBadge } from "../../parts/Badge";
import { Icon } from "../../parts/Icon";
import { Page } from "../../parts/Page";
import { Empty, ErrorBox, Loaded, Loading } from "../../parts/states";
import { Tabs, type Tab } from "../../parts/Tabs";
import { Time, useNow } from "../../parts/Time";
import { EvidenceTab } from "./EvidenceTab";
import { Overview } from "./Overview";
import { WholeTimeline } from "./CaseTimeline";
import { VerifyTab } from "./VerifyTab";
import { RunTable } from "../runs/Runs";

/** One case: what it is about, how it stands, what is known and what happened. */
export default function CasePage({ id }: { id: string }) {
  const found = useCase(id);
  if (!found.data) {
    return (
      <Page title={id} above={<Link href="/cases">Cases</Link>}>
        {found.error ? <ErrorBox error={found.error} retry={() => void found.refetch()} /> : <Loading lines={10} />}
      </Page>
    );
  }
  return <CaseView case={found.data} />;
}

function CaseView({ case: c }: { case: Case }) {
  const module = useAppModule(c.app);
  const evidence = useEvidence(c.id);
  const findings = useFindings(c.id);
  const timeline = useTimeline(c.id);
  const runs = useRuns({ case: c.id });
  const approvals = useCaseApprovals(c.id);
  // What the overview shows above the findings comes with them, so that nothing is pushed down while somebody reads.
  const first = [module, evidence, findings, timeline, approvals];
  const title = useAppTitle();
  const base = `/cases/${c.id}`;
  const parts = (module.data?.caseParts ?? []).filter((p) => p.place !== "overview");
  const tabs: Tab[] = [
    { href: base, title: "Overview" },
    { href: `${base}/evidence`, title: "Evidence", count: evidence.data?.length },
    ...parts.map((p) => ({ href: `${base}/${p.path}`, title: p.title })),
    { href: `${base}/timeline`, title: "Timeline", count: timeline.data?.length },
    { href: `${base}/runs`, title: "Runs", count: runs.data?.pages[0]?.items.length },
    { href: `${base}/verify`, title: "Verify" },
  ];
  return (
    <Page
      title={c.title || c.subject}
      above={<><Link href="/cases">Cases</Link> / <Link href={`/apps/${c.app}`}>{title(c.app)}</Link> / <span className="mono">{c.id}</span></>}
      lead={<Strip case={c} />}
      actions={
        <>
          <Link className="button" href={`${base}/verify`}><Icon name="shield" /> Verify</Link>
          <a className="button" href={bundlePath(c.id)} download><Icon name="download" /> Export</a>
        </>
      }
    >
      <Tabs label="Parts of this case" tabs={tabs} />
      <Switch>
        <Route path={base}>{first.some((q) => q.isPending) ? <Loading lines={10} /> : <Overview case={c} evidence={evidence} findings={findings} timeline={timeline.data ?? []} approvals={approvals.data ?? []} module={module.data} />}</Route>
        <Route path={`${base}/evidence/:ev?`}>{(p) => <EvidenceTab case={c} evidence={evidence} findings={findings.data ?? []} selected={p.ev} />}</Route>
        <Route path={`${base}/timeline`}><div className="panel pad"><Loaded query={timeline} lines={8}>{(events) => <WholeTimeline events={events} case={c.id} />}</Loaded></div></Route>
        <Route path={`${base}/runs`}><div className="panel"><Loaded query={runs}>{(d) => <RunTable runs={d.pages.flatMap((p) => p.items)} hideCase />}</Loaded></div></Route>
        <Route path={`${base}/verify`}><VerifyTab case={c} /></Route>
        {parts.map((p) => (
          <Route key={p.path} path={`${base}/${p.path}`}>
            <Suspense fallback={<Loading />}><p.element case={c} evidence={evidence.data ?? []} findings={findings.data ?? []} /></Suspense>
          </Route>
        ))}
        <Route>{module.isPending ? <Loading /> : <Empty icon="search" title="This case has no such part."><Link href={base}>Go to its overview</Link></Empty>}</Route>
      </Switch>
    </Page>
  );
}

function Strip({ case: c }: { case: Case }) {
  const now = useNow();
  const end = isZero(c.closed) ? now : new Date(c.closed ?? "");
  return (
    <div className="case-strip">
      <StateBadge state={c.state} />
      {c.stage && <Badge icon="arrow">{words(c.stage)}</Badge>}
      {c.outcome && <Badge tone="info" icon="doc">{`Outcome: ${words(c.outcome)}`}</Badge>}
      <span className="mono break">{c.subject}</span>
      <span>{isZero(c.closed) ? "Open for" : "Took"} {span(Math.max(0, end.getTime() - new Date(c.opened).getTime()))}</span>
      <span>opened <Time at={c.opened} /></span>
      <span>changed <Time at={c.updated} /></span>
    </div>
  );
}
