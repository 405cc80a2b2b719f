import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { complaints, openBrowser, settled } from "./browser";
import { cameraShowing } from "./camera";
import { enter, eventually, Product, type Person } from "./product";
import { Wire } from "./wire";

let office: Browser;
let product: Product;
let boss: Person;

before(async () => {
  [office, product] = await Promise.all([openBrowser(), Product.demo()]);
  boss = await enter(office, product.link, "boss");
});
after(async () => {
  await office?.close();
  await product?.close();
});

const qr = async (number: string) => (await boss.api.get(`${product.url}/qr/${number}`)).body();

async function pass(number: string): Promise<{ status: string; history: { operation: string; source?: string; photo?: string }[] }> {
  return (await boss.api.get(`${product.url}/admin/gatepass/${number}`)).json();
}

async function approved(person: string, returnable = true): Promise<string> {
  const made = await boss.api.post(`${product.url}/hr/gatepass/create`, { data: { person_name: person, description: "bank", is_returnable: returnable } });
  const { pass_number } = (await made.json()) as { pass_number: string };
  const done = await boss.api.post(`${product.url}/admin/gatepass/${pass_number}/approve`, { data: {} });
  assert.equal(done.status(), 200, await done.text());
  return pass_number;
}

/** A gate: a phone whose camera sees the code of a pass, open on the gate's page over a wire of its own. */
async function gate(number: string, work: (page: Page, wire: Wire) => Promise<void>) {
  const args = await cameraShowing(boss.page, await qr(number), join(product.dir, `${number}.y4m`));
  const [browser, wire] = await Promise.all([openBrowser(...args), Wire.to(product.url)]);
  try {
    const context = await browser.newContext({ viewport: { width: 390, height: 844 }, storageState: await boss.context.storageState(), permissions: ["camera"] });
    context.setDefaultTimeout(15_000);
    const page = await context.newPage();
    const bad = complaints(page);
    await page.goto(`${wire.url}/apps/gatepass/gate`);
    await settled(page);
    await page.getByText("Connected").waitFor();
    await work(page, wire);
    assert.deepEqual(bad, []);
  } finally {
    await browser.close();
    await wire.close();
  }
}

const panel = (page: Page) => page.getByRole("region", { name: "The pass" });

async function photograph(page: Page) {
  await page.getByRole("button", { name: "Take a photo" }).click();
  await page.getByAltText("The photo that was taken").waitFor();
}

/** Waits until the page's worker has everything, cuts the wire, or a part of it, and opens the page again. */
async function reopenCut(page: Page, wire: Wire, ...paths: string[]) {
  await page.evaluate(async () => void (await navigator.serviceWorker.ready));
  await eventually(() => page.evaluate(async () => navigator.serviceWorker.controller !== null), "the worker holds the page");
  wire.cut(...paths);
  await page.reload();
  await page.getByRole("heading", { name: "Gate", level: 1 }).waitFor();
  await page.getByText("Offline").waitFor();
}

test("the camera reads the code of a pass, a photo is taken, and the person goes out", async () => {
  const number = await approved("Camera Kumar");
  await gate(number, async (page) => {
    await page.getByRole("button", { name: "Open the camera" }).click();
    await panel(page).getByRole("heading", { name: "Camera Kumar" }).waitFor();
    await panel(page).getByText(`Pass ${number} is genuine and holds now.`).waitFor();
    assert.ok(await page.getByRole("button", { name: "Let out" }).isDisabled(), "out without a photo");
    await photograph(page);
    await page.getByRole("button", { name: "Let out" }).click();
    await page.getByText(`Camera Kumar went out with ${number}.`).waitFor();
  });
  assert.equal((await pass(number)).status, "exited");
});

