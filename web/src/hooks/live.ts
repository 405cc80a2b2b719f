import { useQueryClient, type QueryClient } from "@tanstack/react-query";
import { useEffect, useSyncExternalStore } from "react";
import type { Event } from "../api/types";

let connected = false;
const watchers = new Set<() => void>();
const listeners = new Set<(e: Event) => void>();

function setConnected(on: boolean) {
  if (connected === on) return;
  connected = on;
  watchers.forEach((w) => w());
}

/** Whether changes arrive by themselves at this moment. */
export function useConnected(): boolean {
  return useSyncExternalStore((fn) => (watchers.add(fn), () => watchers.delete(fn)), () => connected);
}

/** Calls fn with everything that happens while the component is shown. */
export function useEvents(fn: (e: Event) => void) {
  useEffect(() => {
    listeners.add(fn);
    return () => void listeners.delete(fn);
  }, [fn]);
}

/** What each noun of an event's kind makes stale, by the first word of the query's key. */
const stale: Record<string, string[]> = {
  approval: ["approvals", "approval", "case"],
  case: ["cases", "case", "apps"],
  evidence: ["case"],
  finding: ["case"],
  run: ["runs", "run", "case"],
};

/** How long after a refusal the server is asked again, doubling up to the second. */
const [soon, seldom] = [2_000, 60_000];

/** How long a page that nobody looks at keeps listening. Browsers allow a site few connections. */
const patience = 30_000;

/**
 * Listens to the server's events while the page is looked at and marks what they
 * change as stale. It reconnects and says which event it saw last, so nothing is
 * missed; after a lost connection everything is fetched again.
 */
export function useLive(enabled: boolean) {
  const client = useQueryClient();
  useEffect(() => {
    if (!enabled || typeof EventSource === "undefined") return;
    const gather = gatherer(client);
    let source: EventSource | undefined;
    let last = "";
    let lost = false;
    let leaving: ReturnType<typeof setTimeout> | undefined;
    let again: ReturnType<typeof setTimeout> | undefined;
    let pause = soon;
    const listen = () => {
      source = new EventSource(`/api/v1/events${last === "" ? "" : `?after=${last}`}`);
      source.onopen = () => {
        setConnected(true);
        if (lost) void client.invalidateQueries();
        lost = false;
        pause = soon;
      };
      source.onerror = () => {
        lost = true;
        setConnected(false);
        if (source?.readyState !== EventSource.CLOSED) return;
        // The browser comes back by itself after a broken line, and never after a refusal:
        // the product was restarting behind a proxy, or nobody is signed in any more.
        void client.invalidateQueries({ queryKey: ["session"] });
        again = setTimeout(listen, pause);
        pause = Math.min(2 * pause, seldom);
      };
      source.onmessage = (m: MessageEvent<string>) => {
        last = m.lastEventId || last;
        const event = JSON.parse(m.data) as Event;
        gather(event);
        listeners.forEach((l) => l(event));
      };
    };
    const leave = () => {
      clearTimeout(again);
      source?.close();
      source = undefined;
      lost = true;
      setConnected(false);
    };
    const look = () => {
      clearTimeout(leaving);
      if (document.hidden) leaving = setTimeout(leave, patience);
      else if (!source) listen();
    };
    listen();
    document.addEventListener("visibilitychange", look);
    return () => {
      document.removeEventListener("visibilitychange", look);
      clearTimeout(leaving);
      leave();
    };
  }, [client, enabled]);
}

/** Collects what becomes stale and fetches it again at most four times a second. */
function gatherer(client: QueryClient) {
  let keys = new Set<string>();
  let cases = new Set<string>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const flush = () => {
    timer = undefined;
    const [k, c] = [keys, cases];
    keys = new Set();
    cases = new Set();
    void client.invalidateQueries({
      predicate: ({ queryKey: [first, second] }) => {
        if (typeof first !== "string" || !k.has(first)) return false;
        return first !== "case" || typeof second !== "string" || c.has(second);
      },
    });
  };
  return (e: Event) => {
    const nouns = stale[e.kind.split(".")[0]] ?? ["case", "app"];
    nouns.forEach((n) => keys.add(n));
    if (e.case) cases.add(e.case);
    timer ??= setTimeout(flush, 250);
  };
}
