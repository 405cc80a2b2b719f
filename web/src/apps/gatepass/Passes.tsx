import { useState, type FormEvent } from "react";
import { useMe } from "../../hooks/session";
import { number } from "../../lib/format";
import { useQueryState } from "../../lib/query";
import { Dialog } from "../../parts/Dialog";
import { Icon } from "../../parts/Icon";
import { Empty, ErrorBox, Loaded } from "../../parts/states";
import { Table, type Column } from "../../parts/Table";
import { Time } from "../../parts/Time";
import { tell } from "../../parts/toast";
import { desksOf, useAnalytics, useCreate, useDecide, useMarkRead, useNotifications, usePass, usePasses, type Desk, type Pass } from "./data";
import { StatusBadge } from "./Status";

const filters: [value: string, label: string][] = [["", "All"], ["pending", "Pending"], ["approved", "Approved"], ["pending_return", "Out now"], ["exited", "Exited"], ["returned", "Returned"], ["rejected", "Rejected"], ["deleted", "Deleted"]];

const done: Record<string, string> = { create: "asked for", approve: "approved", reject: "rejected", delete: "deleted", exit: "let out", return: "let in" };

/** The HR and the admin desk: passes, what happened to them, and what can be done. */
export function Passes() {
  const mine = desksOf(useMe().roles).filter((d): d is "hr" | "admin" => d !== "gate");
  const [get, set] = useQueryState();
  const desk = mine.find((d) => d === get("desk")) ?? mine[0];
  if (!desk) return <Empty icon="people" title="This page is for the HR and the admin desk.">The gate has a page of its own.</Empty>;
  return (
    <div className="stack">
      <div className="row between">
        <div className="row" role="group" aria-label="Desk">
          {mine.length > 1 && mine.map((d) => <button key={d} type="button" className="button small" aria-pressed={d === desk} onClick={() => set({ desk: d })}>{d === "hr" ? "HR desk" : "Admin desk"}</button>)}
        </div>
        {desk === "hr" && <Create />}
      </div>
      {desk === "admin" && <Counts />}
      <div className="gp-desk">
        <List desk={desk} />
        <Notifications desk={desk} />
      </div>
      {get("pass") && <Detail key={get("pass")} desk={desk} id={get("pass")} close={() => set({ pass: "" })} />}
    </div>
  );
}

function Counts() {
  const a = useAnalytics(true);
  return (
    <Loaded query={a} lines={1}>
      {(d) => (
        <dl className="totals">
          {([["Pending", d.by_status.pending], ["Approved", d.by_status.approved], ["Out now", d.out], ["Late", d.overdue], ["Made today", d.today.created]] as const).map(([name, n]) => <div key={name}><dt>{name}</dt><dd>{number(n)}</dd></div>)}
        </dl>
      )}
    </Loaded>
  );
}

function List({ desk }: { desk: "hr" | "admin" }) {
  const [get, set] = useQueryState();
  const page = Number(get("page")) || 1;
  const passes = usePasses(desk, { status: get("status"), search: get("q"), date: get("date"), page });
  const columns: Column<Pass>[] = [
    { key: "pass_number", title: "Number", show: (p) => <button type="button" className="gp-link" onClick={() => set({ pass: p.pass_number })}>{p.pass_number}</button> },
    { key: "person_name", title: "Person" },
    { key: "status", title: "Status", show: (p) => <StatusBadge status={p.status} /> },
    ...(desk === "admin" ? [{ key: "do", title: "Decide", show: (p: Pass) => p.status === "pending" && <Decide pass={p} /> }] : []),
    { key: "description", title: "Purpose", wide: true, minor: true },
    { key: "created_at", title: "Made", minor: true, show: (p) => <Time at={p.created_at} /> },
  ];
  return (
    <section className="panel grow">
      <header className="gp-filters">
        <select className="input" aria-label="Status" value={get("status")} onChange={(e) => set({ status: e.target.value, page: "" })}>{filters.filter(([v]) => desk === "admin" || v !== "deleted").map(([v, l]) => <option key={v} value={v}>{l}</option>)}</select>
        <input className="input grow" type="search" placeholder="Name, purpose or number" aria-label="Search" value={get("q")} onChange={(e) => set({ q: e.target.value, page: "" })} />
        <input className="input" type="date" aria-label="Made on" value={get("date")} onChange={(e) => set({ date: e.target.value, page: "" })} />
      </header>
      <Loaded query={passes} lines={8}>
        {(d) => (
          <>
            <Table caption="Passes" rows={d.items} rowKey={(p) => p.id} columns={columns} empty={<Empty icon="search" title="There are no such passes." />} />
            <div className="row between body">
              <span className="muted small">{d.total >= 1000 ? "1,000 or more" : number(d.total)} passes</span>
              <span className="row">
                {page > 1 && <button type="button" className="button small" onClick={() => set({ page: String(page - 1) })}>Newer</button>}
                {d.more && <button type="button" className="button small" onClick={() => set({ page: String(page + 1) })}>Older</button>}
              </span>
            </div>
          </>
        )}
      </Loaded>
    </section>
  );
}

function Decide({ pass }: { pass: Pass }) {
  const decide = useDecide();
  const run = (verb: "approve" | "reject") => decide.mutate({ number: pass.pass_number, verb }, {
    onSuccess: (p) => tell(`${p.pass_number} is ${p.status}.`),
    onError: (e) => tell(e instanceof Error ? e.message : "That did not work.", "bad"),
  });
  return (
    <span className="gp-decide">
      <button type="button" className="button small primary" disabled={decide.isPending} onClick={() => run("approve")}>Approve</button>
      <button type="button" className="button small" disabled={decide.isPending} onClick={() => run("reject")}>Reject</button>
    </span>
  );
}

