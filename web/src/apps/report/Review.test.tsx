// @vitest-environment happy-dom
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, fireEvent, render, screen, waitFor } from "@testing-library/react";
import { afterEach, expect, it, vi } from "vitest";
import { Review } from "./Review";
import type { Round, Section } from "./types";

const decided: unknown[] = [];
vi.mock("../../hooks/approvals", () => ({
  useApproval: (id: string) => ({ data: id === "" ? undefined : { id }, isPending: false }),
  useDecide: () => ({ mutateAsync: (d: unknown) => Promise.resolve(decided.push(d)) }),
}));

const round: Round = { round: 1, text: "Power falls.", status: "draft", prompt_version: "1", run: "r", case: "c", created: "", verdict: { ok: true, faith: { numerals: [] }, coverage: { scenarios: [], charts: [] }, reasons: [] } };
const section = (approval?: string) => ({ id: "power", title: "Power", rounds: [round], reviews: [], approval: approval ? { id: approval } : undefined }) as unknown as Section;

/** Shows the form to someone with roles, and returns what is posted. */
function show(roles: string[], approval?: string): string[] {
  const posted: string[] = [];
  vi.stubGlobal("fetch", (input: string | Request, init?: RequestInit) => {
    const path = new URL(input instanceof Request ? input.url : input, "http://dossier").pathname;
    if ((input instanceof Request ? input.method : init?.method) === "POST") posted.push(path);
    const answers: Record<string, unknown> = {
      "/report/rubric": [{ name: "accuracy", asks: "Numbers and facts are correct." }],
    };
    return Promise.resolve(new Response(JSON.stringify(answers[path] ?? {}), { headers: { "Content-Type": "application/json" } }));
  });
  const client = new QueryClient({ defaultOptions: { queries: { retry: false, staleTime: Infinity } } });
  client.setQueryData(["session"], { user: { id: "u", roles } });
  render(<QueryClientProvider client={client}><Review report="rep" section={section(approval)} round={round} /></QueryClientProvider>);
  return posted;
}

afterEach(() => {
  cleanup();
  decided.length = 0;
  vi.unstubAllGlobals();
});

it("R-130 a reviewer who may not draft sends back and is not refused", async () => {
  const posted = show(["reviewer"]);
  const send = await screen.findByRole("button", { name: "Send back" });
  fireEvent.click(send);
  await waitFor(() => expect(posted).toEqual(["/report/reports/rep/sections/power/review"]));
  await waitFor(() => expect(send.hasAttribute("disabled")).toBe(false));
  expect(posted.length).toBe(1);
});

it("R-130 whoever may draft has the next round written at once", async () => {
  const posted = show(["reviewer", "analyst"]);
  fireEvent.click(await screen.findByRole("button", { name: /Send back and redraft/ }));
  await waitFor(() => expect(posted).toEqual(["/report/reports/rep/sections/power/review", "/report/reports/rep/draft"]));
});

it("R-137 accepting without a word posts no empty review", async () => {
  const posted = show(["reviewer"], "APR-1");
  fireEvent.click(await screen.findByRole("button", { name: /Accept as final/ }));
  await waitFor(() => expect(decided).toEqual([{ verb: "approve", note: "" }]));
  expect(posted).toEqual([]);
});

it("R-130 an analyst sees who decides instead of a form that would be refused", async () => {
  show(["analyst"]);
  await screen.findByText(/A reviewer rates this draft/);
  expect(screen.queryByRole("button", { name: /Send back/ })).toBeNull();
});
