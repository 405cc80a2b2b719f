import { verifyAsync } from "@noble/ed25519";
import { fetchJSON } from "../../api/client";
import { Problem } from "../../api/problem";

/** What a gate needs to check codes without the server. */
export type Kit = { keys: string[]; key_ids: string[]; revocations: { issued: string; key: string; numbers: string[]; sig: string }; out: Exit[]; used: Exit[] };
export type Exit = { pass_number: string; exit_time: string };
export type Token = { n: string; f: number; u: number; a: boolean; r: boolean; k: string };
export type Verdict = { valid: boolean; code: string; reason: string; token?: Token };

const kitKey = "gatepass.kit";

/** The kit fetched last, with what this gate did since. */
export function storedKit(): Kit | undefined {
  const raw = localStorage.getItem(kitKey);
  return raw ? { used: [], ...(JSON.parse(raw) as Omit<Kit, "used">) } : undefined;
}

/** Remembers that someone went out or came back on this gate while it was offline. */
export function remember(q: Queued) {
  const kit = storedKit();
  if (kit) localStorage.setItem(kitKey, JSON.stringify(withScan(kit, q)));
}

/** The kit as it stands after a scan: a pass goes out once, so whoever is back has used it. */
export function withScan(kit: Kit, q: Pick<Queued, "pass_number" | "operation" | "token" | "at">): Kit {
  const others = (all: Exit[]) => all.filter((x) => x.pass_number !== q.pass_number);
  const before = [...kit.out, ...kit.used].find((x) => x.pass_number === q.pass_number);
  const exit = { pass_number: q.pass_number, exit_time: q.operation === "exit" ? q.at : (before?.exit_time ?? q.at) };
  const away = q.operation === "exit" && decode(q.token.split(".")[1] ?? "")?.r !== false;
  return { ...kit, out: [...others(kit.out), ...(away ? [exit] : [])], used: [...others(kit.used), ...(away ? [] : [exit])] };
}

/** Whether a failed request never got through to the product. */
export const unreached = (e: unknown): boolean => e instanceof Problem && (e.status === 0 || e.status >= 502);

/** How long the gate waits for the server before it counts as away. */
const patience = 20_000;

/** Fetches the kit and keeps it, with what still waits, if its revocation list is signed by one of its keys. */
export async function syncKit(): Promise<Kit> {
  const fetched = await fetchJSON<Kit>("/gate/kit", { signal: AbortSignal.timeout(patience) });
  if (!(await listHolds(fetched))) throw new Error("The revocation list was not signed by the pass office.");
  const kit = inOrder(await queued()).reduce(withScan, fetched);
  localStorage.setItem(kitKey, JSON.stringify(kit));
  return kit;
}

const text = new TextEncoder();

function bytes(base64: string): Uint8Array {
  const std = base64.replace(/-/g, "+").replace(/_/g, "/");
  const raw = atob(std + "=".repeat((4 - (std.length % 4)) % 4));
  return Uint8Array.from(raw, (c) => c.charCodeAt(0));
}

/** Whether the kit's revocation list is signed by one of its keys. */
export async function listHolds(kit: Kit): Promise<boolean> {
  const r = kit.revocations;
  const message = text.encode(`dossier-gatepass-revoked-1\n${r.issued}\n${r.key}\n${r.numbers.map((n) => `${n}\n`).join("")}`);
  const i = kit.key_ids.indexOf(r.key);
  return i >= 0 && holds(r.sig, message, kit.keys[i]);
}

async function holds(sig: string, message: Uint8Array, key: string): Promise<boolean> {
  try {
    return await verifyAsync(bytes(sig), message, bytes(key));
  } catch {
    return false;
  }
}

