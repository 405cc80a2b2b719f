/** A JSON object. */
export type Dict = Record<string, unknown>;

export function isDict(v: unknown): v is Dict {
  return v !== null && typeof v === "object" && !Array.isArray(v);
}

/**
 * Finds the rows in a piece of evidence: the data itself when it is a list of
 * objects, and else its longest such list, together with what stands beside it.
 */
export function rowsOf(data: unknown): { rows: Dict[]; beside: Dict; name?: string } | undefined {
  if (Array.isArray(data)) {
    return data.length > 0 && data.every(isDict) ? { rows: data, beside: {} } : undefined;
  }
  if (!isDict(data)) return undefined;
  let best: { name: string; rows: Dict[] } | undefined;
  for (const [name, v] of Object.entries(data)) {
    if (Array.isArray(v) && v.length > 0 && v.every(isDict) && v.length > (best?.rows.length ?? 0)) {
      best = { name, rows: v };
    }
  }
  if (!best) return undefined;
  const { [best.name]: _, ...beside } = data;
  return { rows: best.rows, beside, name: best.name };
}

/** The field of rows that holds a small object of plain values in each of them, such as a value for each year. */
export function nestedField(rows: Dict[]): string | undefined {
  return columnsOf(rows).find((c) => rows.every((r) => isDict(r[c]) && Object.values(r[c]).length <= 60 && Object.values(r[c]).every((v) => v === null || typeof v !== "object")));
}

/** Rows with such a field spread out into columns of its own. */
export function spread(rows: Dict[]): Dict[] {
  const field = nestedField(rows);
  if (field === undefined) return rows;
  return rows.map((r) => {
    const { [field]: inner, ...rest } = r;
    return { ...rest, ...(inner as Dict) };
  });
}

/** The keys of all rows, in the order of first appearance. */
export function columnsOf(rows: Dict[]): string[] {
  const seen = new Set<string>();
  for (const row of rows) for (const key of Object.keys(row)) seen.add(key);
  return [...seen];
}

/** A cell's text for people. */
export function cell(v: unknown): string {
  if (v === null || v === undefined || v === "") return "–";
  if (typeof v === "boolean") return v ? "yes" : "no";
  if (typeof v === "number") return Number.isInteger(v) && Math.abs(v) < 10_000 ? String(v) : new Intl.NumberFormat("en", { maximumFractionDigits: 4 }).format(v);
  if (typeof v === "string") return v;
  if (Array.isArray(v) && v.every((x) => typeof x !== "object")) return v.map(cell).join(", ");
  return JSON.stringify(v);
}

const latNames = ["lat", "latitude", "Latitude", "y"];
const lngNames = ["lng", "lon", "long", "longitude", "Longitude", "x"];

/** The position a row names, if it names one. */
export function positionOf(row: Dict): { lat: number; lng: number } | undefined {
  const lat = latNames.map((n) => row[n]).find((v) => typeof v === "number");
  const lng = lngNames.map((n) => row[n]).find((v) => typeof v === "number");
  if (typeof lat === "number" && typeof lng === "number" && Math.abs(lat) <= 90 && Math.abs(lng) <= 180) return { lat, lng };
  for (const key of ["location", "position", "at", "centroid", "point"]) {
    const inner = row[key];
    if (isDict(inner)) {
      const p = positionOf(inner);
      if (p) return p;
    }
  }
  return undefined;
}
