package faith_test

import (
	"encoding/json"
	"strings"
	"testing"

	"dossier"
	"dossier/internal/faith"
)

// emissions holds the figures of a small projection.
func emissions(t *testing.T) *faith.Facts {
	t.Helper()
	f := &faith.Facts{}
	add := func(path, value, unit, scen string, change bool, trend int) {
		n, err := faith.Decimal(value)
		if err != nil {
			t.Fatal(err)
		}
		fact := faith.Fact{Ref: faith.Ref{Evidence: "EVD-1", Path: path}, Value: n, Unit: unit, Label: path, Change: change, Trend: trend}
		if scen != "" {
			fact.Names = map[string]string{"scenario": scen}
		}
		f.Add(fact)
	}
	add("/baseline", "401.05", "Mt CO₂-e", "", false, 0)
	add("/a/total", "-472.53", "Mt CO₂-e", "Alpha-1p5DS", true, 0)
	add("/b/total", "-397.51", "Mt CO₂-e", "Beta-2p5DS", true, 0)
	add("/c/land", "33.58", "Mt CO₂-e", "Gamma View", true, 0)
	add("/mean", "128.56", "Mt CO₂-e", "", false, 0)
	add("/a/2050", "88.2", "Mt CO₂-e", "Alpha-1p5DS", false, -1)
	add("/t", "2500000", "t", "", false, 0)
	add("/share", "0.3125", faith.None, "", false, 0)
	add("/energy", "36", "PJ", "", false, 0)
	add("/rows", "24", faith.None, "", false, 0)
	add("/tie", "6.5", "PJ", "", false, 0)
	add("/scenarios/#", "3", faith.None, "", false, 0)
	add("/riders", "12", faith.None, "", false, 0)
	add("/big", "1234.5", "GWh", "", false, 0)
	add("/sink", "-76.75", "Mt CO₂-e", "", false, 0)
	add("/rate", "-8.25", "%", "", true, 0)
	f.Name("scenario", "Alpha-1p5DS", "1p5DS")
	f.Name("scenario", "Beta-2p5DS", "2p5DS")
	f.Name("scenario", "Gamma View")
	f.Allow("2025-06-30", "2050", "VP-102", "Figure 3", "14:30")
	return f
}

