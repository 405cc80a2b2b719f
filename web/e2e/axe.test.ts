import { AxeBuilder } from "@axe-core/playwright";
import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { Page } from "playwright-core";
import { settled } from "./browser";
import { browser, product, who as mira } from "./demo";
import { allPages } from "./pages";
import { caseWithFindings, eventually } from "./product";

let pages: [name: string, path: string][];

before(async () => {
  await eventually(() => caseWithFindings(mira, product).catch(() => undefined), "a case has a finding", 60_000);
});

/** What axe finds serious or critical on a page, in a line each. */
async function serious(page: Page): Promise<string[]> {
  const { violations } = await new AxeBuilder({ page }).options({ resultTypes: ["violations"], iframes: false }).analyze();
  return violations.filter((v) => v.impact === "serious" || v.impact === "critical").map((v) => `${v.id}: ${v.nodes.slice(0, 3).map((n) => n.target.join(" ")).join("; ")}`);
}

/** How far what was already shown moved about while the page loaded; above 0.1 people lose their place. */
const shifted = (page: Page) => page.evaluate(() => (window as unknown as { shifted: number }).shifted);

test("axe finds nothing serious on any page, no page complains, jumps about or scrolls sideways", async () => {
  await mira.context.addInitScript(() => {
    const sum = window as unknown as { shifted: number };
    sum.shifted = 0;
    new PerformanceObserver((list) => {
      for (const e of list.getEntries() as (PerformanceEntry & { value: number; hadRecentInput: boolean })[]) if (!e.hadRecentInput) sum.shifted += e.value;
    }).observe({ type: "layout-shift", buffered: true });
  });
  pages = await allPages(mira, product);
  for (const shape of [/^\/apps\/poolpatrol\/van\//, /^\/apps\/netra\/district\//, /^\/apps\/netra\/briefing\//, /^\/apps\/airshed\/reports\/./, /^\/apps\/report\/r\//, /^\/cases\/[^/]+\/mail/, /^\/evals\/results\/./])
    assert.ok(pages.some(([, path]) => shape.test(path)), `no page ${shape} among ${pages.map(([, path]) => path).join(" ")}`);
  const found: string[] = [];
  for (const [name, path] of pages) {
    await mira.page.goto(product.url + path);
    await settled(mira.page);
    for (const line of await serious(mira.page)) found.push(`${name}: ${line}`);
    const over = await mira.page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    if (over > 0) found.push(`${name}: scrolls sideways by ${over}px`);
    const jump = await shifted(mira.page);
    if (jump > 0.1) found.push(`${name}: jumps about by ${jump.toFixed(2)}`);
  }
  assert.deepEqual(found, []);
  assert.deepEqual(mira.bad, []);
});

test("nor in the dark, on a phone, or before signing in", async () => {
  const found: string[] = [];
  await mira.page.emulateMedia({ colorScheme: "dark" });
  await mira.page.setViewportSize({ width: 390, height: 844 });
  for (const [name, path] of pages) {
    if (!/^(request|cases|case|evidence-1|run|ledger|evals|settings-users|apps-.*)$/.test(name)) continue;
    await mira.page.goto(product.url + path);
    await settled(mira.page);
    for (const line of await serious(mira.page)) found.push(`${name}: ${line}`);
    const over = await mira.page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    if (over > 0) found.push(`${name}: scrolls sideways by ${over}px`);
  }
  const outside = await (await browser.newContext()).newPage();
  await outside.goto(product.url);
  await outside.getByRole("heading", { name: "Sign in" }).waitFor();
  for (const line of await serious(outside)) found.push(`sign-in: ${line}`);
  assert.deepEqual(found, []);
});

test("everything of the frame is reached with the keyboard, and focus is seen", async () => {
  const { page } = mira;
  await page.emulateMedia({ colorScheme: "light" });
  await page.setViewportSize({ width: 1360, height: 900 });
  await page.goto(`${product.url}/cases`);
  await settled(page);
  const reached: string[] = [];
  for (let i = 0; i < 24; i++) {
    await page.keyboard.press("Tab");
    const { name, outlined } = await page.evaluate(() => {
      const el = document.activeElement as HTMLElement;
      return { name: (el.getAttribute("aria-label") ?? el.innerText).trim(), outlined: getComputedStyle(el).outlineStyle !== "none" };
    });
    reached.push(name);
    assert.ok(outlined, `focus on "${name}" is seen`);
  }
  for (const name of ["Skip to the page", "Cases", "Runs", "Ledger", "Apps", "Evals", "Settings", "Sign out"]) assert.ok(reached.includes(name), `${name} is reached: ${reached.join(" | ")}`);
});
