/** Turns a machine word into one for people: "pending_reply" to "Pending reply". */
export function words(name: string): string {
  const text = name.replace(/[_-]+/g, " ").replace(/([a-z])([A-Z])/g, "$1 $2").trim();
  return text === "" ? "" : text[0].toUpperCase() + text.slice(1);
}

const steps: [limit: number, size: number, unit: Intl.RelativeTimeFormatUnit][] = [
  [60, 1, "second"],
  [3600, 60, "minute"],
  [86400, 3600, "hour"],
  [86400 * 14, 86400, "day"],
  [86400 * 60, 86400 * 7, "week"],
  [86400 * 730, 86400 * 30.44, "month"],
  [Infinity, 86400 * 365.25, "year"],
];

const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto", style: "long" });

/** Says how far a moment is from now: "in 3 hours", "2 days ago", "just now". */
export function ago(at: Date, now: Date): string {
  const seconds = (at.getTime() - now.getTime()) / 1000;
  const size = Math.abs(seconds);
  if (size < 10) return "just now";
  for (const [limit, unitSize, unit] of steps) {
    if (size < limit) return relative.format(Math.trunc(seconds / unitSize), unit);
  }
  return "";
}

/** A length of time in its two largest units: "2 d 4 h", "850 ms". */
export function span(ms: number): string {
  if (ms < 0) return "–" + span(-ms);
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 10_000) return `${(ms / 1000).toFixed(1)} s`;
  const s = Math.floor(ms / 1000);
  const parts: [number, string][] = [
    [Math.floor(s / 86400), "d"],
    [Math.floor(s / 3600) % 24, "h"],
    [Math.floor(s / 60) % 60, "min"],
    [s % 60, "s"],
  ];
  const first = parts.findIndex(([n]) => n > 0);
  return parts
    .slice(first, first + 2)
    .filter(([n], i) => n > 0 || i === 0)
    .map(([n, unit]) => `${n} ${unit}`)
    .join(" ");
}

const exactForm = new Intl.DateTimeFormat("en-GB", {
  day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit", second: "2-digit", timeZoneName: "short",
});

/** A moment to the second with its time zone. */
export function exact(at: Date): string {
  return exactForm.format(at);
}

const dayForm = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "long", year: "numeric" });

/** A moment's day: "15 November 2026". */
export function day(at: Date): string {
  return dayForm.format(at);
}

const plain = new Intl.NumberFormat("en", { maximumFractionDigits: 6 });

/** A number with thousands separators and no more decimals than it has. */
export function number(n: number, digits?: number): string {
  if (digits === undefined) return plain.format(n);
  return new Intl.NumberFormat("en", { minimumFractionDigits: digits, maximumFractionDigits: digits }).format(n);
}

/** "1 case", "2 cases". */
export function count(n: number, one: string, many = one + "s"): string {
  return `${number(n)} ${n === 1 ? one : many}`;
}

/** Joins words for a sentence: "a, b or c". */
export function list(items: string[], last = "and"): string {
  if (items.length < 2) return items.join("");
  return `${items.slice(0, -1).join(", ")} ${last} ${items[items.length - 1]}`;
}

/** Bytes for people: "12.3 KB". */
export function bytes(n: number): string {
  if (n < 1024) return `${n} B`;
  if (n < 1024 * 1024) return `${(n / 1024).toFixed(1)} KB`;
  return `${(n / 1024 / 1024).toFixed(1)} MB`;
}

/** True for Go's zero time and for nothing at all. */
export function isZero(at: string | undefined | null): boolean {
  return !at || at.startsWith("0001-01-01");
}
