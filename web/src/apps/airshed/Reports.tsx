import { Link, useParams } from "wouter";
import { Badge } from "../../parts/Badge";
import { Empty, ErrorBox, Loaded, Notice } from "../../parts/states";
import { Table } from "../../parts/Table";
import { Time } from "../../parts/Time";
import { useHas } from "../../hooks/session";
import { count, words } from "../../lib/format";
import { htmlAddress, pdfAddress, receivedAddress, useReceived, useReport, useReports, useResend, useSweepNow, useSweeps, type Filed } from "./data";
import { SurgeOf } from "./Surge";

/** The app's first page: the newest surge, the reports and the looks at the lake. */
export function Overview() {
  const reports = useReports();
  return (
    <Loaded query={reports} lines={12}>
      {(all) => {
        const newest = all.find((r) => r.case.startsWith("CASE-"));
        return (
          <div className="stack">
            <SweepBar />
            {newest ? (
              <>
                <div className="row between"><h2>Newest surge</h2><span className="row"><Link href={`/apps/airshed/reports/${newest.report_id}`}>{newest.report_id}</Link><Link href={`/cases/${newest.case}`}>Case {newest.case}</Link></span></div>
                <SurgeOf id={newest.case} />
              </>
            ) : (
              <Empty icon="search" title="No surge has been reported.">Put sensor data into the lake with <code>dossier airshed ingest</code>, then look for surges.</Empty>
            )}
          </div>
        );
      }}
    </Loaded>
  );
}

/** Starts a look at the lake and says how the last one ended. */
function SweepBar() {
  const sweeps = useSweeps();
  const now = useSweepNow();
  const maySweep = useHas("investigator", "legal");
  const last = sweeps.data?.[0];
  const problems = last?.problems ?? [];
  return (
    <section className="panel pad row between" aria-label="Sweeps">
      <div>
        {last ? <p>Last look at the lake <Time at={last.at} />: <strong>{words(last.status)}</strong>, {last.surges} above the threshold, {last.new_cases} new. <span className="muted small break">{last.object.key}{last.object.from_cache ? " (last good copy)" : ""}</span></p> : <p>Nobody has looked at the lake yet.</p>}
        {last?.detail && <p className="muted small">{last.detail}</p>}
        {problems.length > 0 && <details className="small"><summary>{count(problems.length, "note")} on the data</summary><ul className="airshed-list">{problems.map((p, i) => <li key={i} className="break">{p}</li>)}</ul></details>}
        {now.error && <ErrorBox error={now.error} />}
      </div>
      {maySweep && <button type="button" className="button" disabled={now.isPending} onClick={() => now.mutate()}>{now.isPending ? "Looking…" : "Look for surges now"}</button>}
    </section>
  );
}

const statuses: Record<string, ["ok" | "warn" | "plain" | "info", string]> = { filed: ["ok", "Filed"], partially_filed: ["warn", "Partly filed"], drafted: ["info", "Draft"], withdrawn: ["plain", "Withdrawn"] };

function ReportStatus({ status }: { status: string }) {
  const [tone, text] = statuses[status] ?? ["plain", words(status)];
  return <Badge tone={tone}>{text}</Badge>;
}

export function ReportList() {
  const reports = useReports();
  return (
    <Loaded query={reports} lines={8}>
      {(all) => (
        <section className="panel" aria-label="Reports">
          <Table caption="Reports" rows={all} rowKey={(r) => r.report_id} empty={<Empty title="There is no report yet." />} columns={[
            { key: "report_id", title: "Report", show: (r) => <Link href={`/apps/airshed/reports/${r.report_id}`} className="nowrap">{r.report_id}</Link>, sort: (r) => r.report_id },
            { key: "station", title: "Station", sort: (r) => r.station },
            { key: "aqi", title: "Index", align: "right", sort: (r) => r.aqi },
            { key: "timestamp", title: "Surge", show: (r) => <Time at={r.timestamp} />, sort: (r) => r.timestamp },
            { key: "confidence_score", title: "Confidence", align: "right", sort: (r) => r.confidence_score, minor: true },
            { key: "status", title: "Status", show: (r) => <ReportStatus status={r.status} />, sort: (r) => r.status },
            { key: "executive_summary", title: "Summary", wide: true, minor: true },
          ]} />
        </section>
      )}
    </Loaded>
  );
}

