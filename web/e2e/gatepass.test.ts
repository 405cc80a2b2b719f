import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { openBrowser, settled } from "./browser";
import { enter, eventually, Product, type Person } from "./product";
import { Wire } from "./wire";

let browser: Browser;
let product: Product;
let me: Person;

before(async () => {
  [browser, product] = await Promise.all([openBrowser(), Product.demo()]);
  me = await enter(browser, product.link, "boss");
  await me.page.setViewportSize({ width: 390, height: 844 });
});
after(async () => {
  await browser.close();
  await product.close();
});

async function go(page: Page, path: string) {
  await page.goto(product.url + path);
  await settled(page);
}

/** A picture to send as a photo: what the page itself looks like. */
const photo = async (page: Page) => ({ name: "photo.png", mimeType: "image/png", buffer: await page.screenshot() });

async function say(page: Page, text: string, expected: RegExp) {
  await page.getByRole("textbox", { name: "Write a message" }).fill(text);
  await page.getByRole("button", { name: "Send" }).click();
  await page.locator(".bubble.agent").filter({ hasText: expected }).last().waitFor();
}

test("a day at the gate, on a phone", async () => {
  const { page } = me;
  await go(page, "/apps/gatepass/chat");
  await page.getByRole("button", { name: "HR desk" }).click();
  await say(page, "create a pass for Meena Kumari to visit the bank", /come back/);
  await say(page, "yes, she will be back in two hours", /Pass GP-2026-\d{4} is made for Meena Kumari/);
  const number = /GP-\d{4}-\d{4}/.exec((await page.locator(".bubble.agent").last().textContent()) ?? "")?.[0];
  assert.ok(number);
  await page.locator(".toolcard").first().waitFor();

  await go(page, "/apps/gatepass?desk=admin&status=pending&q=Meena");
  await page.getByRole("button", { name: "Approve" }).click();
  await eventually(async () => (await status(number)) === "approved", `${number} is approved`);

  await go(page, "/apps/gatepass/gate");
  await out(page, number);
  await page.getByText(`Meena Kumari went out with ${number}.`).waitFor();
  assert.equal(await status(number), "exited");
  await page.locator(".gp-out").getByText("Meena Kumari").waitFor();
  await find(page, number);
  assert.ok(await page.getByRole("button", { name: "Let out" }).isDisabled(), "a second exit is offered");
  await page.getByLabel(/photo/i).last().setInputFiles(await photo(page));
  await page.getByRole("button", { name: "Let in" }).click();
  await page.getByText(`Meena Kumari came back with ${number}.`).waitFor();
  assert.equal(await status(number), "returned");
  assert.deepEqual(me.bad, []);
});

test("a scan without the server is checked, kept and handed in", async () => {
  const { page } = me;
  const wire = await Wire.to(product.url);
  const number = "GP-2026-0004";
  const code = await me.api.get(`${product.url}/qr/${number}`);
  const qr = { name: "code.png", mimeType: "image/png", buffer: await code.body() };
  await page.goto(`${wire.url}/apps/gatepass/gate`);
  await page.getByText("Connected").waitFor();
  wire.cut();
  await page.getByLabel("Read a picture of a code").setInputFiles(qr);
  await page.getByText(`Pass ${number} is genuine and holds now.`).waitFor();
  await page.getByLabel(/photo/i).last().setInputFiles(await photo(page));
  await page.getByRole("button", { name: "Let out" }).click();
  await page.getByText("1 unverified").waitFor();
  wire.mend();
  await page.getByRole("button", { name: "Sync" }).click();
  await eventually(async () => (await status(number)) === "exited", `${number} is handed in`);
  await eventually(async () => (await page.getByText("1 unverified").count()) === 0, "nothing is unverified any more");
  await wire.close();
});

