import type { Numeral } from "./types";

/** A piece of a draft's prose: text, or a numeral with where it comes from. */
export type Piece = { text: string; numeral?: Numeral };

/** A block of a draft: prose, a figure or a table. */
export type Block =
  | { kind: "prose"; pieces: Piece[] }
  | { kind: "figure"; caption: string; target: string }
  | { kind: "table"; rows: Piece[][][] };

/** The place in a JavaScript string for every place counted in bytes of its UTF-8. */
export function byteIndex(text: string): (byte: number) => number {
  const places = new Map<number, number>([[0, 0]]);
  let bytes = 0;
  for (let i = 0; i < text.length; ) {
    const code = text.codePointAt(i) ?? 0;
    bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    i += code > 0xffff ? 2 : 1;
    places.set(bytes, i);
  }
  return (byte) => places.get(byte) ?? text.length;
}

/** Cuts a draft into blocks whose numerals know their source. */
export function blocks(text: string, numerals: Numeral[]): Block[] {
  const at = byteIndex(text);
  const placed = numerals.map((n) => ({ n, start: at(n.start), end: at(n.end) }));
  const pieces = (from: number, to: number): Piece[] => {
    const out: Piece[] = [];
    let pos = from;
    for (const p of placed) {
      if (p.start < pos || p.end > to) continue;
      if (p.start > pos) out.push({ text: text.slice(pos, p.start) });
      out.push({ text: text.slice(p.start, p.end), numeral: p.n });
      pos = p.end;
    }
    if (pos < to) out.push({ text: text.slice(pos, to) });
    return out;
  };
  const out: Block[] = [];
  let from = 0;
  for (const part of text.split(/(\n{2,})/)) {
    const to = from + part.length;
    if (part.trim() !== "") out.push(block(part, from, pieces));
    from = to;
  }
  return out;
}

function block(part: string, from: number, pieces: (from: number, to: number) => Piece[]): Block {
  const figure = /^!\[([^\]]*)\]\(([^)]*)\)\s*$/.exec(part.trim());
  if (figure) return { kind: "figure", caption: figure[1], target: figure[2] };
  if (part.trimStart().startsWith("|")) {
    const rows: Piece[][][] = [];
    let pos = from;
    for (const line of part.split("\n")) {
      if (line.startsWith("|") && !/^\|[\s:|-]+$/.test(line)) rows.push(cells(line, pos, pieces));
      pos += line.length + 1;
    }
    return { kind: "table", rows };
  }
  return { kind: "prose", pieces: pieces(from, from + part.length) };
}

function cells(line: string, from: number, pieces: (from: number, to: number) => Piece[]): Piece[][] {
  const out: Piece[][] = [];
  let start = 1;
  for (let i = 1; i < line.length; i++) {
    if (line[i] !== "|") continue;
    out.push(pieces(from + start, from + i));
    start = i + 1;
  }
  return out;
}

/** Gives each numeral the brackets and stops that touch it, so that no line breaks between them. */
export function together(pieces: Piece[]): (Piece & { before?: string; after?: string })[] {
  const out = pieces.map((p) => ({ ...p }) as Piece & { before?: string; after?: string });
  out.forEach((p, i) => {
    if (!p.numeral) return;
    const left = out[i - 1], right = out[i + 1];
    if (left && !left.numeral) {
      p.before = /[(“]*$/.exec(left.text)?.[0] ?? "";
      left.text = left.text.slice(0, left.text.length - p.before.length);
    }
    if (right && !right.numeral) {
      p.after = /^[).,;:”]*/.exec(right.text)?.[0] ?? "";
      right.text = right.text.slice(p.after.length);
    }
  });
  return out;
}

/** One sentence per line, so that two rounds can be compared sentence by sentence. */
export function sentences(text: string): string {
  return text.replace(/([.!?]) (?=[A-Z“])/g, "$1\n");
}