func TestCheck(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, text string
		fault      faith.Fault // of the first numeral that fails; "" if all hold
	}{
		{"exact", "Emissions start at 401.05 Mt CO₂-e.", ""},
		{"rounded", "Emissions start at 401 Mt CO₂-e.", ""},
		{"rounded once more", "Emissions start at 401.1 Mt CO₂-e.", faith.Unknown}, // 401.05 is a tie: 401.0
		{"tie to even", "Emissions start at 401.0 Mt CO₂-e.", ""},
		{"tie to even, whole", "It needs 6 PJ.", ""},
		{"tie not up", "It needs 7 PJ.", faith.Unknown},
		{"truncated", "The mean is 128 Mt CO₂-e.", faith.Rounding},
		{"half-even", "The mean is 129 Mt CO₂-e.", ""},
		{"about does not excuse truncation", "The mean is about 128 Mt CO₂-e.", faith.Rounding},
		{"about allows trailing zeros", "Emissions start at about 400 Mt CO₂-e.", ""},
		{"zeros without a hedge", "Emissions start at 400 Mt CO₂-e.", faith.Unknown},
		{"over", "Emissions start at over 400 Mt CO₂-e.", ""},
		{"nearly", "Emissions start at nearly 410 Mt CO₂-e.", ""},
		{"nearly is not below", "Emissions start at nearly 380 Mt CO₂-e.", faith.Unknown},
		{"changed digit", "Emissions start at 402.05 Mt CO₂-e.", faith.Unknown},
		{"wrong unit", "Emissions start at 401.05 PJ.", faith.Unit},
		{"short unit", "Emissions start at 401.05 Mt.", ""},
		{"thousands separator", "It makes 1,234.5 GWh.", ""},
		{"other prefix", "It makes 1.2345 TWh.", ""},
		{"energy in joules", "It needs 10 TWh.", ""}, // 36 PJ
		{"scaled mass", "That is 2.5 Mt of steel.", ""},
		{"scale word", "That is 2.5 million tonnes of steel.", ""},
		{"scale word, digit changed", "That is 2.6 million tonnes of steel.", faith.Unknown},
		{"ratio as per cent", "It is 31.25 % of the total.", ""},
		{"ratio as per cent, tie to even", "It is 31.2 per cent of the total.", ""},
		{"ratio as per cent, tie up", "It is 31.3 % of the total.", faith.Unknown},
		{"minus sign", "Emissions change by −472.53 Mt.", ""},
		{"ascii minus", "Emissions change by -472.53 Mt.", ""},
		{"word for minus", "Emissions change by minus 472.53 Mt.", ""},
		{"direction for minus", "Emissions fall by 472.53 Mt.", ""},
		{"noun after", "A 472.53 Mt reduction follows.", ""},
		{"lost sign", "Emissions change by 472.53 Mt.", faith.Sign},
		{"plus for minus", "Emissions change by +472.53 Mt.", faith.Sign},
		{"a level keeps its sign", "Emissions fall to −76.75 Mt.", ""},
		{"a level lost its sign", "Emissions fall to 76.75 Mt.", faith.Sign},
		{"a sink", "Forests are a sink of 76.75 Mt.", ""},
		{"fell for a rise", "Land use falls by 33.58 Mt.", faith.Direction},
		{"rose for a fall", "Emissions rise by 472.53 Mt.", faith.Direction},
		{"rise of a negative", "There is a rise of −472.53 Mt.", faith.Direction},
		{"while ends the reach", "Most fall, while land use adds 33.58 Mt.", ""},
		{"above all is no direction", "Reductions come above all from transport (472.53 Mt).", ""},
		{"fell to", "Emissions fell to 88.2 Mt.", ""},
		{"rose to", "Emissions rose to 88.2 Mt.", faith.Direction},
		{"from to", "Emissions fell from 401.05 Mt in 2025 to 88.2 Mt in 2050.", ""},
		{"from to, opposite", "Emissions rose from 401.05 to 88.2 Mt.", faith.Direction},
		{"per cent needs its sign", "It changes by −8.25 %.", ""},
		{"per cent left out", "It falls by 8.25.", faith.Unit},
		{"own scenario", "1p5DS falls by 472.53 Mt and 2p5DS by 397.51 Mt.", ""},
		{"swapped scenarios", "1p5DS falls by 397.51 Mt and 2p5DS by 472.53 Mt.", faith.Name},
		{"scenario after", "Emissions fall by 472.53 Mt in Alpha-1p5DS, by 397.51 Mt in Beta-2p5DS.", ""},
		{"wrong scenario after", "Emissions fall by 472.53 Mt in Beta-2p5DS.", faith.Name},
		{"respectively", "1p5DS and 2p5DS fall by 472.53 and 397.51 Mt respectively.", ""},
		{"respectively, swapped", "1p5DS and 2p5DS fall by 397.51 and 472.53 Mt respectively.", faith.Name},
		{"word", "The twelve riders share a van.", ""},
		{"wrong word", "The thirteen riders share a van.", faith.Unknown},
		{"twenty-four", "There are twenty-four rows.", ""},
		{"pronoun", "One of the three scenarios.", ""},
		{"date", "Signed on 30 June 2025.", ""},
		{"date, American", "Signed on June 30, 2025.", ""},
		{"wrong day", "Signed on 29 June 2025.", faith.Unknown},
		{"month", "Signed in June 2025.", ""},
		{"year", "In 2050 it ends.", ""},
		{"wrong year", "In 2051 it ends.", faith.Unknown},
		{"time", "It left at 14:30.", ""},
		{"wrong time", "It left at 14:31.", faith.Unknown},
		{"id", "Van VP-102 left.", ""},
		{"wrong id", "Van VP-103 left.", faith.Unknown},
		{"figure", "Figure 3 shows it.", ""},
		{"wrong figure", "Figure 4 shows it.", faith.Unknown},
		{"no table declared", "Table 9 shows it.", ""},
		{"formula", "CO2 and PM2.5 were measured.", ""},
		{"list marker", "1. First\n2. Second\n", ""},
		{"link", "[here](http://x.test/77) and http://x.test/78", ""},
		{"ordinal digits", "The 12th rider.", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := faith.Check(tt.text, emissions(t))
			var got faith.Fault
			for _, n := range r.Numerals {
				if !n.OK {
					got = n.Fault
					break
				}
			}
			if got != tt.fault {
				t.Errorf("Check(%q) faults %q, want %q\n%+v", tt.text, got, tt.fault, r.Numerals)
			}
			for _, n := range r.Numerals {
				if tt.text[n.Start:n.End] != n.Text {
					t.Errorf("numeral %q is not at [%d:%d]", n.Text, n.Start, n.End)
				}
			}
		})
	}
}

