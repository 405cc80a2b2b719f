import { Link } from "wouter";
import type { Case, LedgerCheck, Report } from "../../api/types";
import { bundlePath, useVerify } from "../../hooks/ledger";
import { count, isZero, words } from "../../lib/format";
import { changes } from "../../lib/diff";
import { isDict } from "../../lib/shape";
import { Badge, type Tone } from "../../parts/Badge";
import { Diff } from "../../parts/Diff";
import { Icon, type IconName } from "../../parts/Icon";
import { Fields } from "../../parts/Json";
import { ErrorBox, Loading, Notice } from "../../parts/states";
import { Time } from "../../parts/Time";

/** Recomputes a case's findings from its evidence and shows them against what is stored. */
export function VerifyTab({ case: c }: { case: Case }) {
  const verify = useVerify(c.id);
  return (
    <div className="stack">
      <div className="panel pad stack">
        <p className="prose">Verifying checks that no entry of the ledger was altered, and computes every finding of a rule again from the evidence it cites, with the version of the rule that made it.</p>
        <div><button type="button" className="button primary" disabled={verify.isFetching} onClick={() => void verify.refetch()}><Icon name="shield" /> {verify.isFetching ? "Verifying…" : verify.data ? "Verify again" : "Verify this case"}</button></div>
      </div>
      {verify.isFetching && !verify.data && <div className="panel"><Loading /></div>}
      {verify.error && <ErrorBox error={verify.error} />}
      {verify.data && <ReportView report={verify.data} />}
      <p className="small muted">To check without this product, <a href={bundlePath(c.id)} download>export the bundle</a> and verify it on the <Link href="/ledger">ledger page</Link> of another installation, or with <code>dossier verify</code>.</p>
    </div>
  );
}

const agreements: Record<string, [Tone, IconName, string]> = {
  agree: ["ok", "check", "Agrees"],
  differ: ["bad", "cross", "Differs"],
  "no rule": ["plain", "minus", "Not by a rule"],
  "rule gone": ["warn", "warning", "Rule not here"],
  "cannot apply": ["bad", "warning", "Cannot be computed"],
};

/** What verifying found: the chain, the seal, and each finding computed again. */
export function ReportView({ report: r }: { report: Report }) {
  const checks = r.checks ?? [];
  return (
    <section className="stack" aria-label="Result">
      <Notice tone={r.ok ? "ok" : "bad"} icon={r.ok ? "shield" : "warning"}>
        <p className="strong">{r.ok ? "It holds." : "It does not hold."}</p>
        <p>{count(r.entries, "entry", "entries")} in the chain, {r.covered} under a signed checkpoint{!isZero(r.sealed_at) && <> made <Time at={r.sealed_at} /></>}. {checks.length > 0 && `${count(checks.filter((k) => k.agreement === "agree").length, "finding")} of ${checks.length} computed again with the same result.`}</p>
        {r.problems.length > 0 && <ul>{r.problems.map((p, i) => <li key={i} className="strong">{p}</li>)}</ul>}
      </Notice>
      {checks.length > 0 && <ul className="panel" aria-label="Findings, stored and recomputed">{checks.map((k) => <CheckRow key={k.finding.id} check={k} />)}</ul>}
      {r.key && <p className="small muted">Signed with the key <span className="hash">{r.key}</span></p>}
    </section>
  );
}

function CheckRow({ check: k }: { check: LedgerCheck }) {
  const [tone, icon, word] = agreements[k.agreement] ?? ["plain", "dot", words(k.agreement)];
  return (
    <li className="step">
      <div className="proof-row pad-row">
        <Badge tone={tone} icon={icon}>{word}</Badge>
        <div className="stack tight">
          <p><span className="strong">{words(k.finding.check)}{k.finding.subject && ` of ${k.finding.subject}`}</span> <code className="small">{k.finding.by}</code></p>
          {k.note && <p className="muted">{k.note}</p>}
          {k.recomputed && <Recomputed stored={trim(k.finding)} recomputed={trim(k.recomputed)} />}
          {k.newer_says && <p className="small muted">The rule has changed since: version {k.newer_version} would say {k.newer_says.verdict}.</p>}
        </div>
      </div>
    </li>
  );
}

function Recomputed({ stored, recomputed }: { stored: unknown; recomputed: unknown }) {
  const differs = changes(stored, recomputed).length > 0;
  return (
    <details open={differs}>
      <summary className="small">{differs ? "Stored and recomputed differ" : "Stored and recomputed are the same"}</summary>
      {differs ? (
        <Diff before={stored} after={recomputed} names={["Stored", "Recomputed"]} />
      ) : (
        <div className="compare">
          <div><p className="small muted">Stored</p><Fields value={stored} /></div>
          <div><p className="small muted">Recomputed</p><Fields value={recomputed} /></div>
        </div>
      )}
    </details>
  );
}

/** Keeps what the rule computed and leaves out who and when. */
function trim(v: unknown): unknown {
  if (!isDict(v)) return v;
  return Object.fromEntries(["verdict", "confidence", "reason", "figures"].filter((k) => v[k] !== undefined).map((k) => [k, v[k]]));
}
