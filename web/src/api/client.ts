import createClient, { type Middleware } from "openapi-fetch";
import { Problem } from "./problem";
import type { paths } from "./schema";

/** Called when the server says that nobody is signed in any more. */
let onSignedOut = () => {};
export function whenSignedOut(fn: () => void) {
  onSignedOut = fn;
}

const problems: Middleware = {
  async onResponse({ response, request }) {
    if (response.ok) return;
    const body: unknown = await response.clone().json().catch(() => undefined);
    if (response.status === 401 && !new URL(request.url).pathname.startsWith("/api/v1/session")) onSignedOut();
    throw Problem.from(response.status, body);
  },
  onError({ error }) {
    if (error instanceof DOMException && error.name === "AbortError") return error;
    return new Problem(0, "");
  },
};

/** The API, typed by its own document. A refused request throws a [Problem]. */
export const api = createClient<paths>({ baseUrl: typeof location === "undefined" ? "" : location.origin, credentials: "same-origin" });
api.use(problems);

/** The body of an answer, which is there because a refused request throws. */
export async function body<T>(answer: Promise<{ data?: T; error?: unknown }>): Promise<T> {
  const { data } = await answer;
  return data as T;
}

/** A key that makes a repeated request do nothing the second time. */
export function onceKey(): string {
  return crypto.randomUUID();
}

/** Fetches JSON from a path that the core's document does not type, such as an app's own. */
export async function fetchJSON<T>(path: string, init?: RequestInit & { json?: unknown }): Promise<T> {
  const headers = new Headers(init?.headers);
  let sent = init?.body;
  if (init?.json !== undefined) {
    headers.set("Content-Type", "application/json");
    sent = JSON.stringify(init.json);
  }
  let response: Response;
  let text: string;
  try {
    response = await fetch(path, { credentials: "same-origin", ...init, headers, body: sent });
    text = await response.text(); // which may break off too
  } catch (cause) {
    if (cause instanceof DOMException && cause.name === "AbortError") throw cause;
    throw new Problem(0, "");
  }
  const parsed: unknown = text === "" ? undefined : safeParse(text);
  if (!response.ok) {
    if (response.status === 401) onSignedOut();
    throw Problem.from(response.status, parsed);
  }
  return parsed as T;
}

function safeParse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
