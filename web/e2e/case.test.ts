import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { before, test } from "node:test";
import { join } from "node:path";
import type { Case} from "../src/api/types";
import { settled } from "./browser";
import { product, who as mira } from "./demo";
import { caseWithFindings, eventually, Requests } from "./product";

let c: Case;

before(async () => {
  c = await eventually(() => caseWithFindings(mira, product).catch(() => undefined), "a case has a finding", 60_000);
});

test("from a case to a number, to its evidence, to the proof", async () => {
  const { page } = mira;
  await page.goto(`${product.url}/cases/${c.id}`);
  await settled(page);
  await page.getByRole("heading", { name: "Findings" }).waitFor();
  const finding = page.getByRole("article").first();
  await finding.locator("a.numeral, .cites a").first().click();
  await page.waitForURL(/\/evidence\/ev-/);
  await page.getByText("Place in the chain").waitFor();
  await page.getByRole("button", { name: "JSON" }).click().catch(() => undefined);

  await page.getByRole("navigation", { name: "Parts of this case" }).getByRole("link", { name: "Verify" }).click();
  await page.getByRole("button", { name: "Verify this case" }).click();
  await page.getByText("It holds.").waitFor();
  await page.getByText("Agrees").first().waitFor();
  await page.getByText("Stored and recomputed are the same").first().click();
  await page.getByText("Recomputed", { exact: true }).first().waitFor();
  assert.deepEqual(mira.bad, []);
});

test("why? answers and cites", async () => {
  const { page } = mira;
  await page.goto(`${product.url}/cases/${c.id}`);
  await page.getByRole("button", { name: "Ask" }).click();
  await page.getByText("Rests on").waitFor();
  await page.getByRole("region", { name: "Why?" }).locator(".cites a").first().click();
  await page.waitForURL(/\/evidence\/ev-/);
});

test("an exported bundle verifies, and an altered one does not", async () => {
  const { page } = mira;
  await page.goto(`${product.url}/cases/${c.id}`);
  const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("link", { name: "Export" }).click()]);
  const file = join(product.dir, "bundle.json");
  await download.saveAs(file);
  const verify = async (path: string) => {
    await page.goto(`${product.url}/ledger`);
    await page.getByLabel("Bundle", { exact: true }).setInputFiles(path);
    await page.getByRole("button", { name: "Verify", exact: true }).click();
    return page.getByText(/^It (holds|does not hold)\.$/).innerText();
  };
  assert.equal(await verify(file), "It holds.");

  const bundle = JSON.parse(readFileSync(file, "utf8")) as { evidence: { summary: string }[] };
  bundle.evidence[0].summary += " (altered)";
  const altered = join(product.dir, "altered.json");
  writeFileSync(altered, JSON.stringify(bundle));
  assert.equal(await verify(altered), "It does not hold.");
  assert.match(await page.getByRole("region", { name: "Result" }).innerText(), /altered/i);
});

test("the timeline grows while one looks at it", async () => {
  const requests = new Requests(mira, product);
  const a = await eventually(() => requests.take("reject").catch(() => undefined), "a request waits", 60_000);
  const { page } = mira;
  await page.goto(`${product.url}/cases/${a.case}/timeline`);
  await settled(page);
  await page.getByText("Live", { exact: true }).waitFor();
  const before = await page.locator(".moment").count();
  const answer = await mira.api.post(`${product.url}/api/v1/approvals/${a.id}/decision`, { data: { verb: "reject", note: "Not now.", digest: a.digest } });
  assert.equal(answer.status(), 200, await answer.text());
  await eventually(async () => (await page.locator(".moment").count()) > before, "the timeline shows more");
});

test("a run shows its steps as a tree, and two can be compared", async () => {
  const { page } = mira;
  await page.goto(`${product.url}/runs`);
  await settled(page);
  const picks = page.getByRole("checkbox", { name: /^Compare / });
  await picks.nth(0).check();
  await picks.nth(1).check();
  await page.getByRole("button", { name: /Compare/ }).click();
  await page.getByRole("heading", { name: "Compare two runs" }).waitFor();
  await page.getByRole("heading", { name: "Answers" }).waitFor();
  await page.goBack();
  await settled(page);
  await page.getByRole("table", { name: "Runs" }).locator("tbody a.strong").first().click();
  await page.getByRole("heading", { name: "Steps" }).waitFor();
  const model = page.locator("details.step", { hasText: "Model" }).first();
  await model.locator("> summary").click();
  await model.getByText("What the model was told").click();
  await model.getByRole("region", { name: "Prompt" }).waitFor();
  assert.deepEqual(mira.bad, []);
});
