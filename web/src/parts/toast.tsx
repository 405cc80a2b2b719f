import { useSyncExternalStore } from "react";
import { Icon } from "./Icon";

type Toast = { id: number; tone: "ok" | "bad" | "info"; text: string };
let toasts: Toast[] = [];
let next = 1;
const watchers = new Set<() => void>();

function set(list: Toast[]) {
  toasts = list;
  watchers.forEach((w) => w());
}

/** Tells the person that something was done, in a corner of the page, for a while. */
export function tell(text: string, tone: Toast["tone"] = "ok") {
  const id = next++;
  set([...toasts, { id, tone, text }].slice(-4));
  setTimeout(() => set(toasts.filter((t) => t.id !== id)), 7000);
}

export function Toasts() {
  const list = useSyncExternalStore((fn) => (watchers.add(fn), () => watchers.delete(fn)), () => toasts);
  return (
    <div className="toasts" role="status" aria-live="polite">
      {list.map((t) => (
        <div key={t.id} className={`toast ${t.tone}`}>
          <Icon name={t.tone === "ok" ? "check" : t.tone === "bad" ? "warning" : "info"} /> <span>{t.text}</span>
        </div>
      ))}
    </div>
  );
}
