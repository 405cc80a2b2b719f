// A process is killed in the middle of an act, and a person says what became of it.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser } from "playwright-core";
import type { ApprovalItem } from "../src/api/types";
import { openBrowser } from "./browser";
import { Post } from "./post";
import { enter, eventually, Product, read } from "./product";

let browser: Browser;
let post: Post;
let product: Product;

before(async () => {
  [browser, post] = await Promise.all([openBrowser(), Post.open()]);
  product = await Product.demo(`[mail]\nvia = "smtp"\nhost = "127.0.0.1"\nport = ${post.port}\ntls = "none"\nfrom = "patrol@example.com"\n`);
});
after(async () => {
  await browser?.close();
  await product?.close();
  await post?.close();
});

const words = "we are sorry and are looking into it";
const sent = () => post.taken.filter((m) => m.includes(words)).length;

test("whether a mail left when the process died is for a person to say, and it is not sent twice", async () => {
  const mira = await enter(browser, product.link, "mira");
  const { page } = mira;
  const asked = async (fits: (a: ApprovalItem) => boolean) => (await read<{ items: ApprovalItem[] }>(mira, product, "/api/v1/approvals?view=mine&limit=200")).items.find(fits);
  const draft = await eventually(() => asked((a) => a.tool === "send_email_for_review"), "a draft waits");

  await page.goto(`${product.url}/cases/${draft.case}/mail`);
  await page.getByLabel("Letter").fill(`Hello [first name],\n\n${words}.\n\nPool Patrol\n`);
  const inside = post.hold((m) => m.includes(words));
  await page.getByRole("button", { name: "Send as edited" }).click();
  await inside;
  await product.kill();
  await product.serve();

  const doubt = await eventually(() => asked((a) => a.case === draft.case && a.doubt === true), "a person is asked what became of it", 30_000);
  await page.goto(`${product.url}/inbox/${doubt.id}`);
  await page.getByText("In doubt").first().waitFor();
  if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/doubt.png`, fullPage: true });
  assert.equal(sent(), 1, "it was sent again unasked");
  await page.getByRole("button", { name: /^It did happen/ }).first().click();
  await page.getByLabel("How you know").fill("The post office has it.");
  await page.getByRole("button", { name: /^It did happen/ }).last().click();

  await page.goto(`${product.url}/cases/${draft.case}/mail`);
  await page.locator(".pool-thread").getByText(words).waitFor();
  assert.equal(sent(), 1, "it was sent again");
  const verified = await mira.api.post(`${product.url}/api/v1/cases/${draft.case}/verify`);
  assert.equal(((await verified.json()) as { ok: boolean }).ok, true);
});
