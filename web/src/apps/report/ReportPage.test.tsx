// @vitest-environment happy-dom
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, render, screen } from "@testing-library/react";
import { afterEach, expect, it } from "vitest";
import { LastRun } from "./ReportPage";

afterEach(cleanup);

const show = (failed?: { run: string; why: string }) => render(<QueryClientProvider client={new QueryClient()}><LastRun failed={failed} /></QueryClientProvider>);

it("a section whose run failed says why and leads to the run", () => {
  show({ run: "run-1", why: "The agent did not come to an end within 40 turns." });
  expect(screen.getByRole("status").textContent).toContain("The last run of this section failed. The agent did not come to an end within 40 turns.");
  expect(screen.getByRole("link", { name: "See what it did" }).getAttribute("href")).toBe("/runs/run-1");
});

it("a section whose run went well says nothing of it", () => {
  show();
  expect(screen.queryByRole("status")).toBeNull();
});
