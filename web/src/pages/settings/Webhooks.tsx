import { useId, useState, type FormEvent } from "react";
import { useHas } from "../../hooks/session";
import { useAddWebhook, useRemoveWebhook, useSwitchWebhook, useTestWebhook, useWebhooks } from "../../hooks/settings";
import { Badge } from "../../parts/Badge";
import { Dialog } from "../../parts/Dialog";
import { Icon } from "../../parts/Icon";
import { Secret } from "../../parts/Secret";
import { Empty, ErrorBox, explain, Loaded } from "../../parts/states";
import { Sure } from "../../parts/Sure";
import { Table } from "../../parts/Table";
import { Time } from "../../parts/Time";
import { tell } from "../../parts/toast";

/** Addresses that are told about events. */
export function Webhooks() {
  const hooks = useWebhooks();
  const admin = useHas("admin");
  const [adding, setAdding] = useState(false);
  const toggle = useSwitchWebhook();
  const remove = useRemoveWebhook();
  const test = useTestWebhook();
  const failed = (e: unknown) => tell(explain(e).title, "bad");
  return (
    <section className="panel">
      <header><h2>Webhooks</h2>{admin && <button type="button" className="button small" onClick={() => setAdding(true)}><Icon name="plus" size={14} /> Add an address</button>}</header>
      <Loaded query={hooks} lines={4}>
        {(all) => (
          <Table caption="Webhooks" rows={all} rowKey={(w) => w.id} empty={<Empty icon="out" title="No address is told about events.">Nobody has to host one: the console and the API's event stream are live without. Add an address to have signed events sent to another system.</Empty>}
            columns={[
              { key: "url", title: "Address", wide: true, show: (w) => <><span className="break">{w.url}</span><div className="small muted">{w.kinds.join(", ") || "all events"}</div></> },
              { key: "state", title: "State", show: (w) => !w.enabled ? <Badge icon="ban">Off</Badge> : w.failures > 0 ? <Badge tone="warn" icon="warning">{`${w.failures} failures`}</Badge> : <Badge tone="ok" icon="check">On</Badge> },
              { key: "last", title: "Last try", show: (w) => <><Time at={w.last_at} /><div className="small muted break">{w.last_note}</div></> },
              ...(admin ? [{ key: "do", title: "Do", show: (w: (typeof all)[number]) => <span className="row">
                <button type="button" className="button small" onClick={() => test.mutate(w.id, { onSuccess: (r) => tell(r.note, r.ok ? "ok" : "bad"), onError: failed })}>Test</button>
                <button type="button" className="button small" onClick={() => toggle.mutate({ id: w.id, version: w.version, enabled: !w.enabled }, { onError: failed })}>{w.enabled ? "Switch off" : "Switch on"}</button>
                <Sure verb="Remove" what={w.url} warning="It is told nothing more, and the secret that signs its deliveries is gone." busy={remove.isPending} onYes={() => remove.mutate(w.id, { onError: failed })} /></span> }] : []),
            ]} />
        )}
      </Loaded>
      <Dialog title="Add an address" open={adding} onClose={() => setAdding(false)}><AddWebhook /></Dialog>
    </section>
  );
}

function AddWebhook() {
  const id = useId();
  const add = useAddWebhook();
  const [url, setURL] = useState("");
  const [kinds, setKinds] = useState("approval.*");
  const submit = (e: FormEvent) => {
    e.preventDefault();
    add.mutate({ url, kinds: kinds.split(",").map((k) => k.trim()).filter(Boolean) });
  };
  if (add.data) return <Secret label="Copy what signs the deliveries" value={add.data.secret} />;
  return (
    <form className="stack" onSubmit={submit}>
      {add.error && <ErrorBox error={add.error} />}
      <div className="field"><label htmlFor={`${id}u`}>Address</label><input id={`${id}u`} className="input" type="url" required placeholder="https://" value={url} onChange={(e) => setURL(e.target.value)} /></div>
      <div className="field"><label htmlFor={`${id}k`}>Kinds of events</label><input id={`${id}k`} className="input mono" value={kinds} aria-describedby={`${id}h`} onChange={(e) => setKinds(e.target.value)} /><span className="hint" id={`${id}h`}>Divided by commas; approval.* means all about approvals; empty means all.</span></div>
      <div><button type="submit" className="button primary" disabled={add.isPending}>Add</button></div>
    </form>
  );
}
