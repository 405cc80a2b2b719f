// Makes pictures of every page in both themes, wide and on a phone, for people to
// look at: shots/<page>-<size>-<theme>.png.
import { mkdirSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { openBrowser, settled } from "./browser";
import { allPages } from "./pages";
import { caseWithFindings, enter, eventually, Product } from "./product";

const dir = fileURLToPath(new URL("../shots/", import.meta.url));
const only = process.argv[2] ? new RegExp(process.argv[2]) : /./;
rmSync(dir, { recursive: true, force: true });
mkdirSync(dir, { recursive: true });

const [browser, product] = await Promise.all([openBrowser(), Product.demo()]);
try {
  const who = await enter(browser, product.link, "mira");
  await eventually(() => caseWithFindings(who, product).catch(() => undefined), "a case has a finding", 60_000);
  const pages = await allPages(who, product);
  const outside = await (await browser.newContext()).newPage();
  for (const [size, width, height] of [["wide", 1360, 900], ["phone", 390, 844]] as const) {
    for (const theme of ["light", "dark"] as const) {
      for (const page of [who.page, outside]) {
        await page.setViewportSize({ width, height });
        await page.emulateMedia({ colorScheme: theme });
      }
      await outside.goto(product.url);
      await outside.getByRole("heading", { name: "Sign in" }).waitFor();
      await outside.screenshot({ path: `${dir}sign-in-${size}-${theme}.png` });
      for (const [name, path] of pages) {
        if (!only.test(name)) continue;
        await who.page.goto(product.url + path);
        await settled(who.page);
        if (name === "case-verify") {
          await who.page.getByRole("button", { name: "Verify this case" }).click();
          await who.page.getByRole("region", { name: "Result" }).waitFor();
        }
        await who.page.waitForTimeout(400);
        await who.page.screenshot({ path: `${dir}${name}-${size}-${theme}.png`, fullPage: true });
      }
      console.log(`${size}, ${theme}: ${pages.length} pages`);
    }
  }
  for (const line of who.bad) console.error(line);
} finally {
  await browser.close();
  await product.close();
}
