import { cleanup, fireEvent, render, screen } from "@testing-library/react";
import { useState } from "react";
import { afterEach, describe, expect, it, vi } from "vitest";
import { Problem } from "../api/problem";
import type { Approval, Evidence, Finding } from "../api/types";
import type { Schema } from "../lib/schema";
import { StateBadge, VerdictBadge } from "./Badge";
import { Chat } from "./Chat";
import { DecisionForm, doubtOptions, type Decide } from "./DecisionForm";
import { EvidenceView, viewsFor } from "./EvidenceView";
import { FindingCard } from "./FindingCard";
import { MapView } from "./MapView";
import { Sure } from "./Sure";
import { SchemaForm } from "./SchemaForm";
import { ErrorBox } from "./states";
import { Table } from "./Table";

afterEach(cleanup);

const evidence = (over: Partial<Evidence> = {}): Evidence => ({ id: "ev-1", case: "CASE-1", seq: 1, kind: "roster", source: { system: "roster", locator: "VP-1", fetched: "2026-11-15T10:00:00Z" }, data: { riders: [{ name: "A", km: 38.7 }, { name: "B", km: 4.2 }] }, summary: "Roster", step: "", at: "2026-11-15T10:00:00Z", hash: "h", ...over });
const approval: Approval = { id: "ap-1", case: "CASE-1", app: "poolpatrol", run: "run-1", call: "c", tool: "cancel_membership", args: { rider: "EMP-1", seats: 2 }, evidence: [], digest: "d", title: "t", why: "w", roles: ["coordinator"], verbs: ["approve", "edit", "reject", "respond"], need: 1, four_eyes: false, for: "system", status: "pending", asked: "2026-11-15T10:00:00Z", decisions: [] };
const schema: Schema = { type: "object", required: ["rider", "seats"], properties: { rider: { type: "string", description: "Employee number" }, seats: { type: "integer", minimum: 1 } } };

describe("status", () => {
  it("is a word and an icon, never a colour alone", () => {
    const { container } = render(<><StateBadge state="waiting" /><VerdictBadge verdict="fail" /></>);
    expect([...container.querySelectorAll(".badge")].map((b) => [b.textContent, b.querySelector("svg") !== null])).toEqual([["Waiting", true], ["Fail", true]]);
  });
});

describe("FindingCard", () => {
  it("links every number to the evidence that holds it", () => {
    const f: Finding = { id: "fi-1", case: "CASE-1", check: "location", verdict: "fail", confidence: 88, reason: "The home is 38.7 km away.", figures: { limit_km: 15 }, by: "rule/location@1", cites: ["ev-1"], at: "2026-11-15T10:00:00Z" };
    render(<FindingCard finding={f} evidence={[evidence()]} />);
    for (const text of ["38.7", "15", "88"]) expect(screen.getByText(text).getAttribute("href")).toBe("/cases/CASE-1/evidence/ev-1");
  });
});

describe("EvidenceView", () => {
  it("shows the rows of a table and switches to JSON", () => {
    render(<EvidenceView evidence={evidence()} view="table" />);
    expect(screen.getAllByRole("row").map((r) => r.textContent)).toEqual(["NameKm", "A38.7", "B4.2"]);
    fireEvent.click(screen.getByRole("button", { name: "JSON" }));
    expect(screen.getByRole("region", { name: "Roster" }).textContent).toContain('"km": 38.7');
  });
  it("offers a map where there are positions", () => {
    expect(viewsFor([{ lat: 1, lng: 2 }], "table")).toEqual(["table", "map", "json"]);
    expect(viewsFor("text", "text")).toEqual(["text", "json"]);
    expect(viewsFor({ shift: "night" }, "chart")).toEqual(["table", "json"]);
    expect(viewsFor({ miles: 12 }, "chart")).toEqual(["chart", "table", "json"]);
  });
  it("shows text as text, never as markup", () => {
    const { container } = render(<EvidenceView evidence={evidence({ data: { text: "<img src=x onerror=alert(1)>" } })} view="text" />);
    expect(container.querySelector("img")).toBeNull();
    expect(screen.getByText("<img src=x onerror=alert(1)>")).toBeTruthy();
  });
});

describe("DecisionForm", () => {
  const show = (verb: "approve" | "edit" | "reject") => {
    const decide = vi.fn<(d: Decide) => void>();
    render(<DecisionForm approval={approval} schema={schema} verb={verb} busy={false} onDecide={decide} onCancel={() => {}} />);
    return decide;
  };
  it("does not reject without a note", () => {
    const decide = show("reject");
    fireEvent.click(screen.getByRole("button", { name: "Reject" }));
    expect(decide).not.toHaveBeenCalled();
    expect(screen.getByText(/Say why in a note/)).toBeTruthy();
    fireEvent.change(screen.getByLabelText("Note"), { target: { value: " Out of date. " } });
    fireEvent.click(screen.getByRole("button", { name: "Reject" }));
    expect(decide).toHaveBeenCalledWith({ verb: "reject", args: undefined, note: "Out of date." });
  });
  it("edits by the schema and refuses what does not fit", () => {
    const decide = show("edit");
    fireEvent.change(screen.getByLabelText("Seats"), { target: { value: "0" } });
    fireEvent.click(screen.getByRole("button", { name: "Approve with these arguments" }));
    expect(screen.getByText("Not less than 1.")).toBeTruthy();
    expect(decide).not.toHaveBeenCalled();
    fireEvent.change(screen.getByLabelText("Seats"), { target: { value: "3" } });
    expect(screen.getByRole("region", { name: "What differs" }).textContent).toContain("Seats23");
    fireEvent.click(screen.getByRole("button", { name: "Approve with these arguments" }));
    expect(decide).toHaveBeenCalledWith({ verb: "edit", args: { rider: "EMP-1", seats: 3 }, note: undefined });
  });
  it("sends no arguments with approve", () => {
    const decide = show("approve");
    fireEvent.click(screen.getByRole("button", { name: "Approve" }));
    expect(decide).toHaveBeenCalledWith({ verb: "approve", args: undefined, note: undefined });
  });
  it("lets a conversation say what became of an act in doubt: yes records it, only one answer repeats it", () => {
    const said: Decide[] = [];
    const options = doubtOptions((d) => said.push(d));
    options.forEach((o) => o.run());
    expect(options.map((o, i) => [o.label, o.tone, said[i].verb])).toEqual([["It did happen", undefined, "respond"], ["It did not happen", undefined, "reject"], ["Do it again", "danger", "approve"]]);
    expect(said.every((d) => d.note)).toBe(true);
  });
});

