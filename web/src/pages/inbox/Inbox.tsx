import { useCallback, useEffect, useRef, useState } from "react";
import { Link, useLocation } from "wouter";
import type { ApprovalItem, Verb } from "../../api/types";
import { useApproval, useApprovals, useInbox } from "../../hooks/approvals";
import { useAppTitle } from "../../hooks/apps";
import { ago, exact, isZero } from "../../lib/format";
import { useQueryState } from "../../lib/query";
import { ApprovalBadge } from "../../parts/Badge";
import { Dialog } from "../../parts/Dialog";
import { Icon } from "../../parts/Icon";
import { Page } from "../../parts/Page";
import { Empty, ErrorBox, Loaded, Loading } from "../../parts/states";
import { Time, useNow } from "../../parts/Time";
import { Ask } from "./Ask";
import { KeyHelp, useKeys } from "./keys";

type View = "mine" | "pending" | "decided";

/** What waits for whoever is signed in, one beside the other with everything about it. */
export function Inbox({ id }: { id?: string }) {
  const [get, set] = useQueryState();
  const view = (get("view") || "mine") as View;
  return (
    <Page
      title="Inbox"
      wide
      lead="What cannot be undone waits here for a person."
      actions={
        <div className="segmented" role="group" aria-label="Which requests">
          {(["mine", "pending", "decided"] as const).map((v) => (
            <button key={v} type="button" className="button small" aria-pressed={view === v} onClick={() => set({ view: v === "mine" ? "" : v })}>{{ mine: "For me", pending: "All pending", decided: "Decided" }[v]}</button>
          ))}
        </div>
      }
    >
      {view === "mine" ? <Mine id={id} app={get("app")} /> : <Others key={view} view={view} id={id} />}
    </Page>
  );
}

function Mine({ id, app }: { id?: string; app: string }) {
  const inbox = useInbox();
  if (!inbox.data) return inbox.error ? <ErrorBox error={inbox.error} retry={() => void inbox.refetch()} /> : <div className="panel"><Loading lines={8} /></div>;
  const items = inbox.data.filter((a) => app === "" || a.app === app);
  const head = <ByApp items={inbox.data} app={app} />;
  return <Desk mine head={head} items={items} id={id} query={app && `?app=${app}`} empty={<Empty icon="check" title="Nothing waits for you.">When an agent wants to do something that needs your decision, it appears here by itself. <Link href="/inbox?view=decided">Look up what was decided</Link> or <Link href="/cases">look at the cases</Link>.</Empty>} />;
}

/** How many wait in each app; choosing one leaves the others out. */
function ByApp({ items, app }: { items: ApprovalItem[]; app: string }) {
  const [, go] = useLocation();
  const title = useAppTitle();
  const apps = [...new Set(items.map((a) => a.app))].sort();
  if (apps.length < 2 && app === "") return null;
  return (
    <div className="row inbox-apps" role="group" aria-label="Requests of">
      {["", ...apps].map((a) => (
        <button key={a} type="button" className="button small" aria-pressed={a === app} onClick={() => go(`/inbox${a && `?app=${a}`}`)}>
          {a ? title(a) : "All"} <span className="muted">{a ? items.filter((i) => i.app === a).length : items.length}</span>
        </button>
      ))}
    </div>
  );
}

function Others({ view, id }: { view: "pending" | "decided"; id?: string }) {
  const found = useApprovals(view);
  return (
    <Loaded query={found} lines={8}>
      {(data) => (
        <>
          <Desk items={data.pages.flatMap((p) => p.items)} id={id} query={`?view=${view}`} empty={<Empty icon="inbox" title={view === "pending" ? "Nothing is pending." : "Nothing has been decided yet."} />} />
          {found.hasNextPage && <div><button type="button" className="button small" onClick={() => void found.fetchNextPage()}>Show more</button></div>}
        </>
      )}
    </Loaded>
  );
}

