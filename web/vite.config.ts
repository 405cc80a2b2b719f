import react from "@vitejs/plugin-react";
import { createHash } from "node:crypto";
import { readFileSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Plugin } from "vite";
import { defineConfig } from "vitest/config";

const at = (path: string) => fileURLToPath(new URL(`./${path}`, import.meta.url));
const dist = at("dist");

/**
 * Writes the built page as console.html, beside the committed placeholder
 * index.html that stands in for it when the console was not built.
 */
function besidePlaceholder(): Plugin {
  return {
    name: "beside-placeholder",
    enforce: "post",
    apply: "build",
    buildStart() {
      rmSync(`${dist}/assets`, { recursive: true, force: true });
      for (const page of ["console.html", "gate.html", "gate-worker.js"]) rmSync(`${dist}/${page}`, { force: true });
    },
    generateBundle: {
      order: "post",
      handler(_, bundle) {
        const page = bundle["index.html"];
        if (page?.type !== "asset") throw new Error("The build has no index.html.");
        const source = page.source;
        delete bundle["index.html"];
        this.emitFile({ type: "asset", fileName: "console.html", source });
      },
    },
  };
}

type Bundle = Parameters<Extract<NonNullable<Plugin["generateBundle"]>, (...args: never[]) => unknown>>[1];

/** What a page fetches before it runs: its scripts, those they import, and their styles. */
function fetchedBy(page: string, bundle: Bundle): string[] {
  const found = new Set<string>();
  const walk = (name: string) => {
    const chunk = bundle[name];
    if (chunk?.type !== "chunk" || found.has(name)) return;
    found.add(name);
    chunk.viteMetadata?.importedCss.forEach((css) => found.add(css));
    chunk.imports.forEach(walk);
  };
  for (const [name, chunk] of Object.entries(bundle)) if (chunk.type === "chunk" && chunk.facadeModuleId?.endsWith(page)) walk(name);
  return [...found].sort();
}

/** Tells the gate's worker which files its page is made of, and their version. */
function gateWorker(): Plugin {
  return {
    name: "gate-worker",
    enforce: "post",
    apply: "build",
    generateBundle: {
      order: "post",
      handler(_, bundle) {
        const worker = bundle["gate-worker.js"];
        const page = bundle["gate.html"];
        if (worker?.type !== "chunk" || page?.type !== "asset") throw new Error("The build has no gate page or no worker for it.");
        if (worker.imports.length > 0) throw new Error("The gate's worker must stand alone.");
        const hashed = fetchedBy("/gate.html", bundle);
        if (!hashed.some((f) => f.endsWith(".css"))) throw new Error("The gate page has no style.");
        const fixed = ["icon.svg", "theme.js"];
        const version = createHash("sha256").update(JSON.stringify(hashed)).update(page.source);
        for (const f of fixed) version.update(readFileSync(new URL(`./public/${f}`, import.meta.url)));
        const files = ["gate.html", ...fixed, ...hashed].map((f) => `/${f}`);
        worker.code = worker.code.replaceAll("__GATE_FILES__", JSON.stringify(files)).replaceAll("__GATE_VERSION__", JSON.stringify(version.digest("hex").slice(0, 12)));
      },
    },
  };
}

export default defineConfig({
  plugins: [react(), besidePlaceholder(), gateWorker()],
  build: {
    outDir: "dist",
    emptyOutDir: false,
    target: "es2022",
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 700,
    rollupOptions: {
      input: { index: at("index.html"), gate: at("gate.html"), "gate-worker": at("src/apps/gatepass/worker.ts") },
      output: { entryFileNames: (chunk) => (chunk.name === "gate-worker" ? "[name].js" : "assets/[name]-[hash].js") },
    },
  },
  server: {
    proxy: { "/api": { target: process.env.DOSSIER_URL ?? "http://127.0.0.1:8080", changeOrigin: false } },
  },
  test: { environment: "happy-dom", include: ["src/**/*.test.{ts,tsx}"], globals: false },
});
