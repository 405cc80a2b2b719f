import { chromium, type Browser, type Page } from "playwright-core";

/** Where the browser is; Debian's by default. */
const executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium";

/** Opens the browser without a window, with further arguments. */
export function openBrowser(...args: string[]): Promise<Browser> {
  return chromium.launch({
    executablePath,
    headless: true,
    args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync", ...args],
  });
}

/** Collects what a page complains about: errors, and violations of the content policy. */
export function complaints(page: Page): string[] {
  const out: string[] = [];
  page.on("pageerror", (e) => out.push(String(e)));
  page.on("console", (m) => {
    const text = m.text();
    if (m.type() === "error" && !/Failed to load resource/.test(text)) out.push(text);
  });
  return out;
}

/** Waits until a page has fetched what it shows. */
export async function settled(page: Page) {
  await page.locator("h1").first().waitFor();
  await page.waitForFunction(() => document.querySelector(".loading") === null, undefined, { timeout: 15_000 });
  await page.evaluate(() => document.fonts.ready);
}
