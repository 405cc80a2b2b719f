import { useId, useState, type FormEvent } from "react";
import { useMe } from "../../hooks/session";
import { useAddToken, useRevokeToken, useTokens, useUsers } from "../../hooks/settings";
import { isZero } from "../../lib/format";
import { Badge } from "../../parts/Badge";
import { Dialog } from "../../parts/Dialog";
import { Icon } from "../../parts/Icon";
import { Secret } from "../../parts/Secret";
import { Empty, ErrorBox, explain, Loaded } from "../../parts/states";
import { Sure } from "../../parts/Sure";
import { Table } from "../../parts/Table";
import { Time, useNow } from "../../parts/Time";
import { tell } from "../../parts/toast";
import { RolePicker } from "./RolePicker";

/** Tokens let programs act for you, with some of your roles. */
export function Tokens() {
  const me = useMe();
  const now = useNow();
  const watches = me.roles.includes("admin") || me.roles.includes("auditor");
  const [all, setAll] = useState(false);
  const [adding, setAdding] = useState(false);
  const tokens = useTokens(all && watches);
  const users = useUsers(watches);
  const revoke = useRevokeToken();
  const owner = (id: string) => (id === me.id ? "you" : (users.data?.find((u) => u.id === id)?.name ?? id));
  return (
    <section className="panel">
      <header><h2>Tokens</h2><div className="row">{watches && <label className="check small"><input type="checkbox" checked={all} onChange={(e) => setAll(e.target.checked)} /> Everyone's</label>}<button type="button" className="button small" onClick={() => setAdding(true)}><Icon name="plus" size={14} /> Make a token</button></div></header>
      <Loaded query={tokens} lines={4}>
        {(list) => (
          <Table caption="Tokens" rows={list} rowKey={(t) => t.id} empty={<Empty icon="key" title="No tokens.">A token lets a program use the API for you. Make one, copy it once, and revoke it when it is no longer needed.</Empty>}
            columns={[
              { key: "name", title: "For", wide: true, show: (t) => <><span className="strong">{t.name}</span><div className="small muted mono">{t.hint}…</div></> },
              { key: "user", title: "Of", minor: true, show: (t) => owner(t.user) },
              { key: "roles", title: "Roles", show: (t) => t.roles.join(", ") },
              { key: "used", title: "Last used", minor: true, show: (t) => <Time at={t.used} /> },
              { key: "state", title: "State", show: (t) => !isZero(t.revoked) ? <Badge icon="ban">Revoked</Badge> : !isZero(t.expires) && new Date(t.expires ?? "") < now ? <Badge icon="clock">Expired</Badge> : <Badge tone="ok" icon="check">Works</Badge> },
              { key: "revoke", title: "Revoke", show: (t) => isZero(t.revoked) && <Sure verb="Revoke" what={t.name} warning="Programs that use it are refused from now on. It cannot be made valid again." busy={revoke.isPending} onYes={() => revoke.mutate(t.id, { onSuccess: () => tell("The token is useless from now on."), onError: (e) => tell(explain(e).title, "bad") })} /> },
            ]} />
        )}
      </Loaded>
      <Dialog title="Make a token" open={adding} onClose={() => setAdding(false)}><AddToken /></Dialog>
    </section>
  );
}

function AddToken() {
  const id = useId();
  const me = useMe();
  const add = useAddToken();
  const [name, setName] = useState("");
  const [chosen, setChosen] = useState<string[]>([]);
  const [days, setDays] = useState("90");
  const submit = (e: FormEvent) => {
    e.preventDefault();
    add.mutate({ name, roles: chosen, expires: days === "" ? undefined : new Date(Date.now() + Number(days) * 86_400_000).toISOString() });
  };
  if (add.data) return <Secret label="Copy the token" value={add.data.secret} />;
  return (
    <form className="stack" onSubmit={submit}>
      {add.error && <ErrorBox error={add.error} />}
      <div className="field"><label htmlFor={`${id}n`}>What it is for</label><input id={`${id}n`} className="input" required maxLength={200} value={name} onChange={(e) => setName(e.target.value)} /></div>
      <RolePicker legend="Roles it has" roles={me.roles.map((role) => ({ role, doc: "" }))} chosen={chosen} onChange={setChosen} />
      <div className="field"><label htmlFor={`${id}d`}>Works for</label><select id={`${id}d`} className="input" value={days} onChange={(e) => setDays(e.target.value)}><option value="7">7 days</option><option value="90">90 days</option><option value="365">A year</option><option value="">Ever</option></select></div>
      <div><button type="submit" className="button primary" disabled={add.isPending}>Make the token</button></div>
    </form>
  );
}
