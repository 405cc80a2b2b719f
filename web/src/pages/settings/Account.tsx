import { useState, type FormEvent } from "react";
import { useAppTitle } from "../../hooks/apps";
import { useChangePassword, useMe } from "../../hooks/session";
import { useTheme, type Theme } from "../../hooks/theme";
import { words } from "../../lib/format";
import { Badge } from "../../parts/Badge";
import { ErrorBox } from "../../parts/states";
import { tell } from "../../parts/toast";

/** Who you are here, how the console looks, and your password. */
export function Account() {
  const me = useMe();
  const title = useAppTitle();
  const { theme, choose } = useTheme();
  return (
    <div className="stack">
      <section className="panel pad stack">
        <h2>{me.label || me.name}</h2>
        <dl className="facts">
          <div className="fact"><dt>Signs in as</dt><dd><code>{me.name}</code></dd></div>
          <div className="fact"><dt>Roles</dt><dd className="row">{me.roles.length === 0 ? "none" : me.roles.map((r) => <Badge key={r} icon="person">{r}</Badge>)}</dd></div>
          <div className="fact"><dt>Sees</dt><dd>{me.apps.length === 0 ? "no app" : me.apps.map(title).join(", ")}</dd></div>
        </dl>
      </section>
      <section className="panel pad stack">
        <h2>Look</h2>
        <fieldset className="row"><legend className="visually-hidden">Theme</legend>
          {(["system", "light", "dark"] as Theme[]).map((t) => <label key={t} className="check"><input type="radio" name="theme" checked={theme === t} onChange={() => choose(t)} /> {t === "system" ? "As the system" : words(t)}</label>)}
        </fieldset>
      </section>
      {me.local && <Password />}
    </div>
  );
}

function Password() {
  const change = useChangePassword();
  const [old, setOld] = useState("");
  const [next, setNext] = useState("");
  const submit = (e: FormEvent) => {
    e.preventDefault();
    change.mutate({ old, new: next }, { onSuccess: () => { setOld(""); setNext(""); tell("Your password was changed. Other browsers are signed out."); } });
  };
  return (
    <section className="panel pad stack">
      <h2>Password</h2>
      {change.error && <ErrorBox error={change.error} />}
      <form className="filters" onSubmit={submit}>
        <div className="field"><label htmlFor="old">Old password</label><input id="old" className="input" type="password" autoComplete="current-password" required value={old} onChange={(e) => setOld(e.target.value)} /></div>
        <div className="field"><label htmlFor="new">New password</label><input id="new" className="input" type="password" autoComplete="new-password" minLength={10} required value={next} onChange={(e) => setNext(e.target.value)} /></div>
        <button type="submit" className="button" disabled={change.isPending}>Change</button>
      </form>
    </section>
  );
}
