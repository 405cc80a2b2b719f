// @vitest-environment node
import openapiTS, { astToString, COMMENT_HEADER } from "openapi-typescript";
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";

const here = (path: string) => new URL(path, import.meta.url);

it("the API's types are those of its document", async () => {
  const made = COMMENT_HEADER + astToString(await openapiTS(here("../../internal/api/openapi.yaml")));
  expect(readFileSync(here("./api/schema.ts"), "utf8") === made, "schema.ts is stale: npm run types").toBe(true);
}, 60_000);

it("the lock file pins every package and names no address to fetch it from", () => {
  const lock = JSON.parse(readFileSync(here("../package-lock.json"), "utf8")) as { packages: Record<string, { version?: string; integrity?: string; resolved?: string }> };
  const packages = Object.entries(lock.packages).filter(([name]) => name !== "");
  expect(packages.filter(([, p]) => p.resolved !== undefined).map(([name]) => name)).toEqual([]);
  expect(packages.filter(([, p]) => !p.version || !p.integrity).map(([name]) => name)).toEqual([]);
  const own = JSON.parse(readFileSync(here("../package.json"), "utf8")) as { dependencies: Record<string, string>; devDependencies: Record<string, string> };
  expect(Object.values({ ...own.dependencies, ...own.devDependencies }).filter((v) => !/^\d+\.\d+\.\d+$/.test(v))).toEqual([]);
});
