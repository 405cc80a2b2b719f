// Looks at Netra's pages in the browser while reports arrive: tiles and pages change
// without being loaded again, no identifier is shown, the briefing prints. SHOTS=folder
// keeps pictures.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { settled } from "./browser";
import { product, who } from "./demo";
import { eventually, read } from "./product";

const disclaimer = "Derived from public open-source indicators. Decision support only.";

/** Pictures wide and on a phone, in both themes. */
async function shots(name: string) {
  if (!process.env.SHOTS) return;
  for (const [size, width, height] of [["wide", 1360, 900], ["phone", 390, 844]] as const) {
    for (const colorScheme of ["light", "dark"] as const) {
      await who.page.setViewportSize({ width, height });
      await who.page.emulateMedia({ colorScheme });
      await who.page.waitForTimeout(400);
      await who.page.screenshot({ path: `${process.env.SHOTS}/${name}-${size}-${colorScheme}.png`, fullPage: true });
    }
  }
  await who.page.setViewportSize({ width: 1360, height: 900 });
  await who.page.emulateMedia({ colorScheme: "light" });
}

async function report(state: string, district: string, ...texts: string[]) {
  const timestamp = new Date(Date.now() - 60_000).toISOString();
  const answer = await who.api.post(`${product.url}/ingest`, { data: { reports: texts.map((text) => ({ state, district, text, timestamp })) } });
  assert.equal(answer.status(), 200, await answer.text());
}

/** Marks the page, so that loading it again would show. */
const mark = () => who.page.evaluate(() => void ((window as { stayed?: boolean }).stayed = true));
const stayed = () => who.page.evaluate(() => (window as { stayed?: boolean }).stayed === true);

test("N-098 a tile changes as reports arrive, without a reload", async () => {
  await who.page.goto(`${product.url}/apps/netra`);
  await settled(who.page);
  const tile = who.page.getByRole("link", { name: /^Serchhip: / });
  await tile.waitFor();
  assert.match((await tile.getAttribute("aria-label")) ?? "", /: 0\.00, Baseline, trend stable, 0 signals$/);
  await eventually(async () => (await who.page.locator(".netra-tile").count()) === 133, "every district has a tile");
  await mark();
  await shots("board-before");
  await report("Mizoram", "Serchhip", "Bandh called on the highway");
  await eventually(async () => /band-baseline/.test((await tile.getAttribute("class")) ?? "") && /, 1 signal\b/.test((await tile.getAttribute("aria-label")) ?? ""), "the tile shows one signal");
  await report("Mizoram", "Serchhip", "Gunfight leaves five dead at the border", "Communal tension after hate speech in the market");
  await eventually(async () => /band-(senior_review|critical)/.test((await tile.getAttribute("class")) ?? ""), "the tile is red");
  assert.ok(await stayed(), "the page was loaded again");
  await shots("board");
});

test("a district's page follows too, and says why", async () => {
  await who.page.goto(`${product.url}/apps/netra/district/Mizoram/Serchhip`);
  await settled(who.page);
  await mark();
  const main = who.page.locator("main");
  await main.getByText("Gunfight leaves five dead at the border").first().waitFor();
  await report("Mizoram", "Serchhip", "Peace dialogue meeting held by village elders", "Curfew relaxed as calm returns");
  await main.getByRole("table", { name: "Signals in the window" }).getByText("Peace dialogue meeting").first().waitFor();
  assert.ok(await stayed(), "the page was loaded again");
  const text = await main.innerText();
  for (const part of ["Layers", "What would change the band", "History", "Primary trigger:", disclaimer, "netra-1"]) assert.ok(text.includes(part), `the page lacks ${part}`);
  await shots("district");
});

test("a review says which score was looked at", async () => {
  await who.page.goto(`${product.url}/apps/netra/district/Mizoram/Serchhip`);
  await settled(who.page);
  const sent = who.page.waitForRequest((r) => r.method() === "POST" && new URL(r.url()).pathname === "/review");
  await who.page.getByLabel("Note").fill("Seen on the ground");
  await who.page.getByRole("button", { name: "It was a false alarm" }).click();
  await who.page.getByRole("status").getByText("Recorded.").waitFor();
  const body = (await sent).postDataJSON() as { score_timestamp: string; false_alarm: boolean };
  assert.ok(body.false_alarm && !Number.isNaN(Date.parse(body.score_timestamp)), JSON.stringify(body));
  const { reviews } = await read<{ reviews: { place: { district: string }; score: number; false_alarm: boolean; note: string }[] }>(who, product, "/review");
  assert.ok(reviews[0]?.place.district === "Serchhip" && reviews[0].false_alarm && reviews[0].note === "Seen on the ground", JSON.stringify(reviews[0]));
});

test("a crossing waits in the inbox for a senior officer", async () => {
  const { items } = await eventually(async () => {
    const list = await read<{ items: { title: string }[] }>(who, product, "/api/v1/approvals?view=mine&limit=200");
    return list.items.some((a) => /Serchhip/.test(a.title)) && list;
  }, "the crossing of Serchhip is asked about");
  assert.ok(items.some((a) => /^Acknowledge (SENIOR_REVIEW|CRITICAL) for Serchhip, Mizoram/.test(a.title)));
});

