import { useId, useState, type FormEvent } from "react";
import type { User } from "../../api/types";
import { useHas, useMe } from "../../hooks/session";
import { useAddUser, useChangeUser, useMakeLink, useRoles, useUsers } from "../../hooks/settings";
import { Badge } from "../../parts/Badge";
import { Dialog } from "../../parts/Dialog";
import { Icon } from "../../parts/Icon";
import { Secret } from "../../parts/Secret";
import { Empty, ErrorBox, Loaded } from "../../parts/states";
import { Table } from "../../parts/Table";
import { Time } from "../../parts/Time";
import { tell } from "../../parts/toast";
import { RolePicker } from "./RolePicker";

/** Everyone who may sign in. */
export function Users() {
  const users = useUsers();
  const admin = useHas("admin");
  const [adding, setAdding] = useState(false);
  const [editing, setEditing] = useState<User>();
  return (
    <section className="panel">
      <header><h2>Users</h2>{admin && <button type="button" className="button small" onClick={() => setAdding(true)}><Icon name="plus" size={14} /> Add someone</button>}</header>
      <Loaded query={users} lines={6}>
        {(all) => (
          <Table caption="Users" rows={all} rowKey={(u) => u.id} empty={<Empty icon="people" title="Nobody yet." />}
            columns={[
              { key: "name", title: "Name", show: (u) => <><span className="strong">{u.display || u.name}</span><div className="small muted mono">{u.name}</div></>, sort: (u) => u.name },
              { key: "roles", title: "Roles", wide: true, show: (u) => <span className="row">{u.roles.map((r) => <Badge key={r} icon="person">{r}</Badge>)}</span> },
              { key: "access", title: "Access", show: (u) => (u.disabled ? <Badge tone="bad" icon="ban">Off</Badge> : <Badge tone="ok" icon="check">On</Badge>) },
              { key: "created", title: "Added", minor: true, show: (u) => <Time at={u.created} />, sort: (u) => u.created },
              ...(admin ? [{ key: "edit", title: "Change", show: (u: User) => <button type="button" className="button small" aria-label={`Change ${u.name}`} onClick={() => setEditing(u)}>Change</button> }] : []),
            ]} />
        )}
      </Loaded>
      <Dialog title="Add someone" open={adding} onClose={() => setAdding(false)}><AddUser /></Dialog>
      <Dialog title={`Change ${editing?.name ?? ""}`} open={editing !== undefined} onClose={() => setEditing(undefined)}>{editing && <ChangeUser user={editing} close={() => setEditing(undefined)} />}</Dialog>
    </section>
  );
}

function AddUser() {
  const id = useId();
  const add = useAddUser();
  const roles = useRoles();
  const [name, setName] = useState("");
  const [display, setDisplay] = useState("");
  const [chosen, setChosen] = useState<string[]>([]);
  const submit = (e: FormEvent) => {
    e.preventDefault();
    add.mutate({ name, display: display || undefined, roles: chosen });
  };
  if (add.data?.link) return <Secret label={`Send this link to ${add.data.name}`} value={add.data.link} />;
  return (
    <form className="stack" onSubmit={submit}>
      {add.error && <ErrorBox error={add.error} />}
      <div className="field"><label htmlFor={`${id}n`}>Name to sign in with</label><input id={`${id}n`} className="input" autoCapitalize="none" required value={name} onChange={(e) => setName(e.target.value.toLowerCase())} /></div>
      <div className="field"><label htmlFor={`${id}d`}>Full name <span className="muted">(optional)</span></label><input id={`${id}d`} className="input" value={display} onChange={(e) => setDisplay(e.target.value)} /></div>
      <RolePicker legend="Roles" roles={roles.data ?? []} chosen={chosen} onChange={setChosen} />
      <div><button type="submit" className="button primary" disabled={add.isPending}>Add and make a link</button></div>
    </form>
  );
}

function ChangeUser({ user, close }: { user: User; close: () => void }) {
  const me = useMe();
  const change = useChangeUser();
  const link = useMakeLink();
  const roles = useRoles();
  const [chosen, setChosen] = useState(user.roles);
  const [off, setOff] = useState(user.disabled);
  const submit = (e: FormEvent) => {
    e.preventDefault();
    change.mutate({ user, roles: chosen, disabled: off }, { onSuccess: () => { tell(`${user.name} was changed.`); close(); } });
  };
  return (
    <form className="stack" onSubmit={submit}>
      {change.error && <ErrorBox error={change.error} />}
      <RolePicker legend="Roles" roles={roles.data ?? []} chosen={chosen} onChange={setChosen} />
      {user.id !== me.id && <label className="check"><input type="checkbox" checked={off} onChange={(e) => setOff(e.target.checked)} /> May not sign in</label>}
      {link.error && <ErrorBox error={link.error} />}
      {link.data && <Secret label={`Send this link to ${user.name}`} value={link.data.link} />}
      <div className="row"><button type="submit" className="button primary" disabled={change.isPending}>Save</button><button type="button" className="button" disabled={link.isPending} onClick={() => link.mutate(user.id)}><Icon name="link" size={14} /> Make a sign-in link</button></div>
    </form>
  );
}
