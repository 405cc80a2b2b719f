import { fetchJSON } from "../../api/client";
import { exact } from "../../lib/format";
import { explain } from "../../parts/states";
import type { Pass } from "./data";
import { enqueue, remember, storedKit, unreached, verify, type Kit, type Queued, type Verdict } from "./offline";

/** A pass that is held before the gate: what its code says and, online, what the office knows. */
export type Held = { number: string; token: string; verdict?: Verdict; pass?: Pass };
export type Said = { tone: "ok" | "bad" | "warn"; text: string };

/** How long the gate waits for the server before it goes by what it knows itself. */
const patience = 5000;

/** Reads a code or a number: the server's word if it can be reached, the kit's otherwise. */
export async function look(text: string, kit: Kit | undefined): Promise<Held> {
  const typed = /^\s*(?:gp[-\s/]?)?(\d{4})[-\s/](\d{1,7})\s*$/i.exec(text);
  const number = typed ? `GP-${typed[1]}-${typed[2].padStart(4, "0")}` : "";
  const token = typed ? "" : text;
  const signal = AbortSignal.timeout(patience);
  try {
    if (number) return { number, token, pass: await fetchJSON<Pass>(`/gate/gatepass/number/${number}`, { signal }) };
    const c = await fetchJSON<Verdict & { pass_number?: string; pass?: Pass }>("/gate/verify", { method: "POST", json: { token }, signal });
    return { number: c.pass_number ?? "", token, verdict: c, pass: c.pass };
  } catch (e) {
    if (!unreached(e)) return { number: "", token, verdict: { valid: false, code: "unknown", reason: explain(e).title } };
    if (number) return { number, token };
    if (!kit) return { number: "", token, verdict: { valid: false, code: "no_kit", reason: "The server cannot be reached and this gate was never synced." } };
    const v = await verify(token, kit, new Date());
    return { number: v.token?.n ?? "", token, verdict: v };
  }
}

/** When the pass went out, if it did: as the office knows or, offline, this gate. */
export function outSince(h: Held): string | undefined {
  if (h.pass) return h.pass.status === "exited" ? h.pass.exit_time : undefined;
  const kit = storedKit();
  return [...(kit?.out ?? []), ...(kit?.used ?? [])].find((x) => x.pass_number === h.number)?.exit_time;
}

/** Whether this gate knows that nobody is outside on the pass any more. */
const isUsed = (number: string) => storedKit()?.used.some((x) => x.pass_number === number) ?? false;

/** What a gate says to a second exit. */
export const alreadyOut = (number: string, since: string) => `${number} already went out on ${exact(new Date(since))}. Do not let anyone out on it again.`;

/** Whether the button for op makes sense; the server decides. */
export function may(h: Held, op: "exit" | "return"): boolean {
  if (h.number === "") return false;
  // Someone who comes back late holds a code that ran out meanwhile.
  if (h.verdict && !h.verdict.valid && !(op === "return" && h.verdict.code === "expired")) return false;
  if (h.pass) return h.pass.status === (op === "exit" ? "approved" : "exited") && (op === "exit" || h.pass.is_returnable);
  return op === "exit" ? h.token !== "" && !outSince(h) : h.verdict?.token?.r !== false && !isUsed(h.number);
}

/** Keeps a scan for later, marked as not verified. */
export async function keep(op: "exit" | "return", h: Held, photo: Blob, key: string): Promise<Said> {
  const since = outSince({ number: h.number, token: h.token });
  if (op === "exit" && since) return { tone: "bad", text: alreadyOut(h.number, since) };
  const at = new Date().toISOString();
  const q: Queued = { scan: key, token: h.token, pass_number: h.number, operation: op, gate: "gate page", at, photo: await base64(photo) };
  await enqueue(q);
  remember(q);
  return { tone: "warn", text: `The server cannot be reached. ${h.number} is kept as unverified and handed in as soon as it can be.` };
}

async function base64(b: Blob): Promise<string> {
  let out = "";
  for (const x of new Uint8Array(await b.arrayBuffer())) out += String.fromCharCode(x);
  return btoa(out);
}
