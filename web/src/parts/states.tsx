import type { ReactNode } from "react";
import { Problem } from "../api/problem";
import { Icon, type IconName } from "./Icon";

/** Says that there is nothing, and what to do next. */
export function Empty({ icon = "folder", title, children }: { icon?: IconName; title: string; children?: ReactNode }) {
  return (
    <div className="empty">
      <Icon name={icon} size={28} />
      <p className="empty-title">{title}</p>
      {children && <div className="muted">{children}</div>}
    </div>
  );
}

/** Says what happened and what to do. */
export function ErrorBox({ error, retry, children }: { error: unknown; retry?: () => void; children?: ReactNode }) {
  const { title, advice } = explain(error);
  return (
    <div className="notice bad" role="alert">
      <Icon name="warning" size={18} />
      <div className="grow">
        <p className="strong">{title}</p>
        {advice && <p>{advice}</p>}
        {children}
      </div>
      {retry && <button type="button" className="button small" onClick={retry}>Try again</button>}
    </div>
  );
}

/** A remark beside the content, with an icon and words. */
export function Notice({ tone = "info", icon, children }: { tone?: "info" | "warn" | "ok" | "bad"; icon?: IconName; children: ReactNode }) {
  const fallback: IconName = tone === "ok" ? "check" : tone === "info" ? "info" : "warning";
  return (
    <div className={`notice ${tone}`} role="status">
      <Icon name={icon ?? fallback} size={18} />
      <div className="grow">{children}</div>
    </div>
  );
}

/** The sentence for an error and what a person can do about it. */
export function explain(error: unknown): { title: string; advice?: string } {
  if (error instanceof Problem) {
    switch (error.status) {
      case 0:
        return { title: "The server cannot be reached.", advice: "Check the connection, or whether the product is running, and try again." };
      case 401:
        return { title: error.message || "You are not signed in.", advice: "Sign in and try again." };
      case 403:
        return { title: error.message || "Your role does not allow this.", advice: "Ask an administrator if you need it." };
      case 404:
        return { title: error.message || "There is no such thing, or none that you may see." };
      case 409:
      case 412:
        return { title: error.message || "It changed meanwhile.", advice: "What you see has been brought up to date." };
      case 429:
        return { title: error.message || "Too many attempts.", advice: "Wait a little and try again." };
      case 503:
        return { title: error.message || "Something the product depends on is not available.", advice: "Try again later." };
      default:
        return { title: error.message || "That did not work." };
    }
  }
  return { title: error instanceof Error ? error.message : "That did not work." };
}

/** Grey lines that hold the place of what is being fetched. */
export function Loading({ lines = 4, label = "Loading" }: { lines?: number; label?: string }) {
  return (
    <div className="loading" role="status" aria-label={label}>
      {Array.from({ length: lines }, (_, i) => (
        <span key={i} className="bar" data-width={i % 4} />
      ))}
    </div>
  );
}

type Asked<T> = { data: T | undefined; error: unknown; isPending: boolean; refetch: () => unknown };

/** Shows a query: its place while it loads, its error, or its data. */
export function Loaded<T>({ query, lines, children }: { query: Asked<T>; lines?: number; children: (data: T) => ReactNode }) {
  if (query.data !== undefined) return <>{children(query.data)}</>;
  if (query.error) return <ErrorBox error={query.error} retry={() => void query.refetch()} />;
  return <Loading lines={lines} />;
}
