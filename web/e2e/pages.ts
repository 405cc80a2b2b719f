import type { AppSummary, Case } from "../src/api/types";
import { settled } from "./browser";
import { caseWithFindings, read, type Person, type Product } from "./product";

/** Every page of the console with something on it, by a name for its picture. */
export async function everyPage(who: Person, product: Product): Promise<[name: string, path: string][]> {
  const c: Case = await caseWithFindings(who, product);
  const apps = (await read<{ items: AppSummary[] }>(who, product, "/api/v1/apps")).items;
  const pending = (await read<{ items: { id: string }[] }>(who, product, "/api/v1/approvals?view=mine")).items;
  const evidence = (await read<{ items: { id: string; view: string }[] }>(who, product, `/api/v1/cases/${c.id}/evidence`)).items;
  const runs = (await read<{ items: { id: string }[] }>(who, product, "/api/v1/runs?top=true")).items;
  const results = (await read<{ items: { id: string }[] }>(who, product, "/api/v1/evals/results")).items;
  return [
    ["inbox", "/inbox"],
    ...(pending[0] ? [["request", `/inbox/${pending[0].id}`] as [string, string]] : []),
    ["inbox-decided", "/inbox?view=decided"],
    ["cases", "/cases"],
    ["cases-none", "/cases?q=nosuchword"],
    ["case", `/cases/${c.id}`],
    ["case-evidence", `/cases/${c.id}/evidence`],
    ...evidence.slice(0, 2).map((e, i): [string, string] => [`evidence-${i + 1}`, `/cases/${c.id}/evidence/${e.id}`]),
    ["case-timeline", `/cases/${c.id}/timeline`],
    ["case-runs", `/cases/${c.id}/runs`],
    ["case-verify", `/cases/${c.id}/verify`],
    ["runs", "/runs"],
    ...(runs[0] ? [["run", `/runs/${runs[0].id}`] as [string, string]] : []),
    ...(runs[1] ? [["compare", `/runs/compare/${runs[0].id}/${runs[1].id}`] as [string, string]] : []),
    ["ledger", "/ledger"],
    ["apps", "/apps"],
    ...(apps[0] ? [["app-cases", `/apps/${apps[0].id}/cases`] as [string, string]] : []),
    ...apps.flatMap((a, i): [string, string][] => [[`app-${a.id}`, `/apps/${a.id}`], ...(i === 0 ? [[`app-${a.id}-about`, `/apps/${a.id}/about`] as [string, string]] : []), ...(a.chat.length > 0 ? [[`app-${a.id}-chat`, `/apps/${a.id}/chat`] as [string, string]] : [])]),
    ["evals", "/evals"],
    ["evals-results", "/evals/results"],
    ...(results[0] ? [["evals-result", `/evals/results/${results[0].id}`] as [string, string]] : []),
    ["evals-labels", "/evals/labels"],
    ["settings", "/settings"],
    ["settings-tokens", "/settings/tokens"],
    ["settings-users", "/settings/users"],
    ["settings-schedules", "/settings/schedules"],
    ["settings-webhooks", "/settings/webhooks"],
    ["settings-health", "/settings/health"],
    ["nothing", "/no/such/page"],
  ];
}

/** Every page, those of the apps and their cases with them, found by following links. Tabs that are the same for each app or case come once. */
export async function allPages(who: Person, product: Product): Promise<[name: string, path: string][]> {
  const pages = await everyPage(who, product);
  const { items: apps } = await read<{ items: AppSummary[] }>(who, product, "/api/v1/apps");
  for (const a of apps) {
    pages.push(...(await linked(who, product, `/apps/${a.id}`)).filter(([, path]) => !/\/(cases|about)$/.test(path)));
    const { items: cases } = await read<{ items: Case[] }>(who, product, `/api/v1/cases?app=${a.id}&limit=50`);
    const c = cases.find((c) => c.state === "waiting") ?? cases[0];
    if (c) pages.push(...(await linked(who, product, `/cases/${c.id}`)).filter(([, path]) => !/\/(evidence|verify|timeline|runs)$/.test(path)).map(([, path]): [string, string] => [`case-${a.id}-${path.split("/")[3] ?? "overview"}`, path]));
  }
  const seen = new Set<string>();
  return pages.filter(([, path]) => !seen.has(path) && seen.add(path));
}

/** A page and what it and its further pages link to below it, one of each shape: one van, one district. */
async function linked(who: Person, product: Product, start: string): Promise<[name: string, path: string][]> {
  const shapes = new Map<string, string>();
  const open = [start];
  for (let at = open.shift(); at !== undefined; at = open.shift()) {
    await who.page.goto(product.url + at);
    await settled(who.page);
    const links = await who.page.getByRole("main").getByRole("link").evaluateAll((found) => found.map((l) => l.getAttribute("href") ?? ""));
    for (const path of links.map((l) => l.split(/[?#]/)[0]).filter((l) => l.startsWith(`${start}/`))) {
      const [first, ...more] = path.slice(start.length + 1).split("/");
      const shape = [first, more.length].join("/");
      if (!shapes.has(shape)) open.push(path);
      if (!shapes.has(shape)) shapes.set(shape, path);
    }
  }
  return [start, ...shapes.values()].map((path): [string, string] => [decodeURI(path).slice(1).replace(/[^\p{L}\d]+/gu, "-"), path]);
}