func TestCheckNamesTheSource(t *testing.T) {
	t.Parallel()
	r := faith.Check("Emissions start at 401 Mt CO₂-e and Alpha-1p5DS cuts 472.5 Mt.", emissions(t))
	if len(r.Numerals) != 2 {
		t.Fatalf("found %d numerals, want 2: %+v", len(r.Numerals), r.Numerals)
	}
	if got, want := r.Numerals[0].ResolvedTo.String(), "EVD-1#/baseline"; got != want {
		t.Errorf("first resolves to %s, want %s", got, want)
	}
	if got, want := r.Numerals[1].ResolvedTo.String(), "EVD-1#/a/total"; got != want {
		t.Errorf("second resolves to %s, want %s", got, want)
	}
}

func TestErrSaysWhereAndWhy(t *testing.T) {
	t.Parallel()
	err := faith.Check("The mean is 128 Mt.", emissions(t)).Err()
	if dossier.KindOf(err) != dossier.Invalid {
		t.Fatalf("kind %v, want invalid", dossier.KindOf(err))
	}
	for _, want := range []string{"At byte 12", "128.56", "129"} {
		if !strings.Contains(dossier.Message(err), want) {
			t.Errorf("message %q lacks %q", dossier.Message(err), want)
		}
	}
	if err := faith.Check("Nothing to count here.", emissions(t)).Err(); err != nil {
		t.Errorf("a text without numerals fails: %v", err)
	}
}

func TestAddJSON(t *testing.T) {
	t.Parallel()
	f := &faith.Facts{}
	raw := `{"riders":[{"id":"EMP-1006","distance_km":12.4,"since":"2025-03-09T08:15:00Z","note":"walks 900 m"},
	         {"id":"EMP-1007","distance_km":3}],"total":{"value":"77.5","unit":"PJ"}}`
	if err := f.AddEvidence(dossier.Evidence{ID: "EVD-9", Data: json.RawMessage(raw)}); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"EMP-1006 lives 12.4 km away.":   "EVD-9#/riders/0/distance_km",
		"A walk of 0.9 km.":              "EVD-9#/riders/0/note/@0",
		"There are two riders.":          "EVD-9#/riders/#",
		"It used 77.5 PJ.":               "EVD-9#/total/value",
		"They ride since 9 March 2025.":  "EVD-9#/riders/0/since",
		"The shift begins at 08:15.":     "EVD-9#/riders/0/since",
		"See EVD-9.":                     "EVD-9#",
		"The total is 77.5 in all.":      "EVD-9#/total/value",
		"EMP-1007 lives 3000 m away now": "EVD-9#/riders/1/distance_km",
	} {
		r := faith.Check(text, f)
		if !r.OK() || r.Numerals[len(r.Numerals)-1].ResolvedTo.String() != want {
			t.Errorf("Check(%q) = %+v, want last resolved to %s", text, r.Numerals, want)
		}
	}
	for _, text := range []string{"12.4 minutes away.", "EMP-1008 came.", "It used 77.5 GJ."} {
		if faith.Check(text, f).OK() {
			t.Errorf("Check(%q) passes, want a problem", text)
		}
	}
	if err := f.AddJSON("EVD-10", json.RawMessage(`{`)); dossier.KindOf(err) != dossier.Invalid {
		t.Errorf("broken JSON: %v, want invalid", err)
	}
}

