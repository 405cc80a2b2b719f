import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { Page } from "playwright-core";
import { settled } from "./browser";
import { browser, product, who as mira } from "./demo";
import { eventually, invite, read, Requests, type Person } from "./product";

let jon: Person;
let requests: Requests;

before(async () => {
  const { user } = await read<{ user: { roles: string[] } }>(mira, product, "/api/v1/session");
  jon = await invite(browser, mira, product, "jon", user.roles);
  requests = new Requests(mira, product);
  await eventually(async () => (await read<{ items: unknown[] }>(mira, product, "/api/v1/approvals?view=mine")).items.length > 0, "a request waits", 60_000);
});

const open = async (page: Page, id: string) => {
  await page.goto(`${product.url}/inbox/${id}`);
  await page.getByRole("heading", { name: "Exactly this will run" }).waitFor();
};

test("a stranger sees what is asked, why, with which arguments and on which evidence", async () => {
  const a = await requests.any((x) => x.evidence.length > 0);
  await open(mira.page, a.id);
  const ask = mira.page.getByRole("article").first();
  const text = await ask.innerText();
  assert.ok(text.includes(a.title), "the action in one sentence");
  assert.ok(text.includes(a.why), "why it is asked");
  assert.ok(text.includes(a.tool), "the tool");
  for (const v of Object.values(a.args as Record<string, unknown>)) if (typeof v === "string" && v.length < 60) assert.ok(text.includes(v), `the argument ${v}`);
  for (const verb of a.verbs) assert.equal(await ask.getByRole("button", { name: new RegExp(`^${verb}`, "i") }).count(), 1, `what ${verb} does`);
  const first = ask.locator("details").first();
  await first.locator("summary").click();
  await first.getByText("Source:").waitFor();
  assert.deepEqual(mira.bad, []);
});

test("approve with the keyboard alone", async () => {
  const a = await requests.take("approve");
  await open(mira.page, a.id);
  await mira.page.keyboard.press("a");
  await mira.page.getByRole("form", { name: "Approve this" }).waitFor();
  await mira.page.keyboard.press("Enter");
  await mira.page.getByText("Approved.", { exact: true }).waitFor();
  const got = await requests.outcome(a.id);
  assert.equal(got.status, "approved");
  assert.equal(got.decisions[0].verb, "approve");
  assert.deepEqual(got.args, a.args);
});

test("reject needs a note and keeps it", async () => {
  const a = await requests.take("reject");
  await open(mira.page, a.id);
  await mira.page.keyboard.press("r");
  const form = mira.page.getByRole("form", { name: "Reject this" });
  await form.getByRole("button", { name: "Reject" }).click();
  await form.getByText("Say why in a note", { exact: false }).waitFor();
  assert.equal((await requests.outcome(a.id)).status, "pending");
  await form.getByLabel("Note").fill("The roster is out of date.");
  await form.getByRole("button", { name: "Reject" }).click();
  await mira.page.getByText("Rejected. The agent was told why.").waitFor();
  const got = await requests.outcome(a.id);
  assert.deepEqual([got.status, got.decisions[0].verb, got.decisions[0].note], ["rejected", "reject", "The roster is out of date."]);
});

test("respond sends the agent a message instead", async () => {
  const a = await requests.take("respond");
  await open(mira.page, a.id);
  await mira.page.keyboard.press("m");
  const form = mira.page.getByRole("form", { name: "Respond this" });
  await form.getByLabel("Message to the agent").fill("Ask the rider by phone first.");
  await mira.page.keyboard.press("Control+Enter");
  await mira.page.getByText("Your message was sent to the agent.").waitFor();
  assert.equal((await requests.outcome(a.id)).decisions[0].verb, "respond");
});

