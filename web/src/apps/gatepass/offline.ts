import { verifyAsync } from "@noble/ed25519";
import { fetchJSON } from "../../api/client";
import { Problem } from "../../api/problem";

/** What a gate needs to check codes without the server. */
export type Kit = { keys: string[]; key_ids: string[]; revocations: { issued: string; key: string; numbers: string[]; sig: string }; out: Exit[] };
export type Exit = { pass_number: string; exit_time: string };
export type Token = { n: string; f: number; u: number; a: boolean; r: boolean; k: string };
export type Verdict = { valid: boolean; code: string; reason: string; token?: Token };

const kitKey = "gatepass.kit";

/** The kit fetched last, with what this gate did since. */
export function storedKit(): Kit | undefined {
  const raw = localStorage.getItem(kitKey);
  return raw ? (JSON.parse(raw) as Kit) : undefined;
}

/** Remembers that someone went out or came back on this gate while it was offline. */
export function remember(op: "exit" | "return", number: string, at: string) {
  const kit = storedKit();
  if (!kit) return;
  kit.out = kit.out.filter((x) => x.pass_number !== number);
  if (op === "exit") kit.out.push({ pass_number: number, exit_time: at });
  localStorage.setItem(kitKey, JSON.stringify(kit));
}

/** Whether a failed request never got through to the product. */
export const unreached = (e: unknown): boolean => e instanceof Problem && (e.status === 0 || e.status >= 502);

/** Fetches the kit and keeps it if its revocation list is signed by one of its keys. */
export async function syncKit(): Promise<Kit> {
  const kit = await fetchJSON<Kit>("/gate/kit");
  if (!(await listHolds(kit))) throw new Error("The revocation list was not signed by the pass office.");
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

/** Hands in every queued scan, oldest first. What the server took or refused for good leaves the queue. */
export async function flush(): Promise<Reconciled[]> {
  const out: Reconciled[] = [];
  for (const q of (await queued()).toSorted((a, b) => a.at.localeCompare(b.at))) {
    out.push(await handIn(q));
    await drop(q.scan);
  }
  return out;
}

async function handIn(q: Queued): Promise<Reconciled> {
  try {
    return await fetchJSON<Reconciled>("/gate/sync", { method: "POST", json: q });
  } catch (e) {
    // Malformed for the server today is malformed tomorrow; it must not hold up the rest.
    if (e instanceof Problem && (e.status === 400 || e.status === 413 || e.status === 422)) return { scan: q.scan, pass_number: q.pass_number, outcome: "refused", reason: e.message };
    throw e;
  }
}
