import { cell, isDict } from "../lib/shape";
import { words } from "../lib/format";

/** Any JSON value as an indented text. */
export function Json({ value, label = "JSON" }: { value: unknown; label?: string }) {
  return <pre className="json" tabIndex={0} role="region" aria-label={label}>{JSON.stringify(value, null, 2)}</pre>;
}

/** An object's fields by name, nested ones below each other: how arguments are shown. */
export function Fields({ value, titles }: { value: unknown; titles?: Record<string, string> }) {
  if (!isDict(value)) return Array.isArray(value) ? <List items={value} /> : <span className="break">{cell(value)}</span>;
  const entries = Object.entries(value);
  if (entries.length === 0) return <span className="muted">no arguments</span>;
  return (
    <dl className="facts">
      {entries.map(([name, v]) => (
        <div key={name} className="fact">
          <dt title={name}>{titles?.[name] ?? words(name)}</dt>
          <dd>{isDict(v) ? <Fields value={v} /> : Array.isArray(v) ? <List items={v} /> : <span className="break prewrap">{cell(v)}</span>}</dd>
        </div>
      ))}
    </dl>
  );
}

function List({ items }: { items: unknown[] }) {
  if (items.length === 0) return <span className="muted">none</span>;
  if (items.every((i) => typeof i !== "object" || i === null)) return <span className="break">{items.map(cell).join(", ")}</span>;
  return <ul className="stack tight">{items.map((v, i) => <li key={i} className="nested"><Fields value={v} /></li>)}</ul>;
}
