import assert from "node:assert/strict";
import { test } from "node:test";
import { browser, product, who as admin } from "./demo";
import { invite, password, read } from "./product";

test("the printed link opens once", async () => {
  const page = await (await browser.newContext()).newPage();
  await page.goto(product.link);
  await page.getByRole("heading", { name: "This link does not open" }).waitFor();
  assert.match(await page.getByRole("alert").innerText(), /used already|too old/);
});

test("a wrong password is refused in words, the right one lets in, and signing out ends it", async () => {
  const page = await (await browser.newContext()).newPage();
  await page.goto(`${product.url}/cases`);
  await page.getByLabel("Name").fill("mira");
  await page.getByLabel("Password").fill("not the password");
  await page.getByRole("button", { name: "Sign in" }).click();
  assert.ok((await page.getByRole("alert").innerText()).length > 10);
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("heading", { name: "Cases", level: 1 }).waitFor();
  const cookies = await page.context().cookies();
  assert.ok(cookies.length > 0 && cookies.every((c) => c.httpOnly && c.sameSite !== "None"), "the session's cookie is out of reach of scripts and other sites");
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
  assert.equal((await page.request.get(`${product.url}/api/v1/cases`)).status(), 401);
});

test("whoever the identity provider did not let in is told why, once", async () => {
  const page = await (await browser.newContext()).newPage();
  // No provider is configured here, which is one of the reasons why nobody gets in.
  await page.goto(`${product.url}/api/v1/session/oidc?back=/cases`);
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
  await page.getByText("No identity provider is configured.").waitFor();
  await page.reload();
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
  assert.equal(await page.getByText("No identity provider is configured.").count(), 0);
});

test("whoever has no part in an app sees nothing of it", async () => {
  type App = { id: string; roles: { role: string }[] };
  const { items: apps } = await read<{ items: App[] }>(admin, product, "/api/v1/apps");
  const { items: cases } = await read<{ items: { id: string; app: string }[] }>(admin, product, "/api/v1/cases?limit=200");
  const mine = apps.find((a) => cases.some((c) => c.app !== a.id) && a.roles.length > 0);
  assert.ok(mine, "the demo data has at least two apps");
  const own = mine.roles[0].role;
  const other = cases.find((c) => c.app !== mine.id && !apps.find((a) => a.id === c.app)?.roles.some((r) => r.role === own));
  assert.ok(other, "some case belongs to another app");
  const pending = await read<{ items: { id: string; app: string }[] }>(admin, product, "/api/v1/approvals?view=pending&limit=200");
  const foreign = pending.items.find((a) => a.app === other.app);

  const guest = await invite(browser, admin, product, "guest", [own]);
  const { page } = guest;
  await page.getByRole("navigation", { name: "Main" }).waitFor();
  const nav = await page.getByRole("navigation", { name: "Main" }).innerText();
  const otherTitle = (apps.find((a) => a.id === other.app) as App & { title: string }).title;
  assert.ok(!nav.includes(otherTitle), `${otherTitle} is not in the navigation`);

  await page.goto(`${product.url}/cases/${other.id}`);
  await page.getByRole("alert").waitFor();
  assert.match(await page.getByRole("alert").innerText(), /There is no case/);
  await page.goto(`${product.url}/apps/${other.app}`);
  await page.getByRole("alert").waitFor();
  if (foreign) {
    await page.goto(`${product.url}/inbox/${foreign.id}`);
    await page.getByRole("alert").waitFor();
    assert.equal(await page.getByRole("button", { name: "Approve" }).count(), 0);
  }
  await page.goto(`${product.url}/settings/users`);
  await page.getByText("There is no such page for your role.").waitFor();
  assert.equal(await page.getByRole("link", { name: "Users" }).count(), 0);
  assert.equal((await guest.api.get(`${product.url}/api/v1/users`)).status(), 403);
});

test("an auditor reads everything and decides nothing", async () => {
  const auditor = await invite(browser, admin, product, "ada", ["auditor"]);
  const { page } = auditor;
  const { items } = await read<{ items: { id: string }[] }>(auditor, product, "/api/v1/approvals?view=pending&limit=10");
  assert.ok(items.length > 0, "something is pending");
  await page.goto(`${product.url}/inbox/${items[0].id}`);
  await page.getByRole("heading", { name: "Exactly this will run" }).waitFor();
  assert.equal(await page.getByRole("button", { name: /^(Approve|Edit|Reject|Respond)/ }).count(), 0);
  await page.keyboard.press("a");
  assert.equal(await page.getByRole("form").count(), 0);
  await page.goto(`${product.url}/settings/users`);
  await page.getByRole("heading", { name: "Users" }).waitFor();
  assert.equal(await page.getByRole("button", { name: "Add someone" }).count(), 0);
  assert.deepEqual(auditor.bad, []);
});
