// Walks Airshed's demo in the browser: the surge with its map, a what-if that is not the
// record, the submission that waits for a legal officer and, after the approval, the
// filed report in the receiver.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { before, test } from "node:test";
import jsQR from "jsqr";
import type { ApprovalItem, Case } from "../src/api/types";
import type { Filed, Received, ReportLine } from "../src/apps/airshed/data";
import { settled } from "./browser";
import { product, who } from "./demo";
import { eventually, read } from "./product";

let asked: ApprovalItem;

before(async () => {
  asked = await eventually(async () => {
    const { items } = await read<{ items: ApprovalItem[] }>(who, product, "/api/v1/approvals?view=mine&limit=200");
    return items.find((a) => a.tool === "send_caqm_report_tool");
  }, "a submission waits", 60_000);
});

const shot = async (name: string) => {
  if (process.env.SHOTS) await who.page.screenshot({ path: `${process.env.SHOTS}/${name}.png`, fullPage: true });
};
const reportOf = (a: ApprovalItem) => (a.args as { report: { report_id: string; sha256: string } }).report;
const received = () => read<Received>(who, product, "/api/v1/airshed/received");

test("A-142 the surge with its map, time line and states", async () => {
  await who.page.goto(`${product.url}/apps/airshed`);
  await settled(who.page);
  await who.page.getByRole("heading", { name: "Newest surge" }).waitFor();
  const map = who.page.getByRole("region", { name: "Map" });
  await map.getByText(/fire that counts/).first().waitFor();
  await map.locator("svg circle, svg rect, canvas").first().waitFor();
  await who.page.getByRole("region", { name: "Time line" }).waitFor();
  await shot("surge");
});

test("A-142 a what-if says that it is not the record, and leaves the record alone", async () => {
  const fires = who.page.getByRole("region", { name: "Result" });
  const before = await fires.innerText();
  const radius = who.page.getByLabel("Radius");
  await radius.fill("50");
  await who.page.getByText("A what-if, not the record.").waitFor();
  await eventually(async () => (await fires.innerText()).includes("(record:"), "the figures show what the record says");
  await shot("what-if");
  await who.page.getByRole("button", { name: "Back to the record" }).click();
  await eventually(async () => (await fires.innerText()) === before, "the record is back");
  assert.equal(await who.page.getByText("A what-if, not the record.").count(), 0);
});

test("the submission waits, and case and report say that a person is awaited", async () => {
  const { report_id } = reportOf(asked);
  assert.deepEqual((await received()).items, [], "nothing is filed before somebody agreed");
  const c = await read<Case>(who, product, `/api/v1/cases/${asked.case}`);
  assert.equal(c.state, "waiting");
  assert.equal(c.stage, "awaiting_approval");
  await who.page.goto(`${product.url}/apps/airshed/reports/${report_id}`);
  await who.page.getByText("It is filed when a legal officer approves it").waitFor();
  assert.equal(await who.page.getByRole("region", { name: "Receiver" }).count(), 0);
  await shot("draft");
});

test("approved in the inbox, the report is filed and the receiver holds it", async () => {
  const { report_id } = reportOf(asked);
  await who.page.goto(`${product.url}/inbox/${asked.id}`);
  await who.page.getByRole("heading", { name: "Exactly this will run" }).waitFor();
  const { report } = await read<Filed>(who, product, `/api/v1/airshed/reports/${report_id}`);
  const shown = await who.page.getByRole("region", { name: "Before you decide" }).innerText();
  for (const part of [report.executive_summary, report.reasoning, report.legal_citations.enforcement_request, ...report.recommendations]) assert.ok(shown.includes(part), `whoever decides reads ${part}`);
  await shot("inbox");
  await who.page.keyboard.press("a");
  await who.page.getByRole("form", { name: "Approve this" }).waitFor();
  await who.page.keyboard.press("Enter");
  await who.page.getByText("Approved.", { exact: true }).waitFor();
  const filed = await eventually(async () => {
    const f = await read<Filed>(who, product, `/api/v1/airshed/reports/${report_id}`);
    return f.status === "filed" ? f : undefined;
  }, "the report is filed", 30_000);
  const record = (await received()).items.find((i) => i.report_id === report_id);
  assert.ok(record && filed.result?.receipt, "the receiver has a record, and the report its receipt");
  assert.equal(record.sha256, reportOf(asked).sha256, "what was received is what was approved");
  assert.equal(filed.result.sha256, record.sha256);
  assert.equal(record.receipt_id, filed.result.receipt.receipt_id);

  await who.page.goto(`${product.url}/apps/airshed/reports/${report_id}`);
  await who.page.getByText("Filed with the Commission").waitFor();
  const panel = who.page.getByRole("region", { name: "Receiver" });
  await panel.getByText("The digest is the one that was approved.").waitFor();
  const text = await panel.innerText();
  for (const part of [report_id, record.receipt_id, record.sha256]) assert.ok(text.includes(part), `the page shows ${part}`);
  await shot("filed");

  const copy = await read<{ report: { report_id: string; executive_summary: string } }>(who, product, `/api/v1/airshed/received/${report_id}`);
  assert.equal(copy.report.report_id, report_id);
  assert.equal(copy.report.executive_summary, filed.report.executive_summary);

  await panel.getByRole("link", { name: "All it holds" }).click();
  await who.page.getByRole("region", { name: "Received reports" }).getByRole("link", { name: report_id }).waitFor();
  await shot("receiver");
  assert.deepEqual(who.bad, []);
});

