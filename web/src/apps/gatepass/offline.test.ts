import { describe, expect, it } from "vitest";
import { listHolds, verify, withScan, type Kit } from "./offline";

// Made by the product's own code with a fixed key, so that both agree on the form.
const good = "DGP1.eyJuIjoiR1AtMjAyNi0wMDEyIiwiZiI6MTc5NDgxOTYwMCwidSI6MTc5NDgyNjgwMCwiYSI6dHJ1ZSwiciI6dHJ1ZSwiayI6ImZlODEyYzEyIn0.3K1jFFuf49MNQNdbAukMK_Yt5M-7bz5-1GTD5gPNb7zan8GPzWZRuhP3rfkuYUEGYqvsIwc_IrC-RJEWzRU5Bg";
const withdrawn = "DGP1.eyJuIjoiR1AtMjAyNi0wMDk5IiwiZiI6MTc5NDgxOTYwMCwidSI6MTc5NDgyNjgwMCwiYSI6dHJ1ZSwiciI6dHJ1ZSwiayI6ImZlODEyYzEyIn0.hv99geLuH8IAcPa8Lx06XYE4DPZJB3-hMfUI96gic54d8TY4cgMMaw4ijRlM8ArBfe50QWrptbffTmfM46axCQ";
const kit: Kit = {
  keys: ["6kpsY+KcUgq+9VB7Ey7F+ZVHdq6+vnuSQh7qaRRG0iw="],
  key_ids: ["fe812c12"],
  revocations: { issued: "2026-11-16T10:00:00Z", key: "fe812c12", numbers: ["GP-2026-0099"], sig: "IGyJvQPygXGFyYGHX5TvYinT_rbAFCbOrQ7eS2RL2SeQ5j0uPTe2n6Gs4WSepDM8MysumVkCkUrLbIS6NqIpCA" },
  out: [],
  used: [],
};
const at = (s: string) => new Date(s);
const noon = at("2026-11-16T10:00:00Z");

describe("G11 a code is checked without the server", () => {
  it("holds", async () => {
    const v = await verify(good, kit, noon);
    expect(v).toMatchObject({ valid: true, code: "ok", token: { n: "GP-2026-0012", r: true } });
  });
  it("is refused when changed, withdrawn, foreign or out of time", async () => {
    const [head, , sig] = good.split(".");
    const swapped = `${head}.${withdrawn.split(".")[1]}.${sig}`;
    expect((await verify(swapped, { ...kit, revocations: { ...kit.revocations, numbers: [] } }, noon)).code).toBe("forged");
    expect((await verify(withdrawn, kit, noon)).code).toBe("revoked");
    expect((await verify(good, { ...kit, key_ids: ["00000000"] }, noon)).code).toBe("unknown_key");
    expect((await verify(good, kit, at("2026-11-16T11:00:01Z"))).code).toBe("expired");
    expect((await verify(good, kit, at("2026-11-16T08:00:00Z"))).code).toBe("not_yet");
    expect((await verify("https://example.org", kit, noon)).code).toBe("malformed");
  });
  it("reads only a revocation list that the office signed", async () => {
    expect(await listHolds(kit)).toBe(true);
    expect(await listHolds({ ...kit, revocations: { ...kit.revocations, numbers: [] } })).toBe(false);
  });
});

describe("G11 a pass goes out once", () => {
  const scan = (operation: "exit" | "return", token: string, at: string) => ({ pass_number: "GP-2026-0012", operation, token, at });
  const exit = (at: string) => [{ pass_number: "GP-2026-0012", exit_time: at }];
  it("is out, then used, and shows when it went out", () => {
    const out = withScan(kit, scan("exit", good, "2026-11-16T10:00:00Z"));
    expect(out).toMatchObject({ out: exit("2026-11-16T10:00:00Z"), used: [] });
    const back = withScan(out, scan("return", good, "2026-11-16T11:00:00Z"));
    expect(back).toMatchObject({ out: [], used: exit("2026-11-16T10:00:00Z") });
  });
  it("is used at once where nobody comes back, and where the exit is not known", () => {
    const forGood = `DGP1.${btoa(JSON.stringify({ n: "GP-2026-0012", f: 0, u: 0, a: true, r: false, k: "fe812c12" }))}.x`;
    expect(withScan(kit, scan("exit", forGood, "2026-11-16T10:00:00Z"))).toMatchObject({ out: [], used: exit("2026-11-16T10:00:00Z") });
    expect(withScan(kit, scan("return", "", "2026-11-16T11:00:00Z"))).toMatchObject({ out: [], used: exit("2026-11-16T11:00:00Z") });
  });
});
