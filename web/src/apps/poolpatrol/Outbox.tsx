import { useId } from "react";
import { Link } from "wouter";
import { words } from "../../lib/format";
import { useQueryState } from "../../lib/query";
import { Badge, type Tone } from "../../parts/Badge";
import { Empty, Loaded } from "../../parts/states";
import { Table } from "../../parts/Table";
import { Time } from "../../parts/Time";
import { useOutbox, type Posted } from "./data";

const states: [value: string, label: string][] = [["", "All mail"], ["held", "Held for review"], ["kept", "In the outbox"], ["queued", "Tried again"], ["sent", "Sent"], ["failed", "Failed"]];

/** Every mail of the programme on its way out, whichever case it belongs to. */
export function Outbox() {
  const [get, set] = useQueryState();
  const mail = useOutbox(get("state"));
  const id = useId();
  return (
    <div className="stack">
      <p className="muted">What the programme wrote to riders, newest first. Without a mail service the outbox is where letters stay.</p>
      <div className="filters">
        <div className="field">
          <label htmlFor={id}>State</label>
          <select id={id} className="input" value={get("state")} onChange={(e) => set({ state: e.target.value })}>{states.map(([v, label]) => <option key={v} value={v}>{label}</option>)}</select>
        </div>
      </div>
      <section className="panel" aria-label="Outbox">
        <Loaded query={mail} lines={8}>
          {(data) => (
            <>
              <Table rows={data.pages.flatMap((p) => p.items)} rowKey={(m) => m.id} caption="Outgoing mail" limit={Infinity}
                empty={<Empty icon="mail" title={get("state") ? "No mail is in this state." : "Nobody has been written to."} />}
                columns={[
                  { key: "subject", title: "Subject", wide: true, show: (m) => <>{m.subject}{m.problem && <div className="small muted">{m.problem}</div>}</> },
                  { key: "employee_id", title: "To", show: (m) => <span className="nowrap">{m.employee_id}</span> },
                  { key: "kind", title: "Kind", minor: true, show: (m) => words(m.kind) },
                  { key: "state", title: "State", show: (m) => <PostedBadge m={m} /> },
                  { key: "case_id", title: "Case", show: (m) => <Link href={`/cases/${m.case_id}/mail`} className="nowrap">{m.case_id}</Link> },
                  { key: "at", title: "Written", show: (m) => <Time at={m.at} /> },
                ]} />
              {mail.hasNextPage && (
                <div className="table-more">
                  <button type="button" className="button small" disabled={mail.isFetchingNextPage} onClick={() => void mail.fetchNextPage()}>{mail.isFetchingNextPage ? "Loading…" : "Show more"}</button>
                </div>
              )}
            </>
          )}
        </Loaded>
      </section>
    </div>
  );
}

const tones: Record<Posted["state"], Tone> = { held: "warn", kept: "plain", queued: "info", sent: "ok", failed: "bad" };
const carriers: Record<string, string> = { smtp: "SMTP", resend: "Resend" };

function PostedBadge({ m }: { m: Posted }) {
  const text = m.state === "sent" ? `Sent by ${carriers[m.via] ?? m.via}` : Object.fromEntries(states)[m.state];
  const badge = <Badge tone={tones[m.state]} icon={m.state === "sent" ? "check" : "clock"}>{text}</Badge>;
  return m.approval_id ? <Link href={`/inbox/${m.approval_id}`}>{badge}</Link> : badge;
}