export function ReportPage() {
  const { id = "" } = useParams<{ id: string }>();
  const report = useReport(id);
  return <Loaded query={report} lines={12}>{(f) => <Preview filed={f} />}</Loaded>;
}

/** A report as it will be, or was, filed. */
function Preview({ filed: f }: { filed: Filed }) {
  const r = f.report;
  const c = r.legal_citations;
  return (
    <div className="stack">
      <div className="row between">
        <div className="row"><h2>{r.report_id}</h2><ReportStatus status={f.status} /></div>
        <div className="row">
          {r.case_id?.startsWith("CASE-") && <Link className="button" href={`/cases/${r.case_id}`}>Case</Link>}
          <a className="button" href={htmlAddress(r.report_id)} target="_blank" rel="noreferrer">Print view</a>
          <a className="button primary" href={pdfAddress(r.report_id)} target="_blank" rel="noreferrer">PDF</a>
        </div>
      </div>
      {f.result?.receipt ? <Notice tone="ok">Filed with the Commission <Time at={f.result.receipt.received_at} />, receipt <span className="mono">{f.result.receipt.receipt_id}</span>.</Notice>
        : f.status === "drafted" ? <Notice tone="warn">A draft. It is filed when a legal officer approves it in the <Link href="/inbox">inbox</Link>.</Notice>
        : f.status === "partially_filed" ? <Untaken filed={f} />
        : null}
      <div className="airshed-surge">
        <article className="panel pad stack airshed-report">
          <p className="airshed-summary">{r.executive_summary}</p>
          <h3>Reasoning</h3><p>{r.reasoning}</p>
          <h3>Request</h3><p className="strong">{c.enforcement_request}.</p>
          <List title="Recommendations" items={r.recommendations} />
          <List title="Legal basis" items={[c.caqm_direction, ...c.applicable_sections]} />
          <List title="Addressed to" items={c.addressees} />
          <List title="Not invoked" items={c.exclusions} />
          <List title="To be read with it" items={r.caveats} />
          <List title="Gaps in the data" items={r.data_quality.gaps} />
        </article>
        <aside className="stack">
          <section className="panel pad stack tight" aria-label="About this report">
            <dl className="figures">
              <div><dt>Confidence</dt><dd>{r.confidence_score}</dd></div>
              <div><dt>Made</dt><dd><Time at={r.timestamp} /></dd></div>
              <div><dt>Data was</dt><dd>{r.data_quality.data_age_hours} h old</dd></div>
              <div><dt>Texts by</dt><dd>{r.written_by}</dd></div>
            </dl>
            <p className="muted small break">SHA-256 {f.sha256}</p>
          </section>
          {f.result && <Ways result={f.result} />}
          {f.result?.receipt && <ReceiverRecord id={r.report_id} digest={f.sha256} />}
        </aside>
      </div>
    </div>
  );
}

/** Why the Commission does not have an approved report, with the way to send it again. */
function Untaken({ filed: f }: { filed: Filed }) {
  const resend = useResend(f.report.report_id);
  const mayFile = useHas("legal");
  return (
    <>
      <Notice tone="warn">The report was approved and a copy is kept, but the Commission has not taken it. {f.result?.problems.join(" ")}{!mayFile && " A legal officer can send it again."}</Notice>
      {mayFile && <div><button type="button" className="button primary" disabled={resend.isPending} onClick={() => resend.mutate()}>{resend.isPending ? "Sending…" : "Send it again"}</button></div>}
      {resend.error && <ErrorBox error={resend.error} />}
    </>
  );
}

