import assert from "node:assert/strict";
import { test } from "node:test";
import type { AppSummary } from "../src/api/types";
import { settled } from "./browser";
import { product, who as mira } from "./demo";
import { read } from "./product";

test("somebody talks to an agent, and the conversation is there after reloading", async () => {
  const { items } = await read<{ items: AppSummary[] }>(mira, product, "/api/v1/apps");
  const app = items.find((a) => a.chat.length > 0) ?? assert.fail("no app of the demo has an agent to talk to");
  const { page } = mira;
  await page.goto(`${product.url}/apps/${app.id}/chat`);
  await settled(page);
  await page.getByRole("button", { name: /Talk to|Start a conversation/ }).first().click();
  const box = page.getByRole("textbox", { name: "Write a message" });
  await box.fill("What can you do for me?");
  await box.press("Enter");
  const log = page.getByRole("log");
  await log.locator(".bubble.person", { hasText: "What can you do for me?" }).waitFor();
  await log.locator(".bubble.agent").first().waitFor();
  assert.ok((await log.locator(".bubble.agent").first().innerText()).length > 10);
  await page.reload();
  await log.locator(".bubble.person", { hasText: "What can you do for me?" }).waitFor();
  assert.equal(await log.locator(".bubble.person").count(), 1);
  await page.getByRole("complementary", { name: "Your conversations" }).getByRole("link").first().waitFor();
  assert.deepEqual(mira.bad, []);
});