test("a time of return is the one that the person sees, and a code that is shown is never an old one", async () => {
  const { page } = me;
  await go(page, "/apps/gatepass?desk=hr");
  await page.getByRole("button", { name: "New pass" }).click();
  await page.getByRole("textbox", { name: "Person" }).fill("Timely Kumar");
  await page.getByRole("textbox", { name: "Purpose" }).fill("bank");
  const by = `${new Date(Date.now() + 86_400_000).toISOString().slice(0, 10)}T17:30`;
  await page.getByLabel("Expected back").fill(by);
  const made = page.waitForResponse((r) => r.url().endsWith("/hr/gatepass/create"));
  await page.getByRole("button", { name: "Make the pass" }).click();
  const { pass_number, return_by } = (await (await made).json()) as { pass_number: string; return_by: string };
  assert.equal(new Date(return_by).getTime(), await page.evaluate((v) => new Date(v).getTime(), by));
  await go(page, `/apps/gatepass?desk=admin&pass=${pass_number}`);
  const code = page.waitForRequest((q) => q.url().includes(`/qr/${pass_number}`) && q.url().includes("approved"));
  await page.getByRole("dialog").getByRole("button", { name: "Approve" }).click();
  await code;
});

test("a deletion waits for a yes", async () => {
  const { page } = me;
  await go(page, "/apps/gatepass/chat");
  await page.getByRole("button", { name: "Admin desk" }).click();
  await page.getByRole("textbox", { name: "Write a message" }).fill("delete GP-2026-0008");
  await page.getByRole("button", { name: "Send" }).click();
  await page.getByRole("button", { name: "Yes, do it" }).waitFor();
  assert.equal(await status("GP-2026-0008"), "pending");
  await page.getByRole("textbox", { name: "Write a message" }).fill("yes");
  await page.getByRole("button", { name: "Send" }).click();
  await eventually(async () => (await status("GP-2026-0008")) === "deleted", "it is deleted after the yes");
});

test("G-097 while the API is away the chat says that it tries again", async () => {
  let calls = 0;
  let told = () => {};
  const seen = new Promise<void>((resolve) => (told = resolve));
  const away = createServer(async (_, answer) => {
    if (++calls > 1) await seen; // so that what is said meanwhile stays to be seen
    answer.writeHead(calls === 1 ? 503 : 200, { "Content-Type": "application/json" });
    answer.end(calls === 1 ? "{}" : '{"items":[],"page":1,"more":false,"total":0}');
  });
  await new Promise<void>((resolve) => away.listen(0, "127.0.0.1", resolve));
  const other = await Product.demo(`[apps.gatepass]\napi_url = "http://127.0.0.1:${(away.address() as AddressInfo).port}"\n`);
  try {
    const { page } = await enter(browser, other.link, "boss");
    await page.goto(`${other.url}/apps/gatepass/chat`);
    await settled(page);
    await page.getByRole("button", { name: "HR desk" }).click();
    await page.getByRole("textbox", { name: "Write a message" }).fill("list all passes");
    await page.getByRole("button", { name: "Send" }).click();
    await page.getByText("The gate pass service does not work just now; trying again in 2 s (1 of 3).").waitFor();
    told();
    await page.locator(".bubble.agent").last().waitFor();
    await eventually(async () => (await page.getByText("trying again").count()) === 0, "it no longer says so");
    assert.equal(calls, 2);
  } finally {
    await other.close();
    away.close();
  }
});

async function status(number: string): Promise<string> {
  const answer = await me.api.get(`${product.url}/admin/gatepass/${number}`);
  return ((await answer.json()) as { status: string }).status;
}

async function find(page: Page, number: string) {
  await page.getByLabel("Pass number").fill(number);
  await page.getByRole("button", { name: "Look up" }).click();
  await page.getByRole("region", { name: "The pass" }).waitFor();
}

async function out(page: Page, number: string) {
  await find(page, number);
  await page.getByLabel(/photo/i).last().setInputFiles(await photo(page));
  await page.getByRole("button", { name: "Let out" }).click();
}
