import { lazy, Suspense, useEffect } from "react";
import { Redirect, Route, Switch } from "wouter";
import { useSession } from "./hooks/session";
import { openKept } from "./lib/kept";
import { SignIn } from "./pages/signin/SignIn";
import { Welcome } from "./pages/signin/Welcome";
import { Page } from "./parts/Page";
import { Boundary } from "./parts/Boundary";
import { Empty, ErrorBox, Loading } from "./parts/states";
import { Shell } from "./Shell";
import { Inbox } from "./pages/inbox/Inbox";

const Cases = lazy(() => import("./pages/cases/Cases"));
const CasePage = lazy(() => import("./pages/case/CasePage"));
const Runs = lazy(() => import("./pages/runs/Runs"));
const RunPage = lazy(() => import("./pages/runs/RunPage"));
const Compare = lazy(() => import("./pages/runs/Compare"));
const Ledger = lazy(() => import("./pages/ledger/Ledger"));
const Apps = lazy(() => import("./pages/apps/Apps"));
const AppPages = lazy(() => import("./pages/apps/AppPages"));
const Evals = lazy(() => import("./pages/evals/Evals"));
const Settings = lazy(() => import("./pages/settings/Settings"));

/** The whole console: the sign-in, or the pages behind it. */
export function App() {
  const session = useSession();
  return (
    <Switch>
      <Route path="/welcome"><Welcome /></Route>
      <Route>
        {session.data ? (session.data.signed_in ? <Inside /> : <SignIn session={session.data} />) : session.error ? <Outside error={session.error} retry={() => void session.refetch()} /> : <main className="signin"><Loading label="Loading the console" /></main>}
      </Route>
    </Switch>
  );
}

/** What is shown while nobody knows who is there. */
function Outside({ error, retry }: { error: Error; retry: () => void }) {
  useEffect(() => openKept(error), [error]);
  return <main className="signin"><ErrorBox error={error} retry={retry} /></main>;
}

function Inside() {
  return (
    <Shell>
      <Boundary>
        <Suspense fallback={<div className="page"><Loading lines={8} /></div>}>
          <Switch>
            <Route path="/"><Redirect to="/inbox" replace /></Route>
            <Route path="/inbox"><Inbox /></Route>
            <Route path="/inbox/:id">{(p) => <Inbox id={p.id} />}</Route>
            <Route path="/cases"><Cases /></Route>
            <Route path="/cases/:id/*?">{(p) => <CasePage key={p.id} id={p.id} />}</Route>
            <Route path="/runs"><Runs /></Route>
            <Route path="/runs/compare/:a/:b">{(p) => <Compare a={p.a} b={p.b} />}</Route>
            <Route path="/runs/:id">{(p) => <RunPage key={p.id} id={p.id} />}</Route>
            <Route path="/ledger"><Ledger /></Route>
            <Route path="/apps"><Apps /></Route>
            <Route path="/apps/:app/*?">{(p) => <AppPages key={p.app} id={p.app} />}</Route>
            <Route path="/evals/*?"><Evals /></Route>
            <Route path="/settings/*?"><Settings /></Route>
            <Route><NotHere /></Route>
          </Switch>
        </Suspense>
      </Boundary>
    </Shell>
  );
}

function NotHere() {
  return (
    <Page title="Nothing here">
      <Empty icon="search" title="There is no page at this address.">Check the address, or choose a page from the navigation.</Empty>
    </Page>
  );
}