/** Reads a code in a picture, with the browser as the eye. */
async function decode(png: Buffer): Promise<string | undefined> {
  const { width, height, pixels } = await who.page.evaluate(async (src) => {
    const img = new Image();
    img.src = src;
    await img.decode();
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [img.width, img.height];
    const pen = canvas.getContext("2d")!;
    pen.drawImage(img, 0, 0);
    const { data } = pen.getImageData(0, 0, img.width, img.height);
    let grey = ""; // one character a pixel: lists of numbers are slow to hand over
    for (let i = 0; i < data.length; i += 4) grey += data[i] > 127 ? "1" : "0";
    return { width: img.width, height: img.height, pixels: grey };
  }, `data:image/png;base64,${png.toString("base64")}`);
  const colours = new Uint8ClampedArray(4 * pixels.length);
  for (let i = 0; i < pixels.length; i++) colours.fill(pixels[i] === "1" ? 255 : 0, 4 * i, 4 * i + 4);
  return jsQR(colours, width, height)?.data;
}

test("the report opens as PDF and as a page, and its code leads to the bundle that proves it", async () => {
  const { report_id } = reportOf(asked);
  const lines = await read<{ items: ReportLine[] }>(who, product, "/api/v1/airshed/reports");
  assert.ok(lines.items.some((l) => l.report_id === report_id && l.status === "filed"));
  const page = await (await who.api.get(`${product.url}/api/v1/airshed/reports/${report_id}/html`)).text();
  assert.match(page, /Approved by/);
  const code = /src="data:image\/png;base64,([^"]+)"/.exec(page)?.[1]?.replaceAll("&#43;", "+");
  assert.ok(code, "the page has a code");
  const address = (await decode(Buffer.from(code, "base64"))) ?? "";
  assert.ok(address.endsWith(`/api/v1/cases/${asked.case}/bundle`), `the code says ${address}`);
  const bundle = await who.api.get(product.url + new URL(address).pathname);
  assert.equal(bundle.status(), 200);

  const pdf = await who.api.get(`${product.url}/api/v1/airshed/reports/${report_id}/pdf`);
  assert.equal(pdf.status(), 200);
  const raw = await pdf.body();
  assert.equal(raw.subarray(0, 5).toString(), "%PDF-");
  const [text, last] = rasterised(raw);
  if (text === undefined) return; // poppler is not on this machine
  for (const want of [report_id, "CAQM Direction No. 95", "Approved by", "receipt RCPT-"]) assert.ok(text.includes(want), `the PDF says ${want}`);
  assert.equal(await decode(last), address, "the code in the PDF is the page's");
});

/** A PDF's text and the picture of its last page; nothing without poppler's tools. */
function rasterised(pdf: Buffer): [string, Buffer] | [undefined] {
  const dir = mkdtempSync(join(tmpdir(), "airshed-pdf-"));
  try {
    writeFileSync(join(dir, "r.pdf"), pdf);
    if (spawnSync("pdftoppm", ["-v"]).error) return [undefined];
    const text = spawnSync("pdftotext", ["r.pdf", "-"], { cwd: dir, encoding: "utf8" }).stdout;
    assert.equal(spawnSync("pdftoppm", ["-r", "110", "-png", "r.pdf", "page"], { cwd: dir }).status, 0);
    const pages = readdirSync(dir).filter((n) => n.endsWith(".png")).sort();
    return [text, readFileSync(join(dir, pages[pages.length - 1]))];
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}
