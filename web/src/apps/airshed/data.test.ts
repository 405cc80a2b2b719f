import { describe, expect, it } from "vitest";
import { hoursOf, travel, wedge } from "./data";

const alipur = { latitude: 28.8, longitude: 77.1 };

describe("travel", () => {
  it("goes a degree of latitude to the north in 111.195 km", () => {
    const [lat, lng] = travel(alipur, 0, 111.195);
    expect(lat).toBeCloseTo(29.8, 4);
    expect(lng).toBeCloseTo(77.1, 6);
  });
  it("turns right from north", () => {
    const [lat, lng] = travel(alipur, 90, 100);
    expect(lng).toBeGreaterThan(78);
    expect(Math.abs(lat - 28.8)).toBeLessThan(0.01);
  });
});

describe("wedge", () => {
  it("begins at the station and spans both sides of the wind", () => {
    const ring = wedge(alipur, 315, 45, 200);
    expect(ring[0]).toEqual([28.8, 77.1]);
    expect(ring[1][1]).toBeLessThan(75.2); // due west
    expect(ring.at(-1)![0]).toBeGreaterThan(30.5); // due north
    expect(ring).toHaveLength(26);
  });
});

it("reads the window from nanoseconds", () => {
  expect(hoursOf({ surge_aqi_threshold: 300, fire_correlation_radius_km: 200, correlation_window_ns: 172_800_000_000_000, high_contribution_fire_count: 100 })).toBe(48);
});