test("edit through the form made from the schema; what differs is shown first", async () => {
  const words = (a: { args: unknown }) => Object.entries(a.args as Record<string, unknown>).find((e): e is [string, string] => /reason|note|text|body|message|subject|comment/.test(e[0]) && typeof e[1] === "string");
  const a = await requests.take("edit", (x) => words(x) !== undefined);
  const [field] = words(a) ?? assert.fail();
  await open(mira.page, a.id);
  await mira.page.keyboard.press("e");
  const form = mira.page.getByRole("form", { name: "Edit this" });
  await form.locator(`[name="${field}"]`).fill("Changed by hand before it runs.");
  await form.getByRole("region", { name: "What differs" }).getByText("Changed by hand before it runs.").waitFor();
  await form.getByRole("button", { name: "Approve with these arguments" }).click();
  await mira.page.getByText("Approved with your arguments.").waitFor();
  const got = await requests.outcome(a.id);
  assert.equal(got.status, "approved");
  assert.equal((got.decisions[0].args as Record<string, unknown>)[field], "Changed by hand before it runs.");
});

test("two people at once: the second is told who came first", async () => {
  const a = await requests.take("approve");
  // Jon's page hears no events, as with a lost connection: it still shows the old state.
  await jon.page.route("**/api/v1/events*", (r) => r.abort());
  await open(jon.page, a.id);
  await open(mira.page, a.id);
  await mira.page.getByRole("button", { name: /^Approve/ }).click();
  await mira.page.getByRole("form").getByRole("button", { name: "Approve" }).click();
  await mira.page.getByText("Approved.", { exact: true }).waitFor();

  await jon.page.getByRole("button", { name: /^Reject/ }).click();
  await jon.page.getByRole("form").getByLabel("Note").fill("I disagree.");
  await jon.page.getByRole("form").getByRole("button", { name: "Reject" }).click();
  const told = await jon.page.getByRole("alert").innerText();
  assert.match(told, /mira/i, "who decided");
  assert.match(told, /approve/i, "and what");
  const got = await requests.outcome(a.id);
  assert.deepEqual([got.status, got.decisions.length], ["approved", 1]);
  await jon.page.unroute("**/api/v1/events*");
});

test("a decision by somebody else arrives without reloading", async () => {
  const a = await requests.take("approve");
  await mira.page.goto(`${product.url}/inbox`);
  await settled(mira.page);
  await mira.page.getByText("Live", { exact: true }).waitFor();
  const list = mira.page.getByRole("list", { name: "Requests" });
  await list.getByRole("link", { name: a.title }).first().waitFor();
  const before = await list.getByRole("link").count();
  await mira.page.evaluate(() => ((window as unknown as { kept: boolean }).kept = true));
  const answer = await jon.api.post(`${product.url}/api/v1/approvals/${a.id}/decision`, { data: { verb: "approve", digest: a.digest } });
  assert.equal(answer.status(), 200, await answer.text());
  await eventually(async () => (await list.getByRole("link").count()) < before || (await list.count()) === 0, "the request leaves the list");
  assert.equal(await mira.page.evaluate(() => (window as unknown as { kept: boolean }).kept), true, "the page was not loaded again");
});

test("what somebody reads stays before them while others decide it", async () => {
  await mira.page.goto(`${product.url}/inbox`);
  await settled(mira.page);
  await mira.page.getByText("Live", { exact: true }).waitFor();
  const list = mira.page.getByRole("list", { name: "Requests" });
  const href = (await list.locator('[aria-current="true"]').getAttribute("href")) ?? assert.fail("one is chosen");
  const first = await requests.outcome(href.split("/").at(-1) ?? "");
  await mira.page.getByRole("heading", { name: first.title }).waitFor();
  const answer = await jon.api.post(`${product.url}/api/v1/approvals/${first.id}/decision`, { data: { verb: "reject", note: "Not now.", digest: first.digest } });
  assert.equal(answer.status(), 200, await answer.text());
  await eventually(async () => (await list.locator(`[href="${href}"]`).count()) === 0, "it leaves the list");
  await mira.page.getByRole("article").getByText("Not now.").waitFor();
  assert.equal(await mira.page.getByRole("article").getByRole("heading").first().innerText(), first.title);
  await mira.page.keyboard.press("a");
  assert.equal(await mira.page.getByRole("form").count(), 0, "nothing else can be decided in its place");
});