test("N-060 N-062 N-104 no page shows an identifier", async () => {
  const ids = ["98765 43210", "९८७६५४३२१०", "nine eight seven six five four three two one zero", "2345 6789 0123", "someone.private@mail.in", "someone [at] mail [dot] in", "ABCDE1234F", "@private_name", "AS 01 AB 1234", "https://twitter.com/private_name"];
  await report("Mizoram", "Serchhip", ...ids.map((id, i) => `Bandh and violence number ${i} near gate${i} bridge${i} road${i}, call ${id}`));
  const { items } = await read<{ items: { id: string; title: string }[] }>(who, product, "/api/v1/cases?limit=100&state=open,waiting,closed");
  const crossing = items.find((c) => /Serchhip/.test(c.title));
  assert.ok(crossing, "there is no case of the crossing");
  for (const path of ["/apps/netra", "/apps/netra/district/Mizoram/Serchhip", "/apps/netra/briefing/Mizoram/Serchhip", "/apps/netra/situation/Mizoram", "/apps/netra/oversight", `/cases/${crossing.id}`, `/cases/${crossing.id}/timeline`, "/inbox"]) {
    await who.page.goto(product.url + path);
    await settled(who.page);
    const html = await who.page.content();
    for (const id of ids) assert.ok(!html.includes(id), `${path} shows ${id}`);
    assert.ok(!/98765|private_name|ABCDE|someone/.test(html), `${path} shows a part of an identifier`);
  }
  await who.page.goto(`${product.url}/apps/netra/district/Mizoram/Serchhip`);
  await who.page.getByRole("table", { name: "Signals in the window" }).getByText(/\[(phone|email|pan|plate|handle|id|url)\]/).first().waitFor();
});

test("the briefing prints on its own", async () => {
  await who.page.goto(`${product.url}/apps/netra/briefing/Mizoram/Serchhip`);
  await settled(who.page);
  await shots("briefing");
  await who.page.emulateMedia({ media: "print" });
  assert.ok(!(await who.page.getByRole("button", { name: "Print" }).isVisible()));
  assert.ok(!(await who.page.getByRole("navigation").first().isVisible()));
  const sheet = who.page.locator(".netra-sheet");
  const text = await sheet.innerText();
  assert.ok(text.includes(disclaimer));
  assert.ok(!/\bago\b|just now/.test(text), "a printed sheet says when, not how long ago");
  const pdf = await who.page.pdf({ format: "A4" });
  assert.ok(pdf.length > 10_000);
  if (process.env.SHOTS) await who.page.screenshot({ path: `${process.env.SHOTS}/briefing-print.png`, fullPage: true });
  await who.page.emulateMedia({ media: "screen" });
});

test("the situation sheet names what a state must look at, prints and goes into a spreadsheet", async () => {
  await who.page.goto(`${product.url}/apps/netra/situation`);
  await settled(who.page);
  const sheet = who.page.locator(".netra-sheet");
  await sheet.getByRole("link", { name: "Serchhip" }).waitFor();
  assert.ok((await sheet.innerText()).includes("Manipur"), "all states are on the sheet at first");
  await who.page.getByLabel("State").selectOption("Mizoram");
  await sheet.getByRole("heading", { name: "Mizoram" }).waitFor();
  await shots("situation");
  const text = await sheet.innerText();
  assert.match(text, /\d+ of 11 districts to look at/);
  for (const part of ["Serchhip", "Champhai", disclaimer, "predict nothing"]) assert.ok(text.includes(part), `the sheet lacks ${part}`);
  assert.ok(!text.includes("Churachandpur"), "another state's district is on the sheet");
  const [file] = await Promise.all([who.page.waitForEvent("download"), who.page.getByRole("button", { name: "Download CSV" }).click()]);
  const rows = (await readFile(await file.path(), "utf8")).trim().split("\r\n");
  assert.equal(rows.length, 12, "a heading and Mizoram's eleven districts");
  for (const row of rows.slice(1)) assert.ok(row.startsWith("Mizoram,") && row.endsWith(disclaimer), row);
  await who.page.emulateMedia({ media: "print" });
  assert.ok(!(await who.page.getByRole("button", { name: "Print" }).isVisible()));
  assert.ok(await sheet.isVisible());
  await who.page.emulateMedia({ media: "screen" });
});

test("methodology and oversight", async () => {
  await who.page.goto(`${product.url}/apps/netra/methodology`);
  await settled(who.page);
  const text = await who.page.locator("main").innerText();
  for (const part of ["Methodology netra-1", "Formulas", "Bands", "Limits", disclaimer]) assert.ok(text.includes(part), `the page lacks ${part}`);
  await shots("methodology");
  await who.page.goto(`${product.url}/apps/netra/oversight`);
  await settled(who.page);
  await who.page.getByRole("heading", { name: "Retention" }).waitFor();
  assert.ok((await who.page.locator("main").innerText()).includes(disclaimer), "oversight lacks the disclaimer");
  await shots("oversight");
  assert.deepEqual(who.bad, []);
});
