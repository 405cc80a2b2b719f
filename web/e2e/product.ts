import assert from "node:assert/strict";
import { execFile, spawn, type ChildProcess } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { APIRequestContext, Browser, BrowserContext, Page } from "playwright-core";
import type { ApprovalItem, Case, Verb } from "../src/api/types";
import { complaints, settled } from "./browser";

const binary = process.env.DOSSIER_BIN ?? "../bin/dossier";
export const password = "correct horse battery";

/** The product with demo data, started in a folder of its own. */
export class Product {
  url = "";
  link = "";
  readonly dir = mkdtempSync(join(tmpdir(), "dossier-e2e-"));
  private process?: ChildProcess;
  private output = "";
  private config = "";

  /** Starts the binary with a configuration, loads the demo data and reads the sign-in link. */
  static async demo(config = ""): Promise<Product> {
    const p = new Product();
    if (config !== "") writeFileSync((p.config = join(p.dir, "dossier.toml")), config);
    await p.run(["demo", "--serve"], /(https?:\/\/\S+)\/welcome#(\S+)/);
    const m = /(https?:\/\/\S+)\/welcome#(\S+)/.exec(p.output);
    assert.ok(m, p.output);
    p.url = m[1];
    p.link = m[0];
    return p;
  }

  /** Starts the binary again over the same folder, without loading anything. */
  async serve() {
    await this.run(["serve"], /serves on (https?:\/\/\S+)/);
    this.url = /serves on (https?:\/\/\S+)/.exec(this.output)?.[1] ?? "";
  }

  private run(args: string[], ready: RegExp): Promise<void> {
    this.output = "";
    const child = spawn(binary, [...args, "--addr", "127.0.0.1:0", "--data", this.dir], { stdio: ["ignore", "pipe", "pipe"], env: { ...process.env, DOSSIER_CONFIG: this.config } });
    this.process = child;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`The product did not start in two minutes:\n${this.output}`)), 120_000);
      const take = (chunk: Buffer) => {
        this.output += chunk.toString();
        if (ready.test(this.output)) {
          clearTimeout(timer);
          resolve();
        }
      };
      child.stdout.on("data", take);
      child.stderr.on("data", take);
      child.on("error", (e) => reject(new Error(`DOSSIER_BIN=${binary}: ${e.message}`)));
      child.on("exit", (code) => reject(new Error(`The product ended with ${code}:\n${this.output}`)));
    });
  }

  /** Runs a command over the same data, beside the product that serves, and returns what it prints. */
  async command(...args: string[]): Promise<string> {
    const { stdout } = await promisify(execFile)(binary, [...args, "--data", this.dir], { env: { ...process.env, DOSSIER_CONFIG: this.config } });
    return stdout;
  }

  /** Ends the binary and waits until it is gone. */
  stop() {
    return this.end("SIGTERM");
  }

  /** Kills the binary in whatever it is doing. */
  kill() {
    return this.end("SIGKILL");
  }

  private async end(signal: "SIGTERM" | "SIGKILL") {
    const child = this.process;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const gone = new Promise((resolve) => child.once("exit", resolve));
    child.kill(signal);
    await gone;
  }

  async close() {
    await this.stop();
    rmSync(this.dir, { recursive: true, force: true });
  }
}

/** Somebody with a browser of their own. */
export type Person = { name: string; context: BrowserContext; page: Page; api: APIRequestContext; bad: string[] };

type Look = { width?: number; height?: number; dark?: boolean };

/** Opens a one-time link and makes an account with it, in a fresh browser. */
export async function enter(browser: Browser, link: string, name: string, look: Look = {}): Promise<Person> {
  const context = await browser.newContext({ viewport: { width: look.width ?? 1360, height: look.height ?? 900 }, colorScheme: look.dark ? "dark" : "light" });
  context.setDefaultTimeout(15_000);
  const page = await context.newPage();
  const bad = complaints(page);
  await page.goto(link);
  await page.getByLabel(/password/i).fill(password); // the form is there once the link was looked at
  const nameField = page.getByLabel("Name to sign in with");
  if (await nameField.isVisible()) await nameField.fill(name);
  await page.getByRole("button", { name: /sign in/i }).click();
  // The first page after the demo data was loaded, while what that set off is still being worked on.
  await page.getByRole("heading", { name: "Inbox", level: 1 }).waitFor({ timeout: 60_000 });
  await settled(page);
  return { name, context, page, api: context.request, bad };
}

/** Lets an administrator add someone with roles, and lets them in. */
export async function invite(browser: Browser, admin: Person, product: Product, name: string, roles: string[]): Promise<Person> {
  const answer = await admin.api.post(`${product.url}/api/v1/users`, { data: { name, display: `${name[0].toUpperCase()}${name.slice(1)} Tester`, roles } });
  assert.equal(answer.status(), 201, await answer.text());
  const { link } = (await answer.json()) as { link: string };
  return enter(browser, link, name);
}

/** Reads JSON as somebody. */
export async function read<T>(who: Person, product: Product, path: string): Promise<T> {
  const answer = await who.api.get(product.url + path);
  assert.equal(answer.status(), 200, `${path}: ${await answer.text()}`);
  return (await answer.json()) as T;
}

/** Pending requests that somebody may answer with a verb, taken once each. */
export class Requests {
  private readonly taken = new Set<string>();
  constructor(private readonly who: Person, private readonly product: Product) {}

  async take(verb: Verb, fits: (a: ApprovalItem) => boolean = () => true): Promise<ApprovalItem> {
    const { items } = await read<{ items: ApprovalItem[] }>(this.who, this.product, "/api/v1/approvals?view=mine&limit=200");
    // The one with the fewest verbs: those with more are left for who needs them.
    const found = items.filter((a) => a.verbs.includes(verb) && a.need === 1 && !this.taken.has(a.id) && fits(a)).sort((a, b) => a.verbs.length - b.verbs.length);
    assert.ok(found[0], `the demo data has no further pending request that ${verb} answers; ${items.length} wait`);
    this.taken.add(found[0].id);
    return found[0];
  }

  /** One of the pending requests, left for others. */
  async any(fits: (a: ApprovalItem) => boolean): Promise<ApprovalItem> {
    const { items } = await read<{ items: ApprovalItem[] }>(this.who, this.product, "/api/v1/approvals?view=mine&limit=200");
    return items.find(fits) ?? assert.fail("the demo data has no such request");
  }

  /** What a request came to. */
  async outcome(id: string): Promise<ApprovalItem> {
    return read<ApprovalItem>(this.who, this.product, `/api/v1/approvals/${id}`);
  }
}

/** Waits until something holds, looking again a few times a second. */
export async function eventually<T>(look: () => Promise<T | undefined | false>, what: string, ms = 15_000): Promise<T> {
  const end = Date.now() + ms;
  for (;;) {
    const got = await look();
    if (got) return got;
    if (Date.now() > end) assert.fail(`never came about: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 150));
  }
}

/** A case with findings, for looking at. */
export async function caseWithFindings(who: Person, product: Product): Promise<Case> {
  const { items } = await read<{ items: Case[] }>(who, product, "/api/v1/cases?limit=100&state=open,waiting,closed");
  for (const c of items) {
    const found = await read<{ items: { by: string }[] }>(who, product, `/api/v1/cases/${c.id}/findings`);
    if (found.items.some((f) => f.by.startsWith("rule/"))) return c;
  }
  assert.fail("no case of the demo data has a finding made by a rule");
}
