#!/usr/bin/env python3
"""Scores districts with the published formulas in straightforward Python.

It is the other side of the ratio that the Go engine is measured by: one pass over
lists of objects, the same formulas, no libraries. Run it with the number of signals:

    bench/netra_python.py 100000            # prints seconds and signals per second
    bench/netra_python.py 100000 --go 0.009 # also the ratio to a Go time in seconds
    bench/netra_python.py --check           # the worked example must give 13.67
"""
import math
import random
import sys
import time

GEO = {"sensitive_zone": 1.6, "border": 1.5, "capital": 1.4, "highway": 1.3, "market": 1.2}
POLARITY = {"escalatory": 1.0, "stabilizing": -0.5, "neutral": 0.3}
LAYERS = ("cognitive", "network", "physical")
BANDS = ((90, "CRITICAL"), (75, "SENIOR_REVIEW"), (60, "PREVENTIVE_READINESS"), (30, "MONITORING"), (0, "BASELINE"))


class Signal:
    __slots__ = ("district", "at", "layers", "polarity", "severity", "tags", "summary")

    def __init__(self, district, at, layers, polarity, severity, tags, summary=""):
        self.district, self.at, self.layers = district, at, layers
        self.polarity, self.severity, self.tags, self.summary = polarity, severity, tags, summary


def weight(s, now):
    hours = (now - s.at) / 3600
    recency = max(math.exp(-0.5 * hours / 24), 0.1)
    geo = max((GEO.get(t, 1.0) for t in s.tags), default=1.0)
    return s.severity / 5 * recency * geo * POLARITY[s.polarity]


def composite(layers):
    return 100 / (1 + math.exp(-0.1 * (sum(layers.values()) / 30 * 100 - 50)))


def compute(signals, now, window_hours):
    inside = [s for s in signals if 0 <= now - s.at <= window_hours * 3600]
    weighted = [(weight(s, now), s) for s in inside]
    layers = {}
    for layer in LAYERS:
        ws = [w for w, s in weighted if layer in s.layers]
        layers[layer] = min(max(sum(ws) / len(ws) * 10, 0), 10) if ws else 0.0
    score = round(composite(layers), 2) if inside else 0.0
    band = next(name for edge, name in BANDS if score >= edge)
    recent = [s.severity for s in signals if 0 <= now - s.at <= 24 * 3600]
    older = [s.severity for s in signals if 24 * 3600 < now - s.at <= 72 * 3600]
    trend = "stable"
    if recent and older:
        diff = sum(recent) / len(recent) - sum(older) / len(older)
        trend = "rising" if diff > 0.5 else "falling" if diff < -0.5 else "stable"
    top = [s for _, s in sorted(weighted, key=lambda p: (-p[0], -p[1].at))[:3]]
    primary = max(LAYERS, key=lambda l: layers[l])
    if layers[primary] == 0:
        primary = "none"
    return {"score": score, "band": band, "trend": trend, "layers": layers, "primary": primary, "top": top, "count": len(inside)}


def batch(signals, now, window_hours):
    by_district = {}
    for s in signals:
        by_district.setdefault(s.district, []).append(s)
    return {d: compute(group, now, window_hours) for d, group in by_district.items()}


def example(now):
    return [
        Signal("Imphal West", now - 6 * 3600, ("physical",), "escalatory", 3, ("border",)),
        Signal("Imphal West", now - 2 * 3600, ("cognitive",), "escalatory", 2, ()),
        Signal("Imphal West", now - 12 * 3600, ("cognitive",), "stabilizing", 1, ()),
    ]


def generate(n, now):
    r = random.Random(1)
    masks = [tuple(l for i, l in enumerate(LAYERS) if m >> i & 1) for m in range(1, 8)]
    tags = [(t,) for t in GEO] + [(), (), ()]
    polarities = list(POLARITY)
    return [Signal(r.randrange(800), now - r.random() * 168 * 3600, r.choice(masks), r.choice(polarities), r.randint(1, 5), r.choice(tags)) for _ in range(n)]


def main(args):
    now = 1_770_130_709.0
    got = compute(example(now), now, 24)
    assert got["score"] == 13.67 and round(got["layers"]["physical"], 2) == 7.94, got
    if "--check" in args:
        print("13.67")
        return
    n = int(args[0]) if args else 100_000
    signals = generate(n, now)
    start = time.perf_counter()
    scores = batch(signals, now, 168)
    took = time.perf_counter() - start
    line = f"python {n} signals, {len(scores)} districts: {took:.3f} s, {n / took:,.0f} signals/s"
    if "--go" in args:
        line += f", {took / float(args[args.index('--go') + 1]):.0f} times the Go time"
    print(line)


if __name__ == "__main__":
    main(sys.argv[1:])