test("G11 the gate's page opens without the server, checks, queues, refuses a second exit, and is reconciled", async () => {
  const number = await approved("Offline Kumar");
  await gate(number, async (page, wire) => {
    await reopenCut(page, wire);
    await page.getByRole("button", { name: "Open the camera" }).click();
    await panel(page).getByText(`Pass ${number} is genuine and holds now.`).waitFor();
    await photograph(page);
    await page.getByRole("button", { name: "Let out" }).click();
    await page.getByText("1 unverified").waitFor();
    // The camera still sees the code: the second exit is refused and shows the first.
    await panel(page).getByText(new RegExp(`${number} already went out on \\d+ \\w+ \\d{4}`)).waitFor();
    await photograph(page);
    assert.ok(await page.getByRole("button", { name: "Let out" }).isDisabled(), "a second exit is offered");
    assert.equal((await pass(number)).status, "approved", "the server knew before it was told");
    // What waits survives another opening without the server.
    await page.reload();
    await page.getByText("1 unverified").waitFor();
    wire.mend();
    await page.getByRole("button", { name: "Sync" }).click();
    await eventually(async () => (await page.getByText("1 unverified").count()) === 0, "nothing is unverified any more");
    await page.getByRole("link", { name: "Open the console" }).click();
    await page.getByRole("heading", { name: "Gate Pass" }).waitFor();
  });
  const after = await pass(number);
  assert.equal(after.status, "exited");
  assert.equal(after.history.find((c) => c.operation === "exit")?.source, "offline");
});

const picture = (buffer: Buffer) => ({ name: "p.png", mimeType: "image/png", buffer });

async function chooses(page: Page, photo: Buffer) {
  await panel(page).getByLabel(/photo/i).last().setInputFiles(picture(photo));
  await page.getByAltText("The photo that was taken").waitFor();
}

test("G11 a pass that was withdrawn is refused without the server", async () => {
  const number = await approved("Withdrawn Kumar");
  const args = await qr(number);
  assert.ok(args.length > 0);
  const code = async (page: Page) => page.getByLabel("Read a picture of a code").setInputFiles(picture(args));
  const other = await approved("Somebody Else");
  const gone = await boss.api.post(`${product.url}/admin/gatepass/${number}/delete`, { data: {} });
  assert.equal(gone.status(), 200);
  await gate(other, async (page, wire) => {
    await reopenCut(page, wire);
    await code(page);
    await panel(page).getByText(`Pass ${number} was withdrawn. Do not let the person through.`).waitFor();
    await chooses(page, args);
    assert.ok(await page.getByRole("button", { name: "Let out" }).isDisabled());
    assert.ok(await page.getByRole("button", { name: "Let in" }).isDisabled());
  });
});

test("the worker keeps the files of the gate's page and no answer of the API", async () => {
  const number = await approved("Kept Kumar");
  await gate(number, async (page, wire) => {
    await reopenCut(page, wire);
    const kept = await page.evaluate(async () => {
      const out: string[] = [];
      for (const name of await caches.keys()) for (const r of await (await caches.open(name)).keys()) out.push(`${name} ${new URL(r.url).pathname}`);
      return out;
    });
    assert.ok(kept.some((k) => k.endsWith("/gate.html")), kept.join("\n"));
    for (const k of kept) assert.match(k, /^gate-[0-9a-f]{12} \/(gate\.html|icon\.svg|theme\.js|assets\/[\w.-]+\.(js|css))$/);
    const inside = await page.evaluate(async () => (await fetch("/gate/out").then(() => "answered", () => "no answer")));
    assert.equal(inside, "no answer");
  });
});

