package engine

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var refTime = time.Date(2026, 2, 3, 14, 58, 29, 0, time.UTC)

func golden(t *testing.T) Score {
	t.Helper()
	place, signals := Example(refTime)
	s, err := Default().Compute(place, signals, Day, refTime)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func signalAt(hours float64, sev int, pol Polarity, layers ...Layer) Signal {
	return Signal{State: "Assam", District: "Cachar", EventSummary: "event", Timestamp: refTime.Add(-time.Duration(hours * float64(time.Hour))),
		RiskLayers: layers, Polarity: pol, Severity: sev}
}

func compute(t *testing.T, w Window, signals ...Signal) Score {
	t.Helper()
	s, err := Default().Compute(Place{"Assam", "Cachar"}, signals, w, refTime)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-9 {
		t.Errorf("%s = %v, want %v", what, got, want)
	}
}

func TestGolden(t *testing.T) {
	t.Parallel()
	s := golden(t)
	t.Run("N-001 N-022 N-080 composite and layers", func(t *testing.T) {
		near(t, "score", s.Composite, 13.67)
		if want := (LayerScores{1.53, 0, 7.94}); s.LayerScores != want {
			t.Errorf("layers = %+v, want %+v", s.LayerScores, want)
		}
		near(t, "composite of printed layers", round2(Defaults().Composite(1.53+0+7.94)), 13.67)
	})
	t.Run("N-080 words and order", func(t *testing.T) {
		if s.Level != "low" || s.Trend != "stable" || s.PrimaryTrigger != "physical" || s.Threshold != (Threshold{"BASELINE", "0-29", false}) || s.SignalCount != 3 {
			t.Errorf("got %+v", s)
		}
		var got []string
		for _, x := range s.Top {
			got = append(got, x.EventSummary)
		}
		if diff := cmp.Diff([]string{"Arms cache recovered near border area", "Mass protest rally with thousands", "Peace dialogue meeting"}, got); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("N-068 N-063 N-066 N-067 rationale", func(t *testing.T) {
		want := "Primary trigger: Physical layer (7.94/10). Contributing signals include “Arms cache recovered near border area” and “Mass protest rally with thousands”. 3 signals in the 24h window. Score 13.67 remains in BASELINE range (0-29). Trend: stable based on 24h comparison (insufficient: one of the two periods has no signals)."
		if s.Rationale != want {
			t.Errorf("got  %s\nwant %s", s.Rationale, want)
		}
	})
	t.Run("N-079 text block", func(t *testing.T) {
		text := s.Text()
		for _, want := range []string{"=== District Risk Score ===\nDistrict Imphal West, Manipur\nComposite Score: 13.67/100\nRisk Level: LOW\nTrend: stable",
			"Primary Trigger: physical\nLayer Scores:\n  cognitive: 1.53/10\n  network: 0.00/10\n  physical: 7.94/10\nThreshold: BASELINE (0-29)",
			"Signals in Window: 3", "Top Contributors:\n  1. Arms cache recovered near border area (Severity: 3)\n  2. Mass protest rally with thousands (Severity: 2)\n  3. Peace dialogue meeting (Severity: 1)",
			"Governance: Derived from public open-source indicators. Decision support only."} {
			if !strings.Contains(text, want) {
				t.Errorf("text lacks %q:\n%s", want, text)
			}
		}
	})
	t.Run("N-041 N-045…N-058 JSON", func(t *testing.T) {
		raw, err := json.MarshalIndent(s, "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		if os.Getenv("UPDATE_GOLDEN") != "" {
			if err := os.WriteFile("testdata/golden.json", append(raw, '\n'), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile("testdata/golden.json")
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), string(raw)+"\n"); diff != "" {
			t.Error(diff)
		}
	})
}

func TestWeight(t *testing.T) {
	t.Parallel()
	p := Defaults()
	sig := func(sev int, pol Polarity, tags ...Tag) *Signal {
		return &Signal{Severity: sev, Polarity: pol, GeoSensitivity: tags}
	}
	for _, c := range []struct {
		name  string
		s     *Signal
		hours float64
		want  float64
	}{
		{"N-009 N-010 severity over five", sig(4, Escalatory), 0, 0.8},
		{"N-011 one day", sig(5, Escalatory), 24, math.Exp(-0.5)},
		{"N-011 N2 floor", sig(5, Escalatory), 168, 0.1},
		{"N-012 border", sig(5, Escalatory, Border), 0, 1.5},
		{"N-012 capital", sig(5, Escalatory, Capital), 0, 1.4},
		{"N-012 N2 highest tag", sig(5, Escalatory, Market, SensitiveZone, Highway), 0, 1.6},
		{"N-012 N2 market", sig(5, Escalatory, Market), 0, 1.2},
		{"N-012 N2 highway", sig(5, Escalatory, Highway), 0, 1.3},
		{"N-012 N2 unknown tag", sig(5, Escalatory, "lake"), 0, 1},
		{"N-013 stabilizing", sig(5, Stabilizing), 0, -0.5},
		{"N-013 neutral", sig(5, Neutral), 0, 0.3},
		{"N-009 all factors", sig(3, Escalatory, Border), 6, 0.6 * 1.5 * math.Exp(-0.125)},
	} {
		t.Run(c.name, func(t *testing.T) { near(t, "weight", p.Weight(c.s, c.hours), c.want) })
	}
}

func TestWindows(t *testing.T) {
	t.Parallel()
	signals := []Signal{signalAt(1, 3, Escalatory, Physical), signalAt(24, 3, Escalatory, Physical), signalAt(24.01, 3, Escalatory, Physical),
		signalAt(72, 3, Escalatory, Physical), signalAt(167, 3, Escalatory, Physical), signalAt(168.01, 3, Escalatory, Physical), signalAt(-1, 5, Escalatory, Physical)}
	for _, c := range []struct {
		name string
		w    Window
		n    int
		text string
	}{{"N-005 N-008 day", Day, 2, "24h"}, {"N-006 three days", ThreeDays, 4, "72h"}, {"N-007 N6 week", Week, 5, "7d"}} {
		t.Run(c.name, func(t *testing.T) {
			s := compute(t, c.w, signals...)
			if s.SignalCount != c.n || s.TimeWindow != c.text || s.WindowHours != int(c.w) {
				t.Errorf("got %d signals, %s, %d hours; want %d, %s", s.SignalCount, s.TimeWindow, s.WindowHours, c.n, c.text)
			}
		})
	}
	t.Run("N-038 other windows refused", func(t *testing.T) {
		if _, err := Default().Compute(Place{"Assam", "Cachar"}, nil, 48, refTime); err == nil {
			t.Error("48 hours were accepted")
		}
		for in, want := range map[string]Window{"": Day, "24h": Day, "72": ThreeDays, "7d": Week, "168h": Week} {
			if got, err := ParseWindow(in); err != nil || got != want {
				t.Errorf("ParseWindow(%q) = %v, %v", in, got, err)
			}
		}
		if _, err := ParseWindow("48h"); err == nil {
			t.Error("48h was parsed")
		}
	})
	t.Run("N-081 N-082 N-083 uses", func(t *testing.T) {
		for w, want := range map[Window]string{Day: "officer briefings, immediate response", ThreeDays: "weekly planning, resource allocation", Week: "monthly reports, policy planning"} {
			if !strings.Contains(w.Use(), want) {
				t.Errorf("%s: %q lacks %q", w, w.Use(), want)
			}
		}
	})
	t.Run("N-069 other districts left out", func(t *testing.T) {
		other := signalAt(1, 5, Escalatory, Physical)
		other.District = "Dhubri"
		if s := compute(t, Day, other); s.SignalCount != 0 || s.Composite != 0 {
			t.Errorf("a signal of another district counted: %+v", s)
		}
	})
}

func TestLayers(t *testing.T) {
	t.Parallel()
	t.Run("N-017 N1 mean times ten", func(t *testing.T) {
		s := compute(t, Day, signalAt(0, 5, Escalatory, Physical), signalAt(0, 1, Escalatory, Physical), signalAt(0, 3, Escalatory, Network))
		if want := (LayerScores{0, 6, 6}); s.LayerScores != want {
			t.Errorf("layers = %+v, want %+v", s.LayerScores, want)
		}
	})
	t.Run("N-017 clamped at ten and zero", func(t *testing.T) {
		hot := signalAt(0, 5, Escalatory, Physical)
		hot.GeoSensitivity = []Tag{SensitiveZone}
		s := compute(t, Day, hot, signalAt(0, 5, Stabilizing, Network))
		if s.LayerScores.Physical != 10 || s.LayerScores.Network != 0 {
			t.Errorf("layers = %+v", s.LayerScores)
		}
	})
	t.Run("N-018 N-019 layer weights", func(t *testing.T) {
		p := Defaults()
		p.LayerWeights[Physical] = 2
		e, err := New(p)
		if err != nil {
			t.Fatal(err)
		}
		s, err := e.Compute(Place{"Assam", "Cachar"}, []Signal{signalAt(0, 5, Escalatory, Physical), signalAt(0, 5, Escalatory, Network)}, Day, refTime)
		if err != nil {
			t.Fatal(err)
		}
		near(t, "score", s.Composite, round2(100/(1+math.Exp(-0.1*(100-50)))))
		if s.Version == FormulaVersion || !strings.HasPrefix(s.Version, FormulaVersion+"+") {
			t.Errorf("changed weights share the version %s", s.Version)
		}
	})
	t.Run("N-020 N-021 composite", func(t *testing.T) {
		near(t, "half", Defaults().Composite(15), 50)
		near(t, "two layers", round2(Defaults().Composite(20)), 84.11)
		near(t, "N8 one layer", round2(Defaults().Composite(10)), 15.89)
	})
	t.Run("N-050 N-051 N5 triggers", func(t *testing.T) {
		s := compute(t, Day, signalAt(0, 4, Escalatory, Physical), signalAt(0, 2, Escalatory, Network), signalAt(0, 1, Escalatory, Cognitive))
		if s.PrimaryTrigger != "physical" || !cmp.Equal(s.SecondaryTriggers, []Layer{Network}) {
			t.Errorf("got %s, %v", s.PrimaryTrigger, s.SecondaryTriggers)
		}
		if !strings.Contains(s.Rationale, "Secondary: Network layer (4.00/10).") {
			t.Errorf("N-064: %s", s.Rationale)
		}
		s = compute(t, Day, signalAt(0, 4, Stabilizing, Physical))
		if s.PrimaryTrigger != "none" || len(s.SecondaryTriggers) != 0 {
			t.Errorf("only stabilising: %s, %v", s.PrimaryTrigger, s.SecondaryTriggers)
		}
	})
}

func TestBands(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		row          string
		score        float64
		label, level string
		crossed      bool
	}{
		{"N-023", 0, "BASELINE", "low", false}, {"N-023 N7", 29.99, "BASELINE", "low", false},
		{"N-024 N-028 N7", 30, "MONITORING", "medium", true}, {"N-024", 59.99, "MONITORING", "medium", true},
		{"N-025 N-028", 60, "PREVENTIVE_READINESS", "high", true}, {"N-025", 74.99, "PREVENTIVE_READINESS", "high", true},
		{"N-026 N-028 N-030 N3", 75, "SENIOR_REVIEW", "critical", true}, {"N-026", 89.99, "SENIOR_REVIEW", "critical", true},
		{"N-027 N-028", 90, "CRITICAL", "critical", true}, {"N-027 N-029", 100, "CRITICAL", "critical", true},
	} {
		t.Run(fmt.Sprintf("%s %v", c.row, c.score), func(t *testing.T) {
			th := thresholdOf(c.score)
			if th.Label != c.label || RiskLevel(c.score) != c.level || th.Crossed != c.crossed {
				t.Errorf("%v gives %+v, %s; want %s, %s, %v", c.score, th, RiskLevel(c.score), c.label, c.level, c.crossed)
			}
		})
	}
	want := []string{"Standard monitoring", "Enhanced situational awareness", "Proactive measures, officer briefing", "Senior administrative review required", "Immediate coordinated response"}
	for i, b := range Bands {
		if b.Action != want[i] {
			t.Errorf("action of %s is %q, want %q", b.Label, b.Action, want[i])
		}
	}
	t.Run("N-065 crossing named", func(t *testing.T) {
		s := compute(t, Day, signalAt(0, 5, Escalatory, Physical, Network))
		if s.Threshold.Label != "SENIOR_REVIEW" || !strings.Contains(s.Rationale, "Score 84.11 crosses the SENIOR_REVIEW threshold (75-89).") {
			t.Errorf("got %+v: %s", s.Threshold, s.Rationale)
		}
	})
}

func TestTrend(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name                string
		recent, older       []int
		trend, arrow, basis string
	}{
		{"N-031 N-032 N-035 rising", []int{4}, []int{3}, "rising", "↑", "comparison"},
		{"N-033 half a point is stable", []int{3, 4}, []int{3}, "stable", "→", "comparison"},
		{"N-033 half a point down is stable", []int{3}, []int{3, 4}, "stable", "→", "comparison"},
		{"N-034 falling", []int{2}, []int{3}, "falling", "↓", "comparison"},
		{"N-036 N4 nothing recent", nil, []int{3}, "stable", "→", "insufficient"},
		{"N-036 N4 nothing older", []int{5}, nil, "stable", "→", "insufficient"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var signals []Signal
			for i, sev := range c.recent {
				signals = append(signals, signalAt(24-float64(i), sev, Escalatory, Physical))
			}
			for i, sev := range c.older {
				signals = append(signals, signalAt(72-float64(i), sev, Escalatory, Physical))
			}
			signals = append(signals, signalAt(72.1, 5, Escalatory, Physical))
			for _, w := range Windows {
				if s := compute(t, w, signals...); s.Trend != c.trend || s.TrendArrow != c.arrow || s.TrendBasis != c.basis {
					t.Errorf("%s: got %s %s %s", w, s.Trend, s.TrendArrow, s.TrendBasis)
				}
			}
		})
	}
}

