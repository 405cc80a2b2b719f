import assert from "node:assert/strict";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, test } from "node:test";
import type { GateState, LabelItem, Status, Webhook } from "../src/api/types";
import { settled } from "./browser";
import { product, who as mira } from "./demo";
import { eventually, read } from "./product";

const { page } = mira;
const heard: { kind: string | undefined; signed: boolean }[] = [];
let listener: Server;
let address = "";

before(async () => {
  listener = createServer((request, answer) => {
    let text = "";
    request.on("data", (chunk: Buffer) => (text += chunk.toString()));
    request.on("end", () => {
      heard.push({ kind: (JSON.parse(text) as { kind?: string }).kind, signed: request.headers["webhook-signature"] !== undefined });
      answer.end("ok");
    });
  });
  await new Promise<void>((ready) => listener.listen(0, "127.0.0.1", ready));
  address = `http://127.0.0.1:${(listener.address() as AddressInfo).port}/hook`;
});
after(() => listener.close());

const open = async (path: string) => {
  await page.goto(product.url + path);
  await settled(page);
};
const hooks = async () => (await read<{ items: Webhook[] }>(mira, product, "/api/v1/webhooks")).items;

test("a webhook is added, tested, switched off and on, and removed", async () => {
  await open("/settings/webhooks");
  await page.getByText("No address is told about events.").waitFor();
  await page.getByRole("button", { name: "Add an address" }).click();
  const dialog = page.getByRole("dialog", { name: "Add an address" });
  await dialog.getByLabel("Address").fill(address);
  await dialog.getByLabel("Kinds of events").fill("case.opened, approval.*");
  await dialog.getByRole("button", { name: "Add", exact: true }).click();
  await dialog.getByText("It is shown only now.", { exact: false }).waitFor();
  assert.match(await dialog.locator("[data-secret]").innerText(), /^whsec_/);
  await dialog.getByRole("button", { name: "Close" }).click();

  const row = page.getByRole("row").filter({ hasText: address });
  await row.getByText("case.opened, approval.*").waitFor();
  await row.getByText("On", { exact: true }).waitFor();
  await row.getByRole("button", { name: "Test" }).click();
  await eventually(async () => heard.length > 0, "the address hears of the test");
  assert.deepEqual(heard[0], { kind: "webhook.test", signed: true });

  await row.getByRole("button", { name: "Switch off" }).click();
  await row.getByText("Off", { exact: true }).waitFor();
  assert.deepEqual((await hooks()).map((w) => [w.url, w.enabled]), [[address, false]]);
  await row.getByRole("button", { name: "Switch on" }).click();
  await row.getByText("On", { exact: true }).waitFor();
  assert.equal((await hooks())[0].enabled, true);

  const sure = page.getByRole("dialog", { name: `Remove ${address}?` });
  await page.getByRole("button", { name: `Remove ${address}` }).click();
  await sure.getByRole("button", { name: "Keep it" }).click();
  await sure.waitFor({ state: "detached" });
  assert.equal((await hooks()).length, 1);
  await page.getByRole("button", { name: `Remove ${address}` }).click();
  await sure.getByRole("button", { name: "Remove" }).click();
  await page.getByText("No address is told about events.").waitFor();
  assert.deepEqual(await hooks(), []);
  assert.deepEqual(mira.bad, []);
});

test("whoever switches a webhook that somebody else changed meanwhile is told, and sees it as it is", async () => {
  const added = await mira.api.post(`${product.url}/api/v1/webhooks`, { data: { url: address } });
  assert.equal(added.status(), 201, await added.text());
  const hook = (await added.json()) as Webhook;
  // The page hears no events, as with a lost connection: it still shows the old state.
  await page.route("**/api/v1/events*", (r) => r.abort());
  await open("/settings/webhooks");
  const row = page.getByRole("row").filter({ hasText: address });
  await row.getByText("On", { exact: true }).waitFor();
  const changed = await mira.api.patch(`${product.url}/api/v1/webhooks/${hook.id}`, { data: { enabled: false }, headers: { "If-Match": `"${hook.version}"` } });
  assert.equal(changed.status(), 200, await changed.text());
  await row.getByRole("button", { name: "Switch off" }).click();
  await page.getByText("Somebody changed this webhook meanwhile. Look again.").waitFor();
  await row.getByText("Off", { exact: true }).waitFor();
  assert.deepEqual((await hooks()).map((w) => [w.enabled, w.version]), [[false, hook.version + 1]]);
  await page.unroute("**/api/v1/events*");
});

