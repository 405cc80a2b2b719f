import { Suspense, useEffect } from "react";
import { Link, Route, Switch } from "wouter";
import type { AppDetail } from "../../api/types";
import type { AppModule, AppPage } from "../../apps";
import { useApp, useAppModule } from "../../hooks/apps";
import { useMe } from "../../hooks/session";
import { openKept } from "../../lib/kept";
import { Page } from "../../parts/Page";
import { Boundary } from "../../parts/Boundary";
import { Empty, ErrorBox, Loading } from "../../parts/states";
import { Tabs, type Tab } from "../../parts/Tabs";
import { About } from "./About";
import { AppCases } from "./AppCases";
import { AppChat } from "./AppChat";

/** An app: its own pages first, then what every app has. */
export default function AppPages({ id }: { id: string }) {
  const app = useApp(id);
  const module = useAppModule(id);
  const error = app.error ?? module.error;
  const there = app.data !== undefined && module.data !== undefined;
  useEffect(() => {
    if (error && !there) openKept(error);
  }, [error, there]);
  // What is open stays open: a page may go on without the server.
  if (app.data && module.data) return <AppView app={app.data} module={module.data} />;
  if (error) return <Page title={id} above={<Link href="/apps">Apps</Link>}><ErrorBox error={error} retry={() => { void app.refetch(); void module.refetch(); }} /></Page>;
  return <Page title="Loading…" above={<Link href="/apps">Apps</Link>}><Loading lines={10} /></Page>;
}

function AppView({ app: a, module }: { app: AppDetail; module: AppModule }) {
  const me = useMe();
  const base = `/apps/${a.id}`;
  const pages = module.pages.filter((p) => !p.roles || p.roles.some((r) => me.roles.includes(r)) || me.roles.includes("admin"));
  const landing = pages.find((p) => p.path === "");
  const canTalk = a.chat.length > 0 && (a.mine.length > 0 || me.roles.includes("admin"));
  const tabs: Tab[] = [
    ...(landing ? [{ href: base, title: landing.title }] : []),
    ...pages.filter((p) => p.path !== "" && (p.tab ?? !p.path.includes(":"))).map((p) => ({ href: `${base}/${p.path}`, title: p.title })),
    { href: landing ? `${base}/cases` : base, title: "Cases" },
    ...(canTalk && !pages.some((p) => p.path === "chat") ? [{ href: `${base}/chat`, title: "Chat" }] : []),
    { href: `${base}/about`, title: "About" },
  ];
  return (
    <Page title={a.title} above={<Link href="/apps">Apps</Link>} lead={a.doc} wide>
      <Tabs label={`Pages of ${a.title}`} tabs={tabs} />
      <Boundary>
        <Suspense fallback={<Loading lines={8} />}>
          <Switch>
            {pages.map((p) => <Route key={p.path} path={at(base, p)}>{p.element}</Route>)}
            <Route path={`${base}/cases`}><AppCases app={a} /></Route>
            {canTalk && <Route path={`${base}/chat/:run?`}>{(p) => <AppChat app={a} run={p.run} />}</Route>}
            <Route path={`${base}/about`}><About app={a} /></Route>
            {!landing && <Route path={base}><AppCases app={a} /></Route>}
            <Route><Empty icon="search" title="This app has no such page."><Link href={base}>Go to its first page</Link></Empty></Route>
          </Switch>
        </Suspense>
      </Boundary>
    </Page>
  );
}

function at(base: string, p: AppPage): string {
  return p.path === "" ? base : `${base}/${p.path}`;
}