/** Checks what a QR code says, with the kit alone. */
export async function verify(code: string, kit: Kit, now: Date): Promise<Verdict> {
  const parts = code.trim().split(".");
  const token = parts.length === 3 && parts[0] === "DGP1" ? decode(parts[1]) : undefined;
  if (!token) return { valid: false, code: "malformed", reason: "This is not the QR code of a gate pass." };
  const i = kit.key_ids.indexOf(token.k);
  if (i < 0) return { valid: false, code: "unknown_key", reason: "The code was signed with a key this gate does not know. Sync the gate and scan again." };
  if (!(await holds(parts[2], text.encode(`dossier-gatepass-qr-1\n${parts[1]}`), kit.keys[i]))) {
    return { valid: false, code: "forged", reason: "The signature does not fit: the code was not made by the pass office. Do not let the person through." };
  }
  const seconds = Math.floor(now.getTime() / 1000);
  const no = (code: string, reason: string): Verdict => ({ valid: false, code, reason, token });
  if (kit.revocations.numbers.includes(token.n)) return no("revoked", `Pass ${token.n} was withdrawn. Do not let the person through.`);
  if (!token.a) return no("not_approved", `Pass ${token.n} was not approved when this code was made. Ask for a fresh print.`);
  if (seconds < token.f) return no("not_yet", `Pass ${token.n} does not hold yet.`);
  if (seconds > token.u) return no("expired", `Pass ${token.n} has expired. Ask for a new pass.`);
  return { valid: true, code: "ok", reason: `Pass ${token.n} is genuine and holds now.`, token };
}

function decode(payload: string): Token | undefined {
  try {
    const t = JSON.parse(new TextDecoder().decode(bytes(payload))) as Token;
    return /^GP-\d{4}-\d{4,7}$/.test(t.n) ? t : undefined;
  } catch {
    return undefined;
  }
}

/** A scan made while the server could not be reached. */
export type Queued = { scan: string; token: string; pass_number: string; operation: "exit" | "return"; gate: string; at: string; photo: string };
export type Reconciled = { scan: string; pass_number: string; outcome: "applied" | "refused" | "repeated"; reason?: string };

function open(): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const req = indexedDB.open("gatepass", 1);
    req.onupgradeneeded = () => req.result.createObjectStore("queue", { keyPath: "scan" });
    req.onsuccess = () => resolve(req.result);
    req.onerror = () => reject(req.error ?? new Error("The browser keeps no data."));
  });
}

async function queue<T>(mode: IDBTransactionMode, run: (s: IDBObjectStore) => IDBRequest<T>): Promise<T> {
  const db = await open();
  try {
    return await new Promise<T>((resolve, reject) => {
      const req = run(db.transaction("queue", mode).objectStore("queue"));
      req.onsuccess = () => resolve(req.result);
      req.onerror = () => reject(req.error ?? new Error("The queue cannot be read."));
    });
  } finally {
    db.close();
  }
}

export const queued = () => queue<Queued[]>("readonly", (s) => s.getAll() as IDBRequest<Queued[]>);
export const enqueue = (q: Queued) => queue("readwrite", (s) => s.put(q));
const drop = (scan: string) => queue("readwrite", (s) => s.delete(scan));

const inOrder = (scans: Queued[]) => scans.toSorted((a, b) => a.at.localeCompare(b.at));

/**
 * Hands in every queued scan, oldest first. What the server took or refused for good
 * leaves the queue. What it does not take now stays, and holds up its own pass only.
 */
export async function flush(): Promise<Reconciled[]> {
  const out: Reconciled[] = [];
  const held = new Set<string>();
  for (const q of inOrder(await queued())) {
    if (held.has(q.pass_number)) continue;
    const r = await handIn(q);
    if (!r) {
      held.add(q.pass_number);
      continue;
    }
    out.push(r);
    await drop(q.scan);
  }
  return out;
}

/** Hands in one scan; nothing comes back if it must be handed in again later. */
async function handIn(q: Queued): Promise<Reconciled | undefined> {
  try {
    return await fetchJSON<Reconciled>("/gate/sync", { method: "POST", json: q, signal: AbortSignal.timeout(3 * patience) });
  } catch (e) {
    // The person has passed: a photo that is too large must not cost the record of it.
    if (e instanceof Problem && e.status === 413 && q.photo !== "") return handIn({ ...q, photo: "" });
    // Malformed for the server today is malformed tomorrow; it must not hold up the rest.
    if (e instanceof Problem && (e.status === 400 || e.status === 422)) return { scan: q.scan, pass_number: q.pass_number, outcome: "refused", reason: e.message };
    if (unreached(e) || !(e instanceof Problem) || e.status === 401) throw e;
    return undefined;
  }
}
