// The worker that opens the gate's page without the server. It keeps the files of that
// page and nothing else: no answer of the API is ever kept here. What a gate knows
// without the server, its keys and the signed revocation list, the page keeps itself.
// The build fills in the files and a version made of their content.
declare const __GATE_FILES__: string[];
declare const __GATE_VERSION__: string;

type Life = Event & { waitUntil(p: Promise<unknown>): void };
type Fetch = Life & { request: Request; respondWith(r: Promise<Response>): void };
type Scope = {
  skipWaiting(): Promise<void>;
  clients: { claim(): Promise<void> };
  addEventListener(type: "install" | "activate", fn: (e: Life) => void): void;
  addEventListener(type: "fetch", fn: (e: Fetch) => void): void;
};
const worker = self as unknown as Scope;

const files = new Set(__GATE_FILES__);
const store = `gate-${__GATE_VERSION__}`;
const page = "/gate.html";

worker.addEventListener("install", (e) => {
  e.waitUntil(
    (async () => {
      const cache = await caches.open(store);
      await cache.addAll([...files].map((f) => new Request(f, { cache: "reload" })));
      await worker.skipWaiting();
    })(),
  );
});

worker.addEventListener("activate", (e) => {
  e.waitUntil(
    (async () => {
      for (const name of await caches.keys()) if (name.startsWith("gate-") && name !== store) await caches.delete(name);
      await worker.clients.claim();
    })(),
  );
});

worker.addEventListener("fetch", (e) => {
  const url = new URL(e.request.url);
  if (e.request.method !== "GET" || url.origin !== location.origin) return;
  if (e.request.mode === "navigate") e.respondWith(open(e.request));
  else if (files.has(url.pathname)) e.respondWith(kept(url.pathname, e.request));
});

/** The page as the server has it, or the kept one if it does not answer in time or is asked for. */
async function open(request: Request): Promise<Response> {
  if (new URL(request.url).searchParams.has("alone")) return kept(page, request);
  try {
    const answer = await fetch(request, { signal: AbortSignal.timeout(5000) });
    if (answer.status < 502) return answer;
  } catch {
    // Not reached: the kept page takes its place.
  }
  return kept(page, request);
}

async function kept(path: string, request: Request): Promise<Response> {
  const cache = await caches.open(store);
  return (await cache.match(path)) ?? fetch(request);
}
export {};
