// Measures what a browser fetches before it shows the first page, gzipped, and
// fails when that exceeds the budget. Charts and app pages are fetched later.
import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";

const budget = 250 * 1024;
const dist = new URL("../dist/", import.meta.url);
const read = (name) => readFileSync(new URL(name, dist));

const page = read("console.html").toString();
const first = [...page.matchAll(/(?:src|href)="\/([^"]+\.(?:js|css|svg))"/g)].map((m) => m[1]);
let total = gzipSync(page).length;
console.log(`${String(total).padStart(8)}  console.html`);
for (const name of [...new Set(first)]) {
  const size = gzipSync(read(name), { level: 6 }).length;
  total += size;
  console.log(`${String(size).padStart(8)}  ${name}`);
}
console.log(`${String(total).padStart(8)}  first load, gzipped (budget ${budget})`);
if (total > budget) {
  console.error("The first load is over its budget.");
  process.exit(1);
}
