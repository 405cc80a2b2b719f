import type { AppSummary, Case } from "../src/api/types";
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

/** The further pages that an app brings, found by its tabs. */
export async function appTabs(who: Person, product: Product, app: string): Promise<string[]> {
  await who.page.goto(`${product.url}/apps/${app}`);
  const tabs = who.page.getByRole("navigation", { name: /^Pages of/ });
  await tabs.waitFor();
  const paths = await tabs.getByRole("link").evaluateAll((links) => links.map((l) => l.getAttribute("href") ?? ""));
  return paths.filter((p) => p !== "" && p !== `/apps/${app}` && !p.endsWith("/about") && !p.endsWith("/chat"));
}
