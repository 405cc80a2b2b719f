// @vitest-environment happy-dom
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, fireEvent, render, screen, waitFor } from "@testing-library/react";
import { afterEach, expect, it, vi } from "vitest";
import type { Scene } from "./data";
import { SurgeOf } from "./Surge";

const scene = (fires: number, record: boolean, radius: number): Scene => ({
  case: "CASE-1", record, station: { name: "Alipur", border: "Haryana", latitude: 28.8, longitude: 77.1 }, stations: [], border_stations: [], outlines: null, fires: [],
  surge: { name: "Alipur", aqi: 450, aqi_basis: "given", timestamp: "2025-11-14T08:00:00Z", is_surge: true, pm25: 350, pm10: 420, latitude: 28.8, longitude: 77.1, run_from: "", run_to: "" },
  rules: { surge_aqi_threshold: 300, fire_correlation_radius_km: radius, correlation_window_ns: 172_800_000_000_000, high_contribution_fire_count: 100 },
  texts: { executive_summary: "", reasoning: "IF", weakest_link: "" },
  analysis: {
    correlation: { states: [{ state: "Haryana", fire_count: fires, districts: ["Jind"], avg_distance_km: 97.4, is_high_contribution: true }], fire_count: fires, avg_distance_km: 97.4, unattributed: 0, undated: 0 },
    confidence: { score: 100, terms: [] }, conclusion: "primary", share: null, pollutants: [], counterfactuals: [], timeline: { aqi: [], fires: [] },
    transport: { verdict: "supports", reason: "", from_degrees: 310, mean_kmh: 9, upwind_fires: 1, fires: 1, upwind_share: 1, path: [], sector_degrees: 45 },
    history: { years: [], recurring_districts: [], sentence: "" },
  },
});

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

it("marks a what-if as not the record, and goes back to it", async () => {
  const asked: unknown[] = [];
  vi.stubGlobal("fetch", (path: string, init?: RequestInit) => {
    if (init?.method === "POST") asked.push(JSON.parse(String(init.body)));
    const answer = path.endsWith("/what-if") ? scene(257, false, 100) : scene(620, true, 200);
    return Promise.resolve(new Response(JSON.stringify(answer), { headers: { "Content-Type": "application/json" } }));
  });
  render(<QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}><SurgeOf id="CASE-1" /></QueryClientProvider>);
  const radius = await screen.findByRole("slider", { name: /Radius/ });
  expect(screen.queryByText("A what-if, not the record.")).toBeNull();
  fireEvent.change(radius, { target: { value: "100" } });
  await screen.findByText("A what-if, not the record.");
  await waitFor(() => expect(screen.getByText("(record: 620)")).toBeTruthy());
  expect(asked).toEqual([{ fire_correlation_radius_km: 100 }]);
  fireEvent.click(screen.getByText("Back to the record"));
  await waitFor(() => expect(screen.queryByText("A what-if, not the record.")).toBeNull());
  expect(screen.queryByText("(record: 620)")).toBeNull();
});
