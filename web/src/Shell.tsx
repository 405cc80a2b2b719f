import { useEffect, useRef, useState, type ReactNode } from "react";
import { Link, useLocation } from "wouter";
import { useInboxCount } from "./hooks/approvals";
import { useApps } from "./hooks/apps";
import { useConnected, useLive } from "./hooks/live";
import { useMe, useSignOut } from "./hooks/session";
import { useTheme, type Theme } from "./hooks/theme";
import { Icon, type IconName } from "./parts/Icon";
import { Toasts } from "./parts/toast";

const nav: { href: string; title: string; icon: IconName }[] = [
  { href: "/inbox", title: "Inbox", icon: "inbox" },
  { href: "/cases", title: "Cases", icon: "folder" },
  { href: "/runs", title: "Runs", icon: "run" },
  { href: "/ledger", title: "Ledger", icon: "ledger" },
  { href: "/apps", title: "Apps", icon: "apps" },
  { href: "/evals", title: "Evals", icon: "evals" },
  { href: "/settings", title: "Settings", icon: "settings" },
];

/** The frame around every page: navigation, theme, who is signed in. */
export function Shell({ children }: { children: ReactNode }) {
  const [path] = useLocation();
  const [open, setOpen] = useState(false);
  const main = useRef<HTMLElement>(null);
  const first = useRef(true);
  useLive(true);
  useEffect(() => {
    setOpen(false);
    if (first.current) {
      first.current = false;
      return;
    }
    window.scrollTo(0, 0);
  }, [path]);
  return (
    <div className="shell" onKeyDown={(e) => e.key === "Escape" && setOpen(false)}>
      <a className="skip" href="#main" onClick={(e) => { e.preventDefault(); main.current?.focus(); }}>Skip to the page</a>
      <header className="shell-top">
        <button type="button" className="button icon quiet" aria-label="Menu" aria-expanded={open} onClick={() => setOpen(true)}><Icon name="menu" size={20} /></button>
        <Brand />
      </header>
      {open && <button type="button" className="nav-shade" aria-label="Close the menu" onClick={() => setOpen(false)} />}
      <Navigation open={open} close={() => setOpen(false)} path={path} />
      <main id="main" ref={main} className="shell-main" tabIndex={-1}>{children}</main>
      <Toasts />
    </div>
  );
}

function Navigation({ open, close, path }: { open: boolean; close: () => void; path: string }) {
  const me = useMe();
  const waiting = useInboxCount();
  const apps = useApps();
  const connected = useConnected();
  const signOut = useSignOut();
  const here = (href: string) => (path === href || path.startsWith(href + "/") ? ("page" as const) : undefined);
  const ownApp = apps.data?.find((a) => here(`/apps/${a.id}`));
  return (
    <nav className={open ? "shell-nav open" : "shell-nav"} aria-label="Main">
      <div className="nav-head"><Brand /><button type="button" className="button icon quiet nav-close" aria-label="Close the menu" onClick={close}><Icon name="cross" /></button></div>
      <ul className="nav-list">
        {nav.map((n) => (
          <li key={n.href}>
            <Link href={n.href} aria-current={n.href === "/apps" && ownApp ? undefined : here(n.href)}>
              <Icon name={n.icon} size={17} /> {n.title}
              {n.href === "/inbox" && waiting > 0 && <span className="nav-count" title={`${waiting} waiting for you`}>{waiting}<span className="visually-hidden"> waiting for you</span></span>}
            </Link>
          </li>
        ))}
      </ul>
      {apps.data && apps.data.length > 0 && (
        <>
          <p className="nav-title" id="nav-apps">Your apps</p>
          <ul className="nav-list" aria-labelledby="nav-apps">
            {apps.data.map((a) => <li key={a.id}><Link href={`/apps/${a.id}`} aria-current={here(`/apps/${a.id}`)}>{a.title}</Link></li>)}
          </ul>
        </>
      )}
      <div className="nav-foot">
        <div className="row between"><span className="live" data-on={connected}>{connected ? "Live" : "Connecting…"}</span><ThemeChoice /></div>
        <div className="nav-who">
          <Icon name="person" size={18} />
          <div className="grow"><div className="strong">{me.label || me.name}</div><div className="small muted" title={me.roles.join(", ")}>{me.roles.length > 2 ? `${me.roles[0]} and ${me.roles.length - 1} more roles` : me.roles.join(", ") || "no role"}</div></div>
        </div>
        <button type="button" className="button small" onClick={() => signOut.mutate()}>Sign out</button>
      </div>
    </nav>
  );
}

function Brand() {
  return (
    <Link className="brand" href="/inbox">
      <svg width="24" height="24" viewBox="0 0 32 32" aria-hidden="true"><rect width="32" height="32" rx="7" fill="var(--accent)" /><path d="M7 11.5A1.5 1.5 0 0 1 8.5 10h5l2 2.5h8A1.5 1.5 0 0 1 25 14v8.5a1.5 1.5 0 0 1-1.5 1.5h-15A1.5 1.5 0 0 1 7 22.5z" fill="var(--accent-ink)" /><path d="m12.5 18 2.6 2.6 5-5" fill="none" stroke="var(--accent)" strokeWidth="2" strokeLinecap="round" strokeLinejoin="round" /></svg>
      Dossier
    </Link>
  );
}

const themes: Record<Theme, { next: Theme; icon: IconName; word: string }> = {
  system: { next: "light", icon: "auto", word: "as the system" },
  light: { next: "dark", icon: "sun", word: "light" },
  dark: { next: "system", icon: "moon", word: "dark" },
};

export function ThemeChoice() {
  const { theme, choose } = useTheme();
  const t = themes[theme];
  return (
    <button type="button" className="button icon quiet small" aria-label={`Theme: ${t.word}. Change to ${themes[t.next].word}.`} title={`Theme: ${t.word}`} onClick={() => choose(t.next)}>
      <Icon name={t.icon} size={17} />
    </button>
  );
}