func TestHonesty(t *testing.T) {
	t.Parallel()
	codes := func(s Score) (out []string) {
		for _, h := range s.Health {
			out = append(out, h.Code+string(h.Layer))
		}
		return out
	}
	hot := signalAt(0, 5, Escalatory, Physical)
	hot.GeoSensitivity = []Tag{SensitiveZone}
	t.Run("N8 single severe event", func(t *testing.T) {
		s := compute(t, Day, hot)
		if s.Composite != 15.89 || s.Threshold.Label != "BASELINE" {
			t.Fatalf("the score itself changed: %v", s.Composite)
		}
		if s.EscalationFloor.Label != "CRITICAL" || s.Peak == nil || s.Peak.Strength != 100 || s.Peak.Weight != 1.6 || s.Count != 1 {
			t.Errorf("peak %+v, floor %+v", s.Peak, s.EscalationFloor)
		}
		if diff := cmp.Diff([]string{"saturationphysical", "band_out_of_reach", "thin", "trend_insufficient"}, codes(s)); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("N8 dilution", func(t *testing.T) {
		s := compute(t, Day, hot, signalAt(0, 1, Neutral, Physical), signalAt(0, 1, Neutral, Physical), signalAt(0, 1, Neutral, Physical))
		if got := codes(s); got[0] != "dilutionphysical" {
			t.Errorf("got %v", got)
		}
	})
	t.Run("N8 few signals make a thin score", func(t *testing.T) {
		for n, want := range map[int]bool{1: true, 2: true, 3: false} {
			signals := slices.Repeat([]Signal{signalAt(0, 2, Escalatory, Physical)}, n)
			if got := slices.Contains(codes(compute(t, Day, signals...)), "thin"); got != want {
				t.Errorf("%d signals: %v", n, got)
			}
		}
	})
	t.Run("N8 calm alone has no strength", func(t *testing.T) {
		s := compute(t, Day, signalAt(0, 5, Stabilizing, Physical))
		if s.Peak == nil || s.Peak.Strength != 0 || s.EscalationFloor.Label != "BASELINE" {
			t.Errorf("%+v", s.Peak)
		}
	})
	t.Run("N-059 of signals that weigh the same the newer comes first", func(t *testing.T) {
		older, newer := signalAt(130, 3, Escalatory, Physical), signalAt(120, 3, Escalatory, Physical) // both at the recency floor
		older.EventSummary, newer.EventSummary = "older", "newer"
		if s := compute(t, Week, older, newer); s.Top[0].Weight != s.Top[1].Weight || s.Top[0].EventSummary != "newer" {
			t.Errorf("%+v", s.Top)
		}
	})
	t.Run("N8 floor follows severity", func(t *testing.T) {
		for sev, want := range map[int]string{1: "BASELINE", 2: "MONITORING", 3: "PREVENTIVE_READINESS", 4: "SENIOR_REVIEW", 5: "CRITICAL"} {
			if s := compute(t, Day, signalAt(0, sev, Escalatory, Cognitive)); s.EscalationFloor.Label != want {
				t.Errorf("severity %d calls for %s, want %s", sev, s.EscalationFloor.Label, want)
			}
		}
	})
	t.Run("N9 weakest link changes band", func(t *testing.T) {
		key := signalAt(0, 5, Escalatory, Network)
		key.EventSummary = "key"
		s := compute(t, Day, signalAt(0, 4, Escalatory, Physical), signalAt(0, 4, Escalatory, Physical), key)
		if s.WeakestLink == nil || s.WeakestLink.EventSummary != "key" || !s.WeakestLink.ChangesBand || s.WeakestLink.BandWithout != "BASELINE" {
			t.Errorf("got %+v", s.WeakestLink)
		}
	})
	t.Run("N9 a signal that changes the band comes before one that moves the score further", func(t *testing.T) {
		key := signalAt(0, 3, Escalatory, Network)
		key.EventSummary = "key"
		// Without the stabilising signal the score would be 58.26 and stay in its band.
		s := compute(t, Day, signalAt(0, 5, Escalatory, Physical), signalAt(0, 5, Escalatory, Physical), key, signalAt(0, 1, Stabilizing, Network))
		if l := s.WeakestLink; s.Composite != 30.29 || l == nil || l.EventSummary != "key" || l.ScoreWithout != 15.89 || l.BandWithout != "BASELINE" {
			t.Errorf("%v, %+v", s.Composite, l)
		}
	})
	t.Run("change of band", func(t *testing.T) {
		s := golden(t)
		if s.Change.Down != nil || s.Change.Up == nil || s.Change.Up.Label != "MONITORING" || s.Change.Up.LayerSum != 12.46 || s.Change.Up.Gap != 2.99 {
			t.Fatalf("got %+v %+v", s.Change, s.Change.Up)
		}
		near(t, "edge", round2(Defaults().Composite(Defaults().sumFor(30))), 30)
	})
	t.Run("future signals are named, not counted", func(t *testing.T) {
		s := compute(t, Day, signalAt(-2, 5, Escalatory, Physical))
		if s.SignalCount != 0 || s.Health[len(s.Health)-1].Code != "future_signals" {
			t.Errorf("got %d, %+v", s.SignalCount, s.Health)
		}
	})
}

func TestMethodology(t *testing.T) {
	t.Parallel()
	m := Default().Methodology()
	text := m.Text()
	for row, wants := range map[string][]string{
		"N-004 N-078 N-009": {"(severity / 5) × recency × geo multiplier × polarity factor"},
		"N-011":             {"e^(−0.5 × hours_ago / 24), at least 0.1"},
		"N-012":             {"sensitive_zone 1.6, border 1.5, capital 1.4, highway 1.3, market 1.2; none 1.0"},
		"N-013":             {"escalatory 1, stabilizing -0.5, neutral 0.3"},
		"N-014":             {"rumours, misinformation, narratives, protests, agitation, threats"},
		"N-015":             {"bandhs, shutdowns, strikes, mass mobilisation, coordinated actions"},
		"N-016":             {"violence, arms, explosives, narcotics, border activity"},
		"N-019 N-020 N-021": {"cognitive 1, network 1, physical 1", "weighted sum / 30 × 100", "100 / (1 + e^(−0.1 × (normalised − 50)))"},
		"N-072 N-073":       {Disclaimer}, "N-075": {"predicts nothing"},
		"N-084": {"Larger windows hold more signals and are steadier"}, "N-002": {"Nothing is aggregated below them"},
		"version": {"Methodology netra-1"}, "N-023…N-027": {"BASELINE", "MONITORING", "PREVENTIVE_READINESS", "SENIOR_REVIEW", "CRITICAL"},
	} {
		t.Run(row, func(t *testing.T) {
			for _, want := range wants {
				if !strings.Contains(text, want) {
					t.Errorf("the methodology lacks %q", want)
				}
			}
		})
	}
	if m.Version != golden(t).Version {
		t.Error("the score carries another version than the methodology")
	}
	t.Run("N-075 N-076 no claims", func(t *testing.T) {
		for _, word := range []string{"surveil", "forecast", "will happen"} {
			if strings.Contains(strings.ToLower(text+golden(t).Text()), word) {
				t.Errorf("the output says %q", word)
			}
		}
	})
}

func TestParamsN037(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(*Params){
		"stabilising that raises": func(p *Params) { p.Polarity[Stabilizing] = 0.2 },
		"negative decay":          func(p *Params) { p.DecayPerDay = -1 },
		"geo above 1.6":           func(p *Params) { p.Geo[Border] = 2 },
		"not a number":            func(p *Params) { p.Slope = math.NaN() },
		"missing layer":           func(p *Params) { delete(p.LayerWeights, Network) },
		"unknown tag":             func(p *Params) { p.Geo["lake"] = 1.1 },
	} {
		p := Defaults()
		spoil(&p)
		if _, err := New(p); err == nil {
			t.Errorf("%s was accepted", name)
		}
	}
	e := Default()
	e.Params().Geo[Border] = 9
	if e.Params().Geo[Border] != 1.5 {
		t.Error("Params shares its maps")
	}
}

func TestSignalJSON(t *testing.T) {
	t.Parallel()
	var s Signal
	line := `{"state":"Manipur","district":"Imphal West","location":"x","event_summary":"e","timestamp":"2026-02-03T12:58:29","source_url":"","source_type":"public_open_source","risk_layers":["Physical"],"polarity":"Stabilising","severity_score":3,"geo_sensitivity":["Sensitive Zone"]}`
	if err := json.Unmarshal([]byte(line), &s); err != nil {
		t.Fatal(err)
	}
	if err := s.Validate(); err != nil {
		t.Fatal(err)
	}
	if !s.Timestamp.Equal(time.Date(2026, 2, 3, 12, 58, 29, 0, time.UTC)) || s.Polarity != Stabilizing || s.RiskLayers[0] != Physical || s.GeoSensitivity[0] != SensitiveZone {
		t.Errorf("N-042: got %+v", s)
	}
	for _, bad := range []string{`{"timestamp":"03/02/2026"}`, `{"timestamp":""}`, `{"timestamp":"yesterday"}`} {
		if err := json.Unmarshal([]byte(bad), &s); err == nil {
			t.Errorf("N12: %s was accepted", bad)
		}
	}
	for _, spoil := range []func(*Signal){
		func(s *Signal) { s.Severity = 0 }, func(s *Signal) { s.Severity = 6 }, func(s *Signal) { s.Polarity = "angry" },
		func(s *Signal) { s.RiskLayers = nil }, func(s *Signal) { s.RiskLayers = []Layer{"mental"} }, func(s *Signal) { s.District = "" },
		func(s *Signal) { s.Timestamp = time.Time{} },
	} {
		bad := signalAt(1, 3, Escalatory, Physical)
		spoil(&bad)
		if bad.Validate() == nil {
			t.Errorf("N-010: %+v was accepted", bad)
		}
	}
}