test("a decision that was not taken is told to whoever has moved on", async () => {
  const a = await requests.take("approve");
  await open(mira.page, a.id);
  let sent = 0;
  let fail = () => {};
  const held = new Promise<void>((resolve) => (fail = resolve));
  await mira.page.route("**/decision", async (r) => {
    sent++;
    await held;
    await r.fulfill({ status: 503, contentType: "application/problem+json", body: JSON.stringify({ detail: "The database does not answer." }) });
  });
  await mira.page.keyboard.press("a");
  await mira.page.getByRole("form", { name: "Approve this" }).getByLabel("Note").fill("Fine.");
  await mira.page.keyboard.press("Control+Enter");
  await mira.page.getByRole("button", { name: "Sending…" }).waitFor();
  await mira.page.keyboard.press("Control+Enter");
  await mira.page.getByRole("list", { name: "Requests" }).getByRole("link").filter({ hasNotText: a.title }).first().click();
  await mira.page.getByRole("article").getByRole("heading", { name: a.title }).waitFor({ state: "detached" });
  fail();
  await mira.page.getByRole("status").getByText(`Not decided: ${a.title}`, { exact: false }).waitFor();
  assert.equal(sent, 1, "sent once");
  await mira.page.unroute("**/decision");
  assert.equal((await requests.outcome(a.id)).status, "pending");
});

test("the page listens again after the server refused it for a while", async () => {
  await jon.page.route("**/api/v1/events*", (r) => r.fulfill({ status: 503 }));
  const refused = jon.page.waitForResponse("**/api/v1/events*");
  await jon.page.goto(`${product.url}/inbox`);
  await refused;
  await jon.page.getByText("Connecting…", { exact: true }).waitFor();
  await jon.page.unroute("**/api/v1/events*");
  await jon.page.getByText("Live", { exact: true }).waitFor();
});

test("decided requests can be looked up, with who, when and why", async () => {
  await mira.page.goto(`${product.url}/inbox?view=decided`);
  await settled(mira.page);
  const list = mira.page.getByRole("list", { name: "Requests" });
  await list.getByText("Rejected").first().click();
  await mira.page.getByText("The roster is out of date.").or(mira.page.getByText("Ask the rider by phone first.")).first().waitFor();
  assert.equal(await mira.page.getByRole("button", { name: /^Approve/ }).count(), 0);
});

test("j, k and ? work, and not while somebody types", async () => {
  const { items } = await read<{ items: unknown[] }>(mira, product, "/api/v1/approvals?view=all&limit=50");
  assert.ok(items.length > 1);
  await mira.page.goto(`${product.url}/inbox?view=decided`);
  await settled(mira.page);
  const current = () => mira.page.getByRole("list", { name: "Requests" }).locator('[aria-current="true"]').getAttribute("href");
  const first = await current();
  await mira.page.keyboard.press("j");
  await eventually(async () => (await current()) !== first, "j moves on");
  await mira.page.keyboard.press("k");
  await eventually(async () => (await current()) === first, "k moves back");
  await mira.page.keyboard.press("?");
  await mira.page.getByRole("dialog", { name: "Keys" }).waitFor();
  await mira.page.keyboard.press("Escape");
  await mira.page.goto(`${product.url}/cases`);
  await mira.page.getByLabel("Search").fill("jkar?");
  assert.equal(await mira.page.getByLabel("Search").inputValue(), "jkar?");
});

test("requests of one app are picked out, and the address keeps it", async () => {
  const { items } = await read<{ items: { app: string }[] }>(mira, product, "/api/v1/approvals?view=mine&limit=200");
  const netra = items.filter((a) => a.app === "netra").length;
  assert.ok(netra > 0 && netra < items.length, "several apps ask");
  await mira.page.goto(`${product.url}/inbox`);
  await settled(mira.page);
  await mira.page.getByRole("group", { name: "Requests of" }).getByRole("button", { name: `Netra ${netra}` }).click();
  await eventually(async () => (await mira.page.getByRole("list", { name: "Requests" }).getByRole("link").count()) === netra, "only netra's are left");
  assert.match(mira.page.url(), /\/inbox\?app=netra$/);
});
