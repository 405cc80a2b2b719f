import { Problem } from "../api/problem";

/** Opens the page that a worker keeps of this address, if the server went away and there is one. */
export function openKept(error: unknown) {
  const here = new URL(location.href);
  const away = error instanceof Problem && (error.status === 0 || error.status >= 502);
  if (!away || here.searchParams.has("alone") || !navigator.serviceWorker?.controller) return;
  here.searchParams.set("alone", "");
  location.replace(here);
}