/** Where a filed report went. */
function Ways({ result }: { result: NonNullable<Filed["result"]> }) {
  if (!result.local_path && !result.s3_path) return null;
  return (
    <section className="panel pad stack tight" aria-label="Copies">
      <h3>Copies</h3>
      <dl className="airshed-record">
        {result.local_path && <div><dt>File</dt><dd className="mono small break">{result.local_path}</dd></div>}
        {result.s3_path && <div><dt>Object store</dt><dd className="mono small break">{result.s3_path}</dd></div>}
      </dl>
    </section>
  );
}

/** What the receiver says it holds of a report, beside what was sent. */
function ReceiverRecord({ id, digest }: { id: string; digest: string }) {
  const received = useReceived();
  return (
    <Loaded query={received} lines={4}>
      {(held) => {
        if (!held.trial) return null;
        const record = held.items.find((i) => i.report_id === id);
        return (
          <section className="panel pad stack tight" aria-label="Receiver">
            <div className="row between"><h3>In the receiver</h3><Badge tone={record ? "ok" : "warn"}>{record ? "Received" : "Not there"}</Badge></div>
            {record ? (
              <>
                <dl className="airshed-record">
                  <div><dt>Report</dt><dd className="mono">{record.report_id}</dd></div>
                  <div><dt>Receipt</dt><dd className="mono">{record.receipt_id}</dd></div>
                  <div><dt>Received</dt><dd><Time at={record.received_at} /></dd></div>
                  <div><dt>SHA-256</dt><dd className="mono small break">{record.sha256}</dd></div>
                </dl>
                <p className="small">{record.sha256 === digest ? "The digest is the one that was approved." : "The digest is not the one that was approved."}</p>
                <p className="row"><a href={receivedAddress(id)} target="_blank" rel="noreferrer">The receiver's copy</a><Link href="/apps/airshed/receiver">All it holds</Link></p>
              </>
            ) : <p>The receiver holds no such report.</p>}
            <p className="muted small">A trial receiver inside the product. No address of the Commission is configured, so nothing left the house.</p>
          </section>
        );
      }}
    </Loaded>
  );
}

/** Everything the receiver holds. */
export function ReceiverPage() {
  const received = useReceived();
  return (
    <Loaded query={received} lines={8}>
      {(held) => (
        <div className="stack">
          {held.trial
            ? <Notice>A trial receiver inside the product plays the Commission's system. Nothing here left the house.</Notice>
            : <Notice>Reports are filed at <span className="mono break">{held.endpoint}</span>. What it holds must be asked there.</Notice>}
          {held.trial && (
            <section className="panel" aria-label="Received reports">
              <Table caption="Received reports" rows={held.items} rowKey={(r) => r.report_id} empty={<Empty title="Nothing was received yet." >A report arrives here when a legal officer approves it in the <Link href="/inbox">inbox</Link>.</Empty>} columns={[
                { key: "report_id", title: "Report", show: (r) => <Link href={`/apps/airshed/reports/${r.report_id}`} className="nowrap">{r.report_id}</Link>, sort: (r) => r.report_id },
                { key: "receipt_id", title: "Receipt", show: (r) => <span className="mono">{r.receipt_id}</span> },
                { key: "received_at", title: "Received", show: (r) => <Time at={r.received_at} />, sort: (r) => r.received_at },
                { key: "sha256", title: "SHA-256", minor: true, show: (r) => <span className="mono small">{r.sha256.slice(0, 16)}…</span> },
                { key: "copy", title: "Copy", show: (r) => <a href={receivedAddress(r.report_id)} target="_blank" rel="noreferrer">Open</a> },
              ]} />
            </section>
          )}
        </div>
      )}
    </Loaded>
  );
}

function List({ title, items }: { title: string; items: string[] | null }) {
  if (!items || items.length === 0) return null;
  return <><h3>{title}</h3><ul className="airshed-list">{items.map((t) => <li key={t}>{t}</li>)}</ul></>;
}
