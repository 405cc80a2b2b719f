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

/**
 * Listens to the server's events for as long as the page is open and marks what they
 * change as stale. The browser reconnects by itself and says which event it saw
 * last, so nothing is missed; after a longer silence everything is fetched again.
 */
export function useLive(enabled: boolean) {
  const client = useQueryClient();
  useEffect(() => {
    if (!enabled || typeof EventSource === "undefined") return;
    const source = new EventSource("/api/v1/events");
    const gather = gatherer(client);
    let lost = false;
    const take = (m: MessageEvent<string>) => {
      try {
        const event = JSON.parse(m.data) as Event;
        gather(event);
        listeners.forEach((l) => l(event));
      } catch {
        // Not an event of ours.
      }
    };
    source.onopen = () => {
      setConnected(true);
      if (lost) void client.invalidateQueries();
      lost = false;
    };
    source.onerror = () => {
      lost = true;
      setConnected(false);
    };
    source.onmessage = take;
    source.addEventListener("event", take as (e: globalThis.Event) => void);
    return () => {
      source.close();
      setConnected(false);
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
