import { isDict } from "./shape";

/** One field that differs between two JSON values. */
export type Change = { path: string; before: unknown; after: unknown };

/** The fields in which two JSON values differ, in reading order. */
export function changes(before: unknown, after: unknown, path = ""): Change[] {
  if (isDict(before) && isDict(after)) {
    const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
    return [...keys].flatMap((k) => changes(before[k], after[k], path === "" ? k : `${path}.${k}`));
  }
  if (Array.isArray(before) && Array.isArray(after) && before.length === after.length) {
    return before.flatMap((v, i) => changes(v, after[i], `${path}[${i}]`));
  }
  return JSON.stringify(before) === JSON.stringify(after) ? [] : [{ path, before, after }];
}

/** A line of a text comparison. */
export type Line = { kind: "same" | "out" | "in"; text: string };

/** The shortest way from one text to another, line by line. */
export function lines(before: string, after: string): Line[] {
  const a = before.split("\n");
  const b = after.split("\n");
  const len: number[][] = Array.from({ length: a.length + 1 }, () => new Array<number>(b.length + 1).fill(0));
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      len[i][j] = a[i] === b[j] ? len[i + 1][j + 1] + 1 : Math.max(len[i + 1][j], len[i][j + 1]);
    }
  }
  const out: Line[] = [];
  let i = 0;
  let j = 0;
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      out.push({ kind: "same", text: a[i] });
      i++;
      j++;
    } else if (i < a.length && (j >= b.length || len[i + 1][j] >= len[i][j + 1])) {
      out.push({ kind: "out", text: a[i++] });
    } else {
      out.push({ kind: "in", text: b[j++] });
    }
  }
  return out;
}
