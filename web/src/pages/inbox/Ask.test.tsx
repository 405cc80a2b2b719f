import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, fireEvent, render, screen, waitFor } from "@testing-library/react";
import { useState } from "react";
import { afterEach, describe, expect, it, vi } from "vitest";
import { api } from "../../api/client";
import type { ApprovalDetail, Verb } from "../../api/types";
import { ApprovalBadge } from "../../parts/Badge";
import { Ask } from "./Ask";

afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});

const doubt: ApprovalDetail = {
  id: "ap-1", case: "CASE-1", app: "report", run: "run-1", call: "c", tool: "submit", args: { report: "REP-1" }, evidence: [], digest: "d", title: "Did this happen? Submit REP-1.", why: "The product stopped in the middle of this act.", roles: ["officer"], verbs: ["respond", "reject", "approve"], need: 1, four_eyes: false, for: "system", status: "pending", asked: "2026-11-15T10:00:00Z", decisions: [], doubt: true,
  mine: true, more: 1, etag: '"e"', case_title: "REP-1", stage: "", cited: [], findings: [], tool_doc: "", effect: "act", schema: {}, background: [],
  does: [{ verb: "respond", does: "Records that submit did happen." }, { verb: "reject", does: "Records that submit did not happen." }, { verb: "approve", does: "Runs submit again." }],
};

/** Shows a request and collects what is sent when it is decided. */
function show(approval: ApprovalDetail) {
  const sent = vi.spyOn(api, "POST").mockResolvedValue({ data: { ...approval, status: "rejected" }, response: new Response() });
  vi.spyOn(api, "GET").mockResolvedValue({ data: { items: [] }, response: new Response() });
  function Held() {
    const [verb, setVerb] = useState<Verb>();
    return <Ask approval={approval} verb={verb} setVerb={setVerb} onDone={() => {}} />;
  }
  render(<QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}><Held /></QueryClientProvider>);
  return sent;
}

const offered = () => [...document.querySelectorAll(".verb-word")].map((v) => v.textContent?.trim());

describe("a request about an act in doubt", () => {
  it("asks what became of the act, not what to plan", () => {
    show(doubt);
    expect(offered()).toEqual(["It did happen m", "It did not happen r", "Do it again a"]);
    expect(screen.getByText("Exactly this had begun")).toBeTruthy();
    expect(screen.getByText("In doubt")).toBeTruthy();
  });
  it("records that it happened, with how that is known", async () => {
    const sent = show(doubt);
    fireEvent.click(screen.getByRole("button", { name: /^It did happen/ }));
    expect(screen.getByText(/recorded as done, and the call does not run again/)).toBeTruthy();
    fireEvent.change(screen.getByLabelText("How you know"), { target: { value: "The portal shows it." } });
    fireEvent.click(screen.getAllByRole("button", { name: /It did happen/ })[1]);
    await waitFor(() => expect(sent).toHaveBeenCalledWith("/api/v1/approvals/{id}/decision", expect.objectContaining({ body: { verb: "respond", note: "The portal shows it.", digest: "d" } })));
  });
  it("is listed by what became of the act", () => {
    const by = { id: "u", name: "U", roles: [] };
    const at = "2026-11-15T10:00:00Z";
    const { container } = render(<>{(["approve", "respond", "reject"] as const).map((verb) => <ApprovalBadge key={verb} approval={{ status: "rejected", doubt: true, decisions: [{ verb, by, at }] }} />)}</>);
    expect([...container.querySelectorAll(".badge")].map((b) => b.textContent)).toEqual(["Done again", "Did happen", "Did not happen"]);
  });
});

describe("a request about a planned call", () => {
  it("keeps its own words", () => {
    show({ ...doubt, doubt: undefined });
    expect(offered()).toEqual(["Respond m", "Reject r", "Approve a"]);
    expect(screen.getByText("Exactly this will run")).toBeTruthy();
  });
});
