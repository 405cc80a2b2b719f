import assert from "node:assert/strict";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { before, test } from "node:test";
import { settled } from "./browser";
import { browser, product, who as mira } from "./demo";
import { enter, eventually, Product, read } from "./product";

type Head = { drafted: number };
type Section = { rounds: { round: number; status: string }[]; approval?: { id: string } };

const section = () => read<Section>(mira, product, "/report/reports/demo/sections/emissions");

before(async () => {
  await eventually(async () => (await read<Head[]>(mira, product, "/report/reports"))[0]?.drafted === 9, "every section is drafted", 120_000);
  await eventually(async () => (await section()).approval, "a section waits for a reviewer", 60_000);
});

test("R-080 R-130 R-136 R-137 two rounds of review and redraft", { timeout: 180_000 }, async () => {
  const { page } = mira;
  await page.goto(`${product.url}/apps/report/r/demo/emissions`);
  await settled(page);

  await page.locator(".report-numeral", { hasText: "128.92" }).first().click();
  await page.getByText("Row 2, column val of emissions_reduction_by_sector").waitFor();
  await page.locator("mark", { hasText: "-128.92" }).first().waitFor();

  const figure = page.getByRole("img", { name: /Emissions Reduction by Sector, the figure of the run/ });
  await figure.locator("path[fill='rgb(0,63,92)'], path[fill='rgb(226,110,61)']").first().waitFor();
  await figure.getByText("Ampol-House-View").waitFor();
  await page.getByLabel("Chart (chosen by the map)").selectOption("net_emissions_by_sector");
  await page.getByRole("img", { name: /Net Emissions by Sector, the figure of the run/ }).getByText("Carbon Dioxide Removal").waitFor();

  const form = page.getByRole("form", { name: "Review" });
  await page.locator(".report-draft p").first().evaluate((p) => {
    const text = [...p.childNodes].find((n) => n.textContent?.includes("end far apart"));
    if (!text) throw new Error("no such words");
    const words = document.createRange(), at = text.textContent?.indexOf("end far apart") ?? 0;
    words.setStart(text, at);
    words.setEnd(text, at + "end far apart".length);
    window.getSelection()?.removeAllRanges();
    window.getSelection()?.addRange(words);
  });
  await form.getByRole("button", { name: "Comment on the selected words" }).click();
  await form.getByLabel("On “end far apart”").fill("Say more about Transport in House View.");
  await form.getByText("All relevant data and scenarios are covered.").waitFor();
  await form.locator("fieldset", { hasText: "completeness" }).getByLabel("3").check();
  await form.getByLabel("Notes for the next round").fill("Add a baseline comparison. Mention the weather.");
  await form.getByRole("button", { name: "Send back and redraft" }).click();
  await eventually(async () => (await section()).rounds.length === 2, "the second round is written", 60_000);
  await page.getByText("Measured against the baseline of").first().waitFor();
  await page.getByText("On “end far apart”: Say more about Transport in House View.").first().waitFor();
  await page.getByText("Mention the weather.").first().waitFor();

  await page.getByLabel("Compare with").selectOption("1");
  await page.locator("ins", { hasText: "Measured against the baseline" }).first().waitFor();
  await page.getByLabel("Compare with").selectOption("");

  await eventually(async () => (await section()).approval, "the second round waits for a reviewer", 60_000);
  await page.getByRole("button", { name: "Accept as final" }).click();
  const done = await eventually(async () => (await section()).rounds.find((r) => r.status === "final"), "the section is final", 60_000);
  assert.equal(done.round, 2);
  assert.deepEqual(mira.bad, []);
});

/** A model that calls a fall what is a rise, and will not be told otherwise. */
function stubborn(): Server {
  const draft = "In Ampol-House-View, Land Use falls by 33.58 Mt CO₂-e, and Ampol-1p5DS cuts 472.35 Mt CO₂-e.";
  const call = (name: string, args: object) => ({ id: "c1", type: "function", function: { name, arguments: JSON.stringify(args) } });
  const looks = call("get_chart_data", { chart_id: "emissions_reduction_by_sector" }), writes = call("write_section_draft", { section_id: "emissions", content: draft });
  return createServer((req, res) => {
    let asked = "";
    req.on("data", (chunk: Buffer) => { asked += chunk.toString(); });
    req.on("end", () => {
      if (!asked.includes(String.raw`\"section\":\"emissions\"`)) {
        res.writeHead(400).end("{}");
        return;
      }
      const message = { role: "assistant", content: null, tool_calls: [asked.includes(`"role":"tool"`) ? writes : looks] };
      res.writeHead(200, { "Content-Type": "application/json" }).end(JSON.stringify({
        id: "x", object: "chat.completion", created: 1, model: "m", choices: [{ index: 0, finish_reason: "tool_calls", message }], usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
      }));
    });
  });
}

test("R-086 a planted error is stopped and the page says why", { timeout: 180_000 }, async () => {
  const server = stubborn();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const config = `[models.planted]\nprovider = "compatible"\nmodel = "m"\nbase_url = "http://127.0.0.1:${port}"\nkey = "env:HOME"\nretries = -1\n[agents]\n"report.writer" = "planted"\n`;
  const other = await Product.demo(config);
  try {
    const ivo = await enter(browser, other.link, "ivo");
    await eventually(async () => (await read<Section>(ivo, other, "/report/reports/demo/sections/emissions")).rounds.length > 0, "the section is drafted all the same", 120_000);
    await ivo.page.goto(`${other.url}/apps/report/r/demo/emissions`);
    await settled(ivo.page);
    const stopped = ivo.page.getByRole("region", { name: "Drafts that were stopped" });
    await stopped.locator("summary").first().click();
    await stopped.getByText("The text says the opposite direction").first().waitFor();
    await stopped.getByText("No number in the evidence gives “472.35 Mt CO₂-e”.").first().waitFor();
    assert.match(await ivo.page.locator(".report-draft").innerText(), /Land Use rises by 33\.58/);
    assert.deepEqual(ivo.bad, []);
  } finally {
    await other.close();
    server.close();
  }
});