test("G11 a pass that was used is refused without the server, and a scan that must wait holds up no other", async () => {
  const used = await approved("Used Kumar");
  const code = await qr(used);
  for (const op of ["exit", "return"]) {
    const done = await boss.api.post(`${product.url}/gate/scan-${op}`, { multipart: { pass_number: used, photo: picture(code) } });
    assert.equal(done.status(), 200, await done.text());
  }
  const [number, elsewhere] = [await approved("Next Kumar"), await approved("Elsewhere Kumar")];
  await gate(number, async (page, wire) => {
    await reopenCut(page, wire);
    await page.getByLabel("Read a picture of a code").setInputFiles(picture(code));
    await panel(page).getByText(new RegExp(`${used} already went out on`)).waitFor();
    await chooses(page, code);
    assert.ok(await page.getByRole("button", { name: "Let out" }).isDisabled(), "a used pass goes out again");
    assert.ok(await page.getByRole("button", { name: "Let in" }).isDisabled(), "a used pass comes back again");
    await page.getByRole("button", { name: "Another pass" }).click();
    // This one went out by another gate, which has not said so yet.
    await page.getByLabel("Pass number").fill(elsewhere);
    await page.getByRole("button", { name: "Look up" }).click();
    await chooses(page, code);
    await page.getByRole("button", { name: "Let in" }).click();
    await page.getByText("1 unverified").waitFor();
    await page.getByLabel("Read a picture of a code").setInputFiles(picture(await qr(number)));
    await panel(page).getByText(`Pass ${number} is genuine and holds now.`).waitFor();
    await chooses(page, code);
    await page.getByRole("button", { name: "Let out" }).click();
    await page.getByText("2 unverified").waitFor();
    wire.mend();
    await page.getByRole("button", { name: "Sync" }).click();
    await page.getByText("1 unverified").waitFor();
    assert.equal((await pass(number)).status, "exited");
    assert.equal((await pass(elsewhere)).status, "approved");
    const out = await boss.api.post(`${product.url}/gate/scan-exit`, { multipart: { pass_number: elsewhere, photo: picture(code) } });
    assert.equal(out.status(), 200, await out.text());
    await page.getByRole("button", { name: "Sync" }).click();
    await eventually(async () => (await pass(elsewhere)).status === "returned", "the return is taken after the exit");
  });
});

test("a large photo is made smaller, and an answer that is lost neither doubles the scan nor raises an alarm", async () => {
  const number = await approved("Lost Kumar");
  const photo = Buffer.concat([await qr(number), Buffer.alloc(6 << 20)]);
  await gate(number, async (page, wire) => {
    await page.getByLabel("Pass number").fill(number);
    await page.getByRole("button", { name: "Look up" }).click();
    await panel(page).getByRole("heading", { name: "Lost Kumar" }).waitFor();
    await chooses(page, photo);
    wire.loseAnswers("/gate/s"); // of scans, and of handing them in
    await page.getByRole("button", { name: "Let out" }).click();
    await page.getByText("1 unverified").waitFor();
    await eventually(async () => (await pass(number)).status === "exited", "the scan reached the server");
    wire.mend();
    await page.getByRole("button", { name: "Sync" }).click();
    await eventually(async () => (await page.getByText("1 unverified").count()) === 0, "nothing is unverified any more");
    assert.equal(await page.getByText("An offline scan was refused").count(), 0);
  });
  const exits = (await pass(number)).history.filter((c) => c.operation === "exit");
  assert.deepEqual(exits.map((c) => [c.source, c.photo !== undefined]), [[undefined, true]]);
  const { items } = (await (await boss.api.get(`${product.url}/notifications/admin`)).json()) as { items: { type: string; message: string }[] };
  assert.deepEqual(items.filter((n) => n.type === "offline_refused" && n.message.includes(number)), []);
});

test("the gate opens also when the server is lost half way, and asks it first the next time", async () => {
  const number = await approved("Half Kumar");
  await gate(number, async (page, wire) => {
    await reopenCut(page, wire, "/api/", "/gate/");
    await page.getByRole("button", { name: "Open the camera" }).click();
    await panel(page).getByText(`Pass ${number} is genuine and holds now.`).waitFor();
    wire.mend();
    await page.reload();
    await page.getByRole("heading", { name: "Gate Pass", level: 1 }).waitFor();
    await page.getByText("Connected").waitFor();
  });
});
