import { useState, type FormEvent } from "react";
import { Link } from "wouter";
import { useLink, useWelcome } from "../../hooks/session";
import { ErrorBox, Loading } from "../../parts/states";
import { Doorway } from "./SignIn";

/** Opens a one-time link. Its secret stands after #, so it reaches no server's log. */
export function Welcome() {
  const [link] = useState(() => location.hash.slice(1));
  const welcome = useWelcome(link);
  const enter = useLink();
  const [name, setName] = useState("");
  const [label, setLabel] = useState("");
  const [password, setPassword] = useState("");
  const submit = (e: FormEvent) => {
    e.preventDefault();
    enter.mutate(
      { link, name: name || undefined, label: label || undefined, password: password || undefined },
      { onSuccess: () => { history.replaceState(null, "", "/inbox"); location.assign("/inbox"); } },
    );
  };
  if (link === "" || welcome.error) {
    return (
      <Doorway title="This link does not open">
        <div className="panel stack">
          {welcome.error ? <ErrorBox error={welcome.error} /> : <p>The address holds no link. Copy the whole line that was printed or sent, including what stands after #.</p>}
          <Link className="button" href="/">Go to the sign-in</Link>
        </div>
      </Doorway>
    );
  }
  if (!welcome.data) return <Doorway title="Welcome"><div className="panel"><Loading /></div></Doorway>;
  const w = welcome.data;
  return (
    <Doorway title={w.new ? "Welcome" : `Welcome, ${w.name}`} lead={w.roles.length > 0 ? `This link gives you: ${w.roles.join(", ")}. It opens once.` : "This link opens once."}>
      <form className="panel stack" onSubmit={submit}>
        {enter.error && <ErrorBox error={enter.error} />}
        {w.new && (
          <>
            <div className="field">
              <label htmlFor="name">Name to sign in with</label>
              <input id="name" className="input" autoComplete="username" autoCapitalize="none" required pattern="[a-z0-9._@\-]+" value={name} aria-describedby="name-hint" onChange={(e) => setName(e.target.value.toLowerCase())} />
              <span className="hint" id="name-hint">Lower case letters, digits, dots and dashes.</span>
            </div>
            <div className="field">
              <label htmlFor="label">Full name <span className="muted">(optional)</span></label>
              <input id="label" className="input" autoComplete="name" maxLength={200} value={label} onChange={(e) => setLabel(e.target.value)} />
            </div>
          </>
        )}
        <div className="field">
          <label htmlFor="password">{w.new ? "Password" : "New password"}{!w.new && <span className="muted"> (leave empty to keep yours)</span>}</label>
          <input id="password" className="input" type="password" autoComplete="new-password" required={w.new} value={password} aria-describedby="password-hint" onChange={(e) => setPassword(e.target.value)} />
          <span className="hint" id="password-hint">At least 10 characters. A few unrelated words work well.</span>
        </div>
        <button type="submit" className="button primary" disabled={enter.isPending}>{enter.isPending ? "One moment…" : w.new ? "Create account and sign in" : "Sign in"}</button>
      </form>
    </Doorway>
  );
}
