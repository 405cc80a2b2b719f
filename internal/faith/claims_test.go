package faith_test

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"dossier/internal/faith"
)

// fuels are levels of a few fuels in one place and year, with what is derived of them.
func fuels(values map[string]int) *faith.Facts {
	f := &faith.Facts{Claims: true}
	total := 0
	for _, v := range values {
		total += v
	}
	for name, v := range values {
		f.Name("series", name)
		names := map[string]string{"series": name}
		f.Add(faith.Fact{
			Ref: faith.Ref{Evidence: "EVD-1", Path: "/" + name}, Value: faith.Int(v), Unit: "PJ", Label: name, Names: names,
			Year: 2050, Groups: map[string]string{"series": "2050"},
		})
		share, _ := faith.Int(v).Percent(faith.Int(total))
		f.Add(faith.Fact{Ref: faith.Ref{Computed: "share " + name}, Value: share, Unit: "%", Label: "share of " + name, Names: names})
	}
	f.Add(faith.Fact{Ref: faith.Ref{Computed: "fuels"}, Value: faith.Int(len(values)), Unit: faith.None, Counts: "fuels"})
	f.Allow("2025", "2050")
	return f
}

func TestClaims(t *testing.T) {
	t.Parallel()
	f := fuels(map[string]int{"Wind": 60, "Coal": 25, "Hydro": 15})
	for text, want := range map[string]faith.Fault{
		"Wind is the largest source at 60 PJ.":                         "",
		"Coal is the largest source at 25 PJ.":                         faith.Rank,
		"Coal is the second-largest source at 25 PJ.":                  "",
		"Hydro is the second-largest source at 15 PJ.":                 faith.Rank,
		"The smallest source is Hydro with 15 PJ.":                     "",
		"The smallest source is Coal with 25 PJ.":                      faith.Rank,
		"At least 60 PJ come from Wind.":                               "",
		"Wind brings more than half of it.":                            "",
		"Wind brings less than half of it.":                            faith.Multiple,
		"Coal brings a quarter of it.":                                 "",
		"Coal brings a third of it.":                                   faith.Multiple,
		"Wind brings about two thirds of it.":                          "",
		"Hydro brings three quarters of it.":                           faith.Multiple,
		"In the second half of the period, half-way, nothing happens.": "",
		"A third source is Hydro.":                                     "",
		"It doubles from 15 PJ to 25 PJ.":                              faith.Multiple,
		"It quadruples from 15 PJ to 60 PJ.":                           "",
		"It grows fourfold from 15 PJ to 60 PJ.":                       "",
		"It more than halves from 60 PJ to 25 PJ.":                     "",
		"It more than halves from 60 PJ to 60 PJ.":                     faith.Multiple,
		"Demand doubles.":                                              faith.Multiple,
		"There are three fuels.":                                       "",
		"Two fuels stand out.":                                         "",
		"There are four fuels.":                                        faith.Unknown,
		"Wind reaches 60 PJ in 2050.":                                  "",
		"Wind reaches 60 PJ in 2025.":                                  faith.When,
		"In 2025, Wind stands at 60 PJ.":                               faith.When,
		"Since 2025, Wind has reached 60 PJ.":                          "",
	} {
		r := faith.Check(text, f)
		var got faith.Fault
		if bad := r.Problems(); len(bad) > 0 {
			got = bad[0].Fault
		}
		if got != want {
			t.Errorf("Check(%q) faults %q, want %q: %+v", text, got, want, r.Numerals)
		}
	}
	loose := &faith.Facts{}
	loose.Add(faith.Fact{Ref: faith.Ref{Computed: "x"}, Value: faith.Int(2), Unit: "PJ"})
	if r := faith.Check("Half of it doubles, the largest being 2 PJ.", loose); !r.OK() || len(r.Numerals) != 1 {
		t.Errorf("words are judged where nobody asked: %+v", r.Numerals)
	}
}

// TestOnlyTheLargestIsTheLargest ranks random values and calls each of them the largest.
func TestOnlyTheLargestIsTheLargest(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		names := []string{"Wind", "Coal", "Hydro", "Solar", "Peat"}
		list := rapid.SliceOfNDistinct(rapid.IntRange(1, 5000), len(names), len(names), rapid.ID).Draw(t, "values")
		values := map[string]int{}
		for i, name := range names {
			values[name] = list[i]
		}
		f := fuels(values)
		top, low := slices.Max(list), slices.Min(list)
		for name, v := range values {
			if ok := faith.Check(fmt.Sprintf("%s is the largest at %d PJ.", name, v), f).OK(); ok != (v == top) {
				t.Fatalf("%s at %d is called the largest of %v: %v", name, v, list, ok)
			}
			if ok := faith.Check(fmt.Sprintf("The lowest is %s at %d PJ.", name, v), f).OK(); ok != (v == low) {
				t.Fatalf("%s at %d is called the lowest of %v: %v", name, v, list, ok)
			}
		}
	})
}

// TestAFractionHoldsOnlyNearItsShare says "half" of random shares.
func TestAFractionHoldsOnlyNearItsShare(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		wind := rapid.IntRange(1, 99).Draw(t, "share")
		f := fuels(map[string]int{"Wind": wind, "Coal": 100 - wind})
		for words, holds := range map[string]bool{
			"half": wind >= 45 && wind <= 55, "about half": wind >= 40 && wind <= 60, "more than half": wind > 50, "nearly half": wind >= 40 && wind < 50,
		} {
			text := "Wind brings " + words + " of it."
			if ok := faith.Check(text, f).OK(); ok != holds {
				t.Fatalf("%q passes %v with a share of %d", text, ok, wind)
			}
		}
	})
}
