import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { after, before, test } from "node:test";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { openBrowser } from "./browser";
import { enter, eventually, password, Product, read, Requests } from "./product";

let browser: Browser;
let product: Product;

before(async () => {
  [browser, product] = await Promise.all([openBrowser(), Product.demo()]);
});
after(async () => {
  await browser?.close();
  await product?.close();
});

test("a request that nobody decided in time cannot be decided any more", async () => {
  const mira = await enter(browser, product.link, "mira");
  await eventually(async () => (await read<{ items: unknown[] }>(mira, product, "/api/v1/approvals?view=mine")).items.length > 0, "a request waits", 60_000);
  const a = await new Requests(mira, product).take("approve");

  // The deadline passes while the product is switched off.
  await product.stop();
  const set = spawnSync("go", ["run", "-trimpath", "./e2e/expire", join(product.dir, "dossier.db"), a.id, String((Date.now() - 60_000) * 1000)], { encoding: "utf8" });
  assert.equal(set.status, 0, set.stderr);
  await product.serve();

  const page = await (await browser.newContext()).newPage();
  await page.goto(`${product.url}/inbox/${a.id}`);
  await page.getByLabel("Name").fill("mira");
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("heading", { name: "Exactly this will run" }).waitFor();
  await page.getByText(/Nobody decided in time|expired/i).first().waitFor();
  assert.equal(await page.getByRole("button", { name: /^(Approve|Edit|Reject|Respond)/ }).count(), 0);
  const late = await page.request.post(`${product.url}/api/v1/approvals/${a.id}/decision`, { data: { verb: "approve", digest: a.digest } });
  assert.equal(late.status(), 409);
  assert.match(await late.text(), /expired/);
});
