import react from "@vitejs/plugin-react";
import { rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Plugin } from "vite";
import { defineConfig } from "vitest/config";

const dist = fileURLToPath(new URL("./dist", import.meta.url));

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
      rmSync(`${dist}/console.html`, { force: true });
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

export default defineConfig({
  plugins: [react(), besidePlaceholder()],
  build: {
    outDir: "dist",
    emptyOutDir: false,
    target: "es2022",
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 700,
  },
  server: {
    proxy: { "/api": { target: process.env.DOSSIER_URL ?? "http://127.0.0.1:8080", changeOrigin: false } },
  },
  test: { environment: "happy-dom", include: ["src/**/*.test.{ts,tsx}"], globals: false },
});