describe("Sure", () => {
  it("asks once more before it does what cannot be undone", () => {
    const done = vi.fn();
    render(<Sure verb="Revoke" what="nightly" warning="Programs are refused." onYes={done} />);
    fireEvent.click(screen.getByRole("button", { name: "Revoke nightly" }));
    expect(screen.getByText("Programs are refused.")).toBeTruthy();
    fireEvent.click(screen.getByRole("button", { name: "Keep it" }));
    expect(screen.queryByText("Programs are refused.")).toBeNull();
    fireEvent.click(screen.getByRole("button", { name: "Revoke nightly" }));
    expect(done).not.toHaveBeenCalled();
    fireEvent.click(screen.getByRole("button", { name: "Revoke" }));
    expect(done).toHaveBeenCalledOnce();
  });
});

describe("SchemaForm", () => {
  function Held({ s, start, seen }: { s: Schema; start: unknown; seen: (v: unknown) => void }) {
    const [v, set] = useState(start);
    return <SchemaForm schema={s} value={v} wrong={new Map()} onChange={(n) => { set(n); seen(n); }} />;
  }
  it("adds to and removes from lists, and leaves out empty optional fields", () => {
    const seen = vi.fn();
    render(<Held s={{ type: "object", required: ["to"], properties: { to: { type: "array", items: { type: "string" } }, cc: { type: "string" } } }} start={{ to: ["a"], cc: "x" }} seen={seen} />);
    fireEvent.click(screen.getByRole("button", { name: "Add" }));
    expect(seen).toHaveBeenLastCalledWith({ to: ["a", ""], cc: "x" });
    fireEvent.click(screen.getByRole("button", { name: "Remove To 1" }));
    expect(seen).toHaveBeenLastCalledWith({ to: [""], cc: "x" });
    fireEvent.change(screen.getByLabelText("Cc (optional)"), { target: { value: "" } });
    expect(seen).toHaveBeenLastCalledWith({ to: [""] });
  });
});

describe("Table", () => {
  it("sorts by a heading, up and then down", () => {
    render(<Table caption="T" rows={[{ n: 2 }, { n: 10 }, { n: 1 }]} rowKey={(r) => String(r.n)} columns={[{ key: "n", title: "N", sort: (r) => r.n }]} />);
    const cells = () => screen.getAllByRole("cell").map((c) => c.textContent);
    fireEvent.click(screen.getByRole("button", { name: /N/ }));
    expect(cells()).toEqual(["1", "2", "10"]);
    fireEvent.click(screen.getByRole("button", { name: /N/ }));
    expect(cells()).toEqual(["10", "2", "1"]);
  });
});

describe("MapView", () => {
  it("puts north above south and east right of west, and lets points be chosen", () => {
    const chosen = vi.fn();
    const { container } = render(<MapView label="M" onSelect={chosen} points={[{ id: "n", lat: 30, lng: 77, label: "North" }, { id: "s", lat: 20, lng: 70, label: "South" }]} />);
    const at = [...container.querySelectorAll(".map-point")].map((g) => /translate\(([\d.]+) ([\d.]+)\)/.exec(g.getAttribute("transform") ?? "")?.slice(1).map(Number) ?? []);
    expect(at[0][1]).toBeLessThan(at[1][1]);
    expect(at[0][0]).toBeGreaterThan(at[1][0]);
    fireEvent.keyDown(container.querySelectorAll(".map-point")[1], { key: "Enter" });
    expect(chosen).toHaveBeenCalledWith("s");
  });
});

describe("Chat", () => {
  it("sends with Enter, not with Shift and Enter", () => {
    const send = vi.fn();
    render(<Chat turns={[]} busy={false} onSend={send} />);
    const box = screen.getByLabelText("Write a message");
    fireEvent.change(box, { target: { value: "Hello" } });
    fireEvent.keyDown(box, { key: "Enter", shiftKey: true });
    expect(send).not.toHaveBeenCalled();
    fireEvent.keyDown(box, { key: "Enter" });
    expect(send).toHaveBeenCalledWith("Hello", []);
  });
});

describe("ErrorBox", () => {
  it.each([
    [new Problem(0, ""), "The server cannot be reached."],
    [new Problem(403, "Your role does not allow this decision."), "Your role does not allow this decision."],
    [new Problem(409, "Jon already decided this (approve)."), "Jon already decided this (approve)."],
  ])("says what happened", (error, text) => {
    render(<ErrorBox error={error} />);
    expect(screen.getByRole("alert").textContent).toContain(text);
  });
});
