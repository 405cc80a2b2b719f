import type { Evidence } from "../api/types";

/** A piece of prose: plain text, or a numeral with the evidence that holds it. */
export type Piece = { text: string; evidence?: string };

const numeral = /(?<![\w.\-/#:])[-−]?\d{1,3}(?:,\d{3})+(?:\.\d+)?(?![\w/])|(?<![\w.\-/#:])[-−]?\d+(?:\.\d+)?(?![\w/:]|\.\d|-\d)/g;

/**
 * Splits prose into pieces and ties every numeral to the cited evidence that holds
 * it: first an entry whose data has that number, rounded as the prose shows it, and
 * else the first entry cited. Dates, times and identifiers are not numerals.
 */
export function citeNumerals(text: string, cited: Evidence[]): Piece[] {
  const held = cited.map((e) => ({ id: e.id, numbers: numbersIn(e.data) }));
  const out: Piece[] = [];
  let at = 0;
  for (const m of text.matchAll(numeral)) {
    const shown = m[0].replace(/,/g, "").replace("−", "-");
    const digits = shown.split(".")[1]?.length ?? 0;
    const value = Number(shown);
    const owner = held.find((h) => h.numbers.some((n) => matches(n, value, digits)));
    const evidence = owner?.id ?? cited[0]?.id;
    if (evidence === undefined) continue;
    if (m.index > at) out.push({ text: text.slice(at, m.index) });
    out.push({ text: m[0], evidence });
    at = m.index + m[0].length;
  }
  if (at < text.length) out.push({ text: text.slice(at) });
  return out;
}

function matches(held: number, shown: number, digits: number): boolean {
  const half = 0.5 * 10 ** -digits + 1e-9;
  return Math.abs(held - shown) <= half || (Math.abs(held) <= 1 && Math.abs(held * 100 - shown) <= half);
}

/** Every number anywhere in a JSON value, strings that are numbers included. */
export function numbersIn(data: unknown): number[] {
  const out: number[] = [];
  const visit = (v: unknown): void => {
    if (typeof v === "number") out.push(v);
    else if (typeof v === "string" && v !== "" && Number.isFinite(Number(v))) out.push(Number(v));
    else if (Array.isArray(v)) {
      out.push(v.length);
      v.forEach(visit);
    } else if (v !== null && typeof v === "object") Object.values(v).forEach(visit);
  };
  visit(data);
  return out;
}
