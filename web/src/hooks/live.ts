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

/** How long a page that nobody looks at keeps listening. Browsers allow a site few connections. */
const patience = 30_000;

/**
 * Listens to the server's events while the page is looked at and marks what they
 * change as stale. The browser reconnects by itself and says which event it saw
 * last, so nothing is missed; after a lost connection everything is fetched again.
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
    const listen = () => {
      source = new EventSource(`/api/v1/events${last === "" ? "" : `?after=${last}`}`);
      source.onopen = () => {
        setConnected(true);
        if (lost) void client.invalidateQueries();
        lost = false;
      };
      source.onerror = () => {
        lost = true;
        setConnected(false);
      };
      source.onmessage = (m: MessageEvent<string>) => {
        last = m.lastEventId || last;
        const event = JSON.parse(m.data) as Event;
        gather(event);
        listeners.forEach((l) => l(event));
      };
    };
    const leave = () => {
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