/** A list and the chosen request beside it, with the keyboard all through. */
function Desk({ items, id, query, empty, mine, head }: { items: ApprovalItem[]; id?: string; query: string; empty: React.ReactNode; mine?: boolean; head?: React.ReactNode }) {
  const [, go] = useLocation();
  const [help, setHelp] = useState(false);
  const [verb, setVerb] = useState<Verb>();
  const wide = useWide();
  const first = useFirst(items, query);
  const chosen = id ?? (wide ? first : undefined);
  const at = items.findIndex((a) => a.id === chosen);
  const list = useRef<HTMLUListElement>(null);
  useEffect(() => setVerb(undefined), [chosen]);
  const step = useCallback(
    (by: number) => {
      const next = items[Math.min(items.length - 1, Math.max(0, at + by))];
      if (next) go(`/inbox/${next.id}${query}`);
    },
    [items, at, go, query],
  );
  useEffect(() => {
    list.current?.querySelector('[aria-current="true"]')?.scrollIntoView({ block: "nearest" });
  }, [chosen]);
  useKeys({ j: () => step(1), k: () => step(-1), a: () => setVerb("approve"), e: () => setVerb("edit"), r: () => setVerb("reject"), m: () => setVerb("respond"), "?": () => setHelp(true), Escape: () => setVerb(undefined) });
  const outside = id !== undefined && at < 0;
  return (
    <>
      <div className="inbox">
        {(wide || chosen === undefined) && (
          <div className="panel inbox-list">
            {head}
            {items.length === 0 ? empty : (
              <ul ref={list} aria-label="Requests">
                {items.map((a) => <li key={a.id}><Item item={a} current={a.id === chosen} href={`/inbox/${a.id}${query}`} /></li>)}
              </ul>
            )}
          </div>
        )}
        {chosen !== undefined && (
          <div className="stack">
            {(!wide || outside) && <div><Link href={`/inbox${query}`} className="small">← All requests</Link></div>}
            <Chosen key={chosen} id={chosen} verb={verb} setVerb={setVerb} onDone={() => { const next = items[at + 1] ?? items[at - 1]; if (mine) go(`/inbox/${next && next.id !== chosen ? next.id : chosen}${query}`); }} />
          </div>
        )}
      </div>
      <p className="small muted keys-hint"><kbd>j</kbd> <kbd>k</kbd> move, <kbd>a</kbd> approve, <kbd>e</kbd> edit, <kbd>r</kbd> reject, <kbd>m</kbd> respond, <kbd>?</kbd> all keys</p>
      <Dialog title="Keys" open={help} onClose={() => setHelp(false)}><KeyHelp /></Dialog>
    </>
  );
}

function Item({ item: a, current, href }: { item: ApprovalItem; current: boolean; href: string }) {
  const title = useAppTitle();
  return (
    <Link className="inbox-item" href={href} aria-current={current || undefined}>
      <span className="title">{a.title}</span>
      <span className="row small muted"><span>{title(a.app)}</span><span>asked <Time at={a.asked} /></span>{(a.doubt || a.status !== "pending") && <ApprovalBadge approval={a} />}</span>
      {a.status === "pending" && <Left expires={a.expires} />}
    </Link>
  );
}

/** How much time is left to decide. */
export function Left({ expires }: { expires: string | undefined }) {
  const now = useNow();
  if (isZero(expires) || !expires) return null;
  const at = new Date(expires);
  const ms = at.getTime() - now.getTime();
  const tone = ms <= 0 ? "bad" : ms < 24 * 3_600_000 ? "warn" : "";
  return <span className={`row small left ${tone}`}><Icon name="clock" size={14} /><span>{ms <= 0 ? "Expired" : "Expires"} <time dateTime={expires} title={exact(at)}>{ago(at, now)}</time></span></span>;
}

function Chosen({ id, verb, setVerb, onDone }: { id: string; verb: Verb | undefined; setVerb: (v: Verb | undefined) => void; onDone: () => void }) {
  const approval = useApproval(id);
  if (!approval.data) return approval.error ? <ErrorBox error={approval.error} retry={() => void approval.refetch()} /> : <div className="panel"><Loading lines={10} /></div>;
  return <Ask approval={approval.data} verb={verb} setVerb={setVerb} onDone={onDone} />;
}

/**
 * The request that stands first when the list is opened. It stays the one that is shown
 * while others come and go: nobody may find another request under the hand that decides.
 */
function useFirst(items: ApprovalItem[], query: string): string | undefined {
  const [kept, keep] = useState<{ query: string; id: string }>();
  const first = items[0]?.id;
  if (kept?.query === query) return kept.id;
  if (first !== undefined) keep({ query, id: first });
  return first;
}

function useWide(): boolean {
  const [wide, setWide] = useState(() => typeof matchMedia !== "function" || matchMedia("(min-width: 1000px)").matches);
  useEffect(() => {
    if (typeof matchMedia !== "function") return;
    const m = matchMedia("(min-width: 1000px)");
    const set = () => setWide(m.matches);
    m.addEventListener("change", set);
    return () => m.removeEventListener("change", set);
  }, []);
  return wide;
}
