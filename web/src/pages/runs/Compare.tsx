import { Link } from "wouter";
import { useComparison } from "../../hooks/runs";
import { words } from "../../lib/format";
import { Badge, RunBadge } from "../../parts/Badge";
import { Diff } from "../../parts/Diff";
import { Page } from "../../parts/Page";
import { Loaded, Notice } from "../../parts/states";
import { Time } from "../../parts/Time";
import { StepLine, Totals } from "./RunPage";

/** Two runs side by side, their steps lined up. */
export default function Compare({ a, b }: { a: string; b: string }) {
  const comparison = useComparison(a, b);
  return (
    <Page title="Compare two runs" above={<Link href="/runs">Runs</Link>} wide>
      <Loaded query={comparison} lines={12}>
        {(c) => (
          <>
            <Notice tone={c.same ? "ok" : "warn"} icon={c.same ? "check" : "eye"}><p className="strong">{c.same ? "Both took the same steps and gave the same answer." : "They differ."}</p></Notice>
            <div className="compare">
              {[c.a, c.b].map((side) => (
                <section key={side.id} className="panel pad stack tight">
                  <h2><Link href={`/runs/${side.id}`}>{words(side.agent)}</Link></h2>
                  <p className="row small"><RunBadge status={side.status} /><span className="mono">{side.id}</span><Time at={side.started} /></p>
                  <Totals usage={side.usage} />
                </section>
              ))}
            </div>
            <section className="panel" aria-label="Steps lined up">
              <header><h2>Steps</h2></header>
              {c.pairs.map((p, i) => (
                <div key={i} className="pair">
                  <div className="pair-mark">{p.same ? <Badge tone="ok" icon="check">Same</Badge> : p.a && p.b ? <Badge tone="warn" icon="eye">Differs</Badge> : <Badge icon={p.a ? "minus" : "plus"}>{p.a ? "Only first" : "Only second"}</Badge>}</div>
                  <div className="compare">
                    <div>{p.a ? <StepLine step={p.a} case={c.a.case} /> : <p className="muted pad-row">–</p>}</div>
                    <div>{p.b ? <StepLine step={p.b} case={c.b.case} /> : <p className="muted pad-row">–</p>}</div>
                  </div>
                </div>
              ))}
            </section>
            <section className="panel"><header><h2>Answers</h2></header><div className="body"><Diff before={c.a.answer} after={c.b.answer} names={["First", "Second"]} /></div></section>
          </>
        )}
      </Loaded>
    </Page>
  );
}
