// The product with demo data and an administrator who is signed in: made before
// anything of whichever file imports it runs, and taken away after its tests. It is
// waited for here and not in a hook, since the hooks of two modules run side by side.
import { after } from "node:test";
import { openBrowser } from "./browser";
import { enter, Product } from "./product";

export const [browser, product] = await Promise.all([openBrowser(), Product.demo()]);
export const who = await enter(browser, product.link, "mira").catch(async (failure) => {
  await close();
  throw failure;
});
after(close);

async function close() {
  await browser.close();
  await product.close();
}
