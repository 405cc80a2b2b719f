// The product with demo data and an administrator who is signed in: made before the
// tests of whichever file imports it, and taken away after them.
import { after, before } from "node:test";
import type { Browser } from "playwright-core";
import { openBrowser } from "./browser";
import { enter, Product, type Person } from "./product";

export let browser: Browser;
export let product: Product;
export let who: Person;

before(async () => {
  [browser, product] = await Promise.all([openBrowser(), Product.demo()]);
  who = await enter(browser, product.link, "mira");
});
after(async () => {
  await browser?.close();
  await product?.close();
});
