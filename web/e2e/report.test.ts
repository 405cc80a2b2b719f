import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser } from "playwright-core";
import { openBrowser, settled } from "./browser";
import { enter, eventually, Product, read, type Person } from "./product";

let browser: Browser;
let product: Product;
let mira: Person;

type Head = { drafted: number };
type Section = { rounds: { round: number; status: string }[]; approval?: { id: string } };

const section = () => read<Section>(mira, product, "/report/reports/demo/sections/emissions");

before(async () => {
  [browser, product] = await Promise.all([openBrowser(), Product.demo()]);
  mira = await enter(browser, product.link, "mira");
  await eventually(async () => (await read<Head[]>(mira, product, "/report/reports"))[0]?.drafted === 9, "every section is drafted", 120_000);
  await eventually(async () => (await section()).approval, "a section waits for a reviewer", 60_000);
});
after(async () => {
  await browser?.close();
  await product?.close();
});

test("R-080 R-130 R-136 R-137 two rounds of review and redraft", { timeout: 180_000 }, async () => {
  const { page } = mira;
  await page.goto(`${product.url}/apps/report/r/demo/emissions`);
  await settled(page);

  await page.locator(".report-numeral", { hasText: "128.92" }).first().click();
  await page.getByText("Row 2, column val of emissions_reduction_by_sector").waitFor();
  await page.locator("mark", { hasText: "-128.92" }).first().waitFor();

  const form = page.getByRole("form", { name: "Review" });
  await form.getByText("All relevant data and scenarios are covered.").waitFor();
  await form.locator("fieldset", { hasText: "completeness" }).getByLabel("3").check();
  await form.getByLabel("Notes for the next round").fill("Add a baseline comparison. Mention the weather.");
  await form.getByRole("button", { name: "Send back and redraft" }).click();
  await eventually(async () => (await section()).rounds.length === 2, "the second round is written", 60_000);
  await page.getByText("Measured against the baseline of").first().waitFor();
  await page.getByText("Mention the weather.").first().waitFor();

  await page.getByLabel("Compare with").selectOption("1");
  await page.locator("ins", { hasText: "Measured against the baseline" }).first().waitFor();
  await page.getByLabel("Compare with").selectOption("");

  await eventually(async () => (await section()).approval, "the second round waits for a reviewer", 60_000);
  await page.getByRole("button", { name: "Accept as final" }).click();
  const done = await eventually(async () => (await section()).rounds.find((r) => r.status === "final"), "the section is final", 60_000);
  assert.equal(done.round, 2);
  assert.deepEqual(mira.bad, []);
});
