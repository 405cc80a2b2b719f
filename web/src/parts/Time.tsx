import { useSyncExternalStore } from "react";
import { ago, exact, isZero } from "../lib/format";

let now = new Date();
const watchers = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

function watch(fn: () => void) {
  watchers.add(fn);
  timer ??= setInterval(() => {
    now = new Date();
    watchers.forEach((w) => w());
  }, 15_000);
  return () => {
    watchers.delete(fn);
    if (watchers.size === 0 && timer) {
      clearInterval(timer);
      timer = undefined;
    }
  };
}

/** The present moment, renewed every fifteen seconds for all who look. */
export function useNow(): Date {
  return useSyncExternalStore(watch, () => now, () => now);
}

/** A moment: how long ago, with the exact time on hover and for screen readers. */
export function Time({ at, both = false }: { at: string | undefined; both?: boolean }) {
  const current = useNow();
  if (isZero(at) || !at) return <span className="muted">–</span>;
  const when = new Date(at);
  const text = ago(when, current.getTime() < when.getTime() - 3000 ? current : new Date(Math.max(current.getTime(), when.getTime())));
  return (
    <time dateTime={at} title={exact(when)} className="nowrap">
      {both ? `${exact(when)} (${text})` : text}
    </time>
  );
}