test("health shows which parts work, who plays and what each agent last reached", async () => {
  const gate = async () => (await read<Status>(mira, product, "/api/v1/status")).gates.find((g) => g.app === "poolpatrol" && g.agent === "location") as GateState;
  assert.equal((await gate()).checked, false, "nobody has measured it yet");
  await open("/settings/health");
  const agent = page.getByRole("region", { name: "Gates" }).getByRole("row").filter({ hasText: "poolpatrol.location" });
  const cells = async () => {
    await agent.waitFor();
    return (await agent.getByRole("cell").allInnerTexts()).map((t) => t.trim());
  };
  assert.deepEqual((await cells()).slice(1, 5), ["Location", "–", "–", "No gate"]);

  const parts = page.getByRole("region", { name: "Parts" });
  const status = await read<Status>(mira, product, "/api/v1/status");
  for (const [name, part] of [["Database", status.database], ["Work", status.work], ["Mail", status.mail], ["Tracing", status.tracing]] as const) {
    const text = await parts.getByRole("row", { name: new RegExp(`^${name} `) }).innerText();
    assert.ok(text.includes(part.name) && text.includes(part.ok ? "Works" : "Does not work"), `${name}: ${text}`);
  }
  for (const model of status.models) {
    const text = await page.getByRole("region", { name: "Models" }).getByRole("row", { name: new RegExp(`^${model.alias} `) }).innerText();
    assert.ok(text.includes(model.note) && text.includes(model.ok ? "Works" : "Does not work"), `${model.alias}: ${text}`);
  }

  await product.command("eval", "run", "poolpatrol/location");
  const { mean } = await gate();
  assert.ok(mean > 0.9, `the reference policy reaches ${mean}`);
  await page.reload();
  await settled(page);
  assert.equal(Number((await cells())[3]), Math.round(mean * 1000) / 1000);
  assert.match((await cells())[5], /last reached/);

  await open("/evals/results");
  await page.getByRole("region", { name: "Results" }).getByRole("link", { name: "Location" }).click();
  await page.getByText("Passes").first().waitFor();
});

test("whoever labels an answer sees one fewer to label", async () => {
  const waiting = async () => (await read<{ items: LabelItem[] }>(mira, product, "/api/v1/evals/labels?limit=100")).items;
  const before = await waiting();
  assert.ok(before.length > 2, "what people decided in the demo data waits to be labelled");
  await open("/evals/labels");
  const tab = page.getByRole("link", { name: /^To label/ });
  const cards = page.getByRole("article");
  const counted = async (n: number) => {
    await eventually(async () => (await cards.count()) === n && (await tab.innerText()).includes(String(n)), `${n} to label`);
    assert.equal((await waiting()).length, n);
  };
  await counted(before.length);
  await cards.first().getByText(before[0].why).waitFor();
  await cards.first().getByRole("button", { name: "That was right" }).click();
  await page.getByText("Thank you. It is kept as an example.").waitFor();
  await counted(before.length - 1);

  const second = cards.first();
  await second.getByRole("button", { name: "That was wrong" }).click();
  await second.getByLabel("What it should have been").fill("The rider should have been asked first.");
  await second.getByLabel("The right answer, as JSON").fill("not JSON");
  await second.getByRole("button", { name: "Send" }).click();
  await second.getByText("What is right must be JSON", { exact: false }).waitFor();
  assert.equal((await waiting()).length, before.length - 1, "what is no JSON labels nothing");
  await second.getByLabel("The right answer, as JSON").fill("");
  await second.getByRole("button", { name: "Send" }).click();
  await counted(before.length - 2);
  assert.deepEqual(mira.bad, []);
});