function Create() {
  const [open, setOpen] = useState(false);
  const [returns, setReturns] = useState(true);
  const create = useCreate();
  const submit = (e: FormEvent<HTMLFormElement>) => {
    e.preventDefault();
    const f = new FormData(e.currentTarget);
    const by = String(f.get("by") ?? "");
    create.mutate({ person_name: String(f.get("person")), description: String(f.get("purpose")), is_returnable: returns, return_by: returns && by ? new Date(by).toISOString() : undefined }, {
      onSuccess: (p) => { setOpen(false); tell(`${p.pass_number} is made for ${p.person_name} and waits for approval.`); },
    });
  };
  return (
    <>
      <button type="button" className="button primary" onClick={() => setOpen(true)}><Icon name="plus" /> New pass</button>
      <Dialog title="New pass" open={open} onClose={() => setOpen(false)}>
        <form className="stack" onSubmit={submit}>
          <label className="field"><span>Person</span><input className="input" name="person" required maxLength={120} autoFocus /></label>
          <label className="field"><span>Purpose</span><input className="input" name="purpose" required maxLength={500} /></label>
          <label className="row"><input type="checkbox" checked={returns} onChange={(e) => setReturns(e.target.checked)} /> The person will come back</label>
          {returns && <label className="field"><span>Expected back (optional)</span><input className="input" type="datetime-local" name="by" /></label>}
          {create.error && <ErrorBox error={create.error} />}
          <div className="row"><button type="submit" className="button primary" disabled={create.isPending}>Make the pass</button></div>
        </form>
      </Dialog>
    </>
  );
}

function Detail({ desk, id, close }: { desk: Desk; id: string; close: () => void }) {
  const pass = usePass(desk, id);
  const decide = useDecide();
  const [sure, setSure] = useState(false);
  return (
    <Dialog title={id} open onClose={close}>
      <Loaded query={pass} lines={6}>
        {(p) => (
          <div className="stack gp-detail">
            <div className="row between"><h3 className="gp-name">{p.person_name}</h3><StatusBadge status={p.status} /></div>
            <p>{p.description}</p>
            <dl className="facts">
              <dt>Returns</dt><dd>{p.is_returnable ? "yes" : "no"}{p.return_by && <>, expected <Time at={p.return_by} /></>}</dd>
              {p.approved_by && <><dt>Approved by</dt><dd>{p.approved_by}{p.claimed_name && ` (in the name of ${p.claimed_name})`}</dd></>}
              {p.exit_time && <><dt>Went out</dt><dd><Time at={p.exit_time} /></dd></>}
              {p.return_time && <><dt>Came back</dt><dd><Time at={p.return_time} /></dd></>}
            </dl>
            {p.status !== "rejected" && p.status !== "deleted" && <img className="gp-qr" src={`/qr/${p.pass_number}?as=${p.status}`} alt={`QR code of ${p.pass_number}`} width={220} height={220} />}
            <div className="row">
              <a className="button" href={`/${desk}/gatepass/${p.pass_number}/print`} target="_blank" rel="noreferrer"><Icon name="doc" /> Print</a>
              {desk === "admin" && p.status === "pending" && <Decide pass={p} />}
              {desk === "admin" && p.status !== "deleted" && !(p.status === "exited" && p.is_returnable) && !sure && <button type="button" className="button danger" onClick={() => setSure(true)}>Delete</button>}
            </div>
            {sure && (
              <div className="notice bad" role="alertdialog" aria-label="Delete the pass">
                <div className="grow"><p className="strong">Delete {p.pass_number}?</p><p>A deleted pass cannot be brought back, and its QR code stops working.</p></div>
                <button type="button" className="button danger" disabled={decide.isPending} onClick={() => decide.mutate({ number: p.pass_number, verb: "delete" }, { onSuccess: () => { tell(`${p.pass_number} is deleted.`); close(); } })}>Delete it</button>
                <button type="button" className="button" onClick={() => setSure(false)}>Keep it</button>
              </div>
            )}
            {decide.error && <ErrorBox error={decide.error} />}
            <ol className="gp-history">{p.history?.map((h, i) => <li key={i}><Time at={h.at} /> <span className="strong">{done[h.operation] ?? h.operation}</span> by {h.by}{h.note && `: ${h.note}`}{h.photo && <> · <a href={`/gate/photos/${p.pass_number}/${h.operation}`} target="_blank" rel="noreferrer">photo</a></>}{h.source === "offline" && " (offline)"}</li>)}</ol>
          </div>
        )}
      </Loaded>
    </Dialog>
  );
}

function Notifications({ desk }: { desk: "hr" | "admin" }) {
  const all = useNotifications(desk);
  const mark = useMarkRead();
  return (
    <aside className="panel gp-notes" aria-label="Notifications">
      <header><h2>Notifications</h2></header>
      <Loaded query={all} lines={4}>
        {(list) => list.length === 0 ? <p className="muted body">None.</p> : (
          <ul>{list.slice(0, 20).map((n) => <li key={n.id} className={n.is_read ? "muted" : "strong"}><span>{n.message} <Time at={n.created_at} /></span>{!n.is_read && <button type="button" className="button small quiet" onClick={() => mark.mutate(n.id)}>Read</button>}</li>)}</ul>
        )}
      </Loaded>
    </aside>
  );
}