func TestCompute(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		c    faith.Computed
		want string // value and unit, or a part of the error
	}{
		{"sum", faith.Computed{Op: faith.Sum, Of: []string{"EVD-1#/a/total", "EVD-1#/b/total"}}, "-870.04 Mt CO₂-e"},
		{"mean", faith.Computed{Op: faith.Mean, Of: []string{"EVD-1#/a/total", "EVD-1#/b/total"}}, "-435.02 Mt CO₂-e"},
		{"difference", faith.Computed{Op: faith.Difference, Of: []string{"EVD-1#/a/total", "EVD-1#/b/total"}}, "-75.02 Mt CO₂-e"},
		{"change", faith.Computed{Op: faith.Change, Of: []string{"EVD-1#/tie", "EVD-1#/energy"}}, "453.85 %"},
		{"share", faith.Computed{Op: faith.Share, Of: []string{"EVD-1#/tie", "EVD-1#/energy"}, Value: "18.06"}, "18.06 %"},
		{"stated wrong", faith.Computed{Op: faith.Share, Of: []string{"EVD-1#/tie", "EVD-1#/energy"}, Value: "18.05"}, "gives 18.06"},
		{"min", faith.Computed{Op: faith.Min, Of: []string{"EVD-1#/tie", "EVD-1#/energy"}}, "6.50 PJ"},
		{"max", faith.Computed{Op: faith.Max, Of: []string{"EVD-1#/tie", "EVD-1#/energy"}}, "36.00 PJ"},
		{"count", faith.Computed{Op: faith.Count, Of: []string{"EVD-1#/tie", "EVD-1#/energy"}}, "2.00 1"},
		{"magnitude", faith.Computed{Op: faith.Magnitude, Of: []string{"EVD-1#/a/total"}}, "472.53 Mt CO₂-e"},
		{"converted", faith.Computed{Op: faith.Sum, Of: []string{"EVD-1#/energy"}, Unit: "TWh"}, "10.00 TWh"},
		{"unlike units", faith.Computed{Op: faith.Sum, Of: []string{"EVD-1#/energy", "EVD-1#/t"}}, "mixes"},
		{"unknown fact", faith.Computed{Op: faith.Sum, Of: []string{"EVD-1#/nowhere"}}, "no evidence holds"},
		{"three for two", faith.Computed{Op: faith.Ratio, Of: []string{"EVD-1#/tie", "EVD-1#/tie", "EVD-1#/tie"}}, "needs two"},
		{"nothing", faith.Computed{Op: faith.Sum}, "names no facts"},
		{"no such op", faith.Computed{Op: "median", Of: []string{"EVD-1#/tie"}}, "not an operation"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tt.c.Name = "x"
			fact, err := emissions(t).Compute(tt.c)
			got := fact.Value.Round(2) + " " + fact.Unit
			if err != nil {
				got = dossier.Message(err)
			}
			if !strings.Contains(got, tt.want) {
				t.Errorf("Compute = %q, want %q", got, tt.want)
			}
		})
	}
}

func TestComputedNumbersResolve(t *testing.T) {
	t.Parallel()
	f := emissions(t)
	if _, err := f.Compute(faith.Computed{Name: "gap", Op: faith.Difference, Of: []string{"EVD-1#/a/total", "EVD-1#/b/total"}}); err != nil {
		t.Fatal(err)
	}
	r := faith.Check("The cut is deeper by 75.02 Mt, a reduction of 75.02 Mt.", f)
	if got := r.Numerals[1].ResolvedTo.String(); got != "=gap" {
		t.Errorf("resolves to %q, want =gap", got)
	}
}
