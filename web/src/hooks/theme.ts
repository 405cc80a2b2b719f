import { useSyncExternalStore } from "react";

export type Theme = "system" | "light" | "dark";
const key = "dossier.theme";
const watchers = new Set<() => void>();
const dark = typeof matchMedia === "function" ? matchMedia("(prefers-color-scheme: dark)") : undefined;

function read(): Theme {
  const t = document.documentElement.dataset.theme;
  return t === "light" || t === "dark" ? t : "system";
}

function watch(fn: () => void) {
  watchers.add(fn);
  dark?.addEventListener("change", fn);
  return () => {
    watchers.delete(fn);
    dark?.removeEventListener("change", fn);
  };
}

function choose(t: Theme) {
  if (t === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = t;
  try {
    if (t === "system") localStorage.removeItem(key);
    else localStorage.setItem(key, t);
  } catch {
    // Storage is blocked: the choice lasts until the page is left.
  }
  watchers.forEach((w) => w());
}

/** The chosen theme, the one shown, and a way to choose another. */
export function useTheme(): { theme: Theme; shown: "light" | "dark"; choose: (t: Theme) => void } {
  const theme = useSyncExternalStore(watch, read);
  const system = useSyncExternalStore(watch, () => dark?.matches ?? false);
  return { theme, shown: theme === "system" ? (system ? "dark" : "light") : theme, choose };
}
