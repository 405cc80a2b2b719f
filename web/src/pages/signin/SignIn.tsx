import { useEffect, useState, type FormEvent, type ReactNode } from "react";
import type { Session } from "../../api/types";
import { useSignIn } from "../../hooks/session";
import { ErrorBox, Notice } from "../../parts/states";

/** The frame of the pages that need no identity. */
export function Doorway({ title, lead, children }: { title: string; lead?: ReactNode; children: ReactNode }) {
  useEffect(() => {
    document.title = `${title} · Dossier`;
  }, [title]);
  return (
    <main className="signin">
      <div className="signin-box">
        <div className="stack tight">
          <div className="brand"><img src="/icon.svg" width="28" height="28" alt="" /> Dossier</div>
          <h1>{title}</h1>
          {lead && <p className="muted">{lead}</p>}
        </div>
        {children}
      </div>
    </main>
  );
}

/** Why the identity provider's answer did not sign anybody in, once: the server leaves it in a cookie. */
function takeTold(): string | undefined {
  const told = document.cookie.split("; ").find((c) => c.startsWith("dossier_told="));
  if (told === undefined) return undefined;
  document.cookie = "dossier_told=; Max-Age=0; Path=/; SameSite=Lax";
  return decodeURIComponent(told.slice("dossier_told=".length));
}

/** Signing in with a name and a password, or with the identity provider. */
export function SignIn({ session }: { session: Session }) {
  const [name, setName] = useState("");
  const [password, setPassword] = useState("");
  const signIn = useSignIn();
  const [told, setTold] = useState<string>();
  useEffect(() => setTold((was) => takeTold() ?? was), []);
  const submit = (e: FormEvent) => {
    e.preventDefault();
    signIn.mutate({ name, password });
  };
  const back = encodeURIComponent(location.pathname + location.search);
  return (
    <Doorway title="Sign in" lead="Decisions that can be checked.">
      <form className="panel stack" onSubmit={submit}>
        {signIn.error ? <ErrorBox error={signIn.error} /> : told && <Notice tone="bad">{told}</Notice>}
        <div className="field">
          <label htmlFor="name">Name</label>
          <input id="name" className="input" autoComplete="username" autoCapitalize="none" required value={name} onChange={(e) => setName(e.target.value)} />
        </div>
        <div className="field">
          <label htmlFor="password">Password</label>
          <input id="password" className="input" type="password" autoComplete="current-password" required value={password} onChange={(e) => setPassword(e.target.value)} />
        </div>
        <button type="submit" className="button primary" disabled={signIn.isPending}>{signIn.isPending ? "Signing in…" : "Sign in"}</button>
        {session.provider && (
          <>
            <p className="or">or</p>
            <a className="button" href={`/api/v1/session/oidc?back=${back}`}>Sign in with {session.provider}</a>
          </>
        )}
      </form>
      <p className="small muted">No account yet? An administrator can send you a link that opens once.</p>
    </Doorway>
  );
}
