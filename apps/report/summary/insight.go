package summary

import (
	"fmt"
	"slices"
	"strings"

	"dossier/internal/faith"
)

// insights states a chart's main points, each with its numbers verbatim.
func insights(s *Summary) []string {
	if len(s.Scenarios) == 0 {
		return plainInsights(s)
	}
	var out []string
	if s.Baseline != nil {
		out = append(out, fmt.Sprintf("All scenarios start from baseline of %s in %d", quantity(s.Baseline.Value, s.Baseline.Unit), s.Baseline.Year))
	}
	for _, unit := range s.Units {
		if s.Relative {
			out = append(out, relativeInsights(s, unit)...)
		} else {
			out = append(out, levelInsights(s, unit)...)
		}
	}
	return out
}

func quantity(v faith.Number, unit string) string {
	return strings.TrimSpace(v.String() + " " + unit)
}

// relativeInsights covers charts of changes from a baseline.
func relativeInsights(s *Summary, unit string) []string {
	var out []string
	if label, mean, ok := commonLeader(s, unit); ok {
		out = append(out, fmt.Sprintf("%s provides the largest reduction across all scenarios (a mean of %s, rounded %s)",
			label, strings.TrimSpace(mean.Abs().Round(2)+" "+unit), mean.Abs().Round(0)))
	}
	deepest, weakest := extremes(s, unit)
	if deepest == "" || deepest == weakest {
		return out
	}
	d, w := s.Part(deepest, unit), s.Part(weakest, unit)
	if d.Change.Sign() >= 0 {
		return out // nothing is cut
	}
	line := fmt.Sprintf("%s achieves the deepest cuts (%s)", deepest, quantity(*d.Change, unit))
	if also := contributors(d); len(also) > 0 {
		line += ", with " + strings.Join(also, " and ") + " contributing significantly"
	}
	out = append(out, line)
	if line := weakerInsight(s, deepest, weakest, d, w); line != "" {
		out = append(out, line)
	}
	return out
}

// weakerInsight says where the least ambitious scenario falls behind, and what rises.
func weakerInsight(s *Summary, deepest, weakest string, d, w *Part) string {
	label := widest(d, w)
	if label == "" {
		return ""
	}
	line := fmt.Sprintf("%s shows weaker %s reductions (%s against %s in %s)", weakest, label,
		w.Mover(label).Value, d.Mover(label).Value, deepest)
	if up := s.ByScenario[weakest].Increases; len(up) > 0 {
		line += fmt.Sprintf(" and net increase from %s (+%s)", up[0].Label, up[0].Value)
	}
	return line
}

// commonLeader returns the label with the largest reduction in every scenario, and
// the mean of its changes.
func commonLeader(s *Summary, unit string) (string, faith.Number, bool) {
	label := ""
	var total faith.Number
	for _, name := range s.Scenarios {
		p := s.Part(name, unit)
		if p == nil {
			return "", total, false
		}
		m := firstDown(p)
		if m == nil || label != "" && m.Label != label {
			return "", total, false
		}
		label = m.Label
		total = total.Add(m.Value)
	}
	return label, total.Div(len(s.Scenarios)), true
}

func firstDown(p *Part) *Mover {
	for i := range p.Movers {
		if p.Movers[i].Value.Sign() < 0 {
			return &p.Movers[i]
		}
	}
	return nil
}

// extremes returns the scenarios with the lowest and the highest change.
func extremes(s *Summary, unit string) (low, high string) {
	for _, name := range s.Scenarios {
		p := s.Part(name, unit)
		if p == nil || p.Change == nil {
			continue
		}
		if low == "" || p.Change.Cmp(*s.Part(low, unit).Change) < 0 {
			low = name
		}
		if high == "" || p.Change.Cmp(*s.Part(high, unit).Change) > 0 {
			high = name
		}
	}
	return low, high
}

// contributors names the second and third largest reductions.
func contributors(p *Part) []string {
	var out []string
	for _, m := range p.Movers {
		if m.Value.Sign() < 0 {
			out = append(out, fmt.Sprintf("%s (%s)", m.Label, m.Value))
		}
	}
	if len(out) < 2 {
		return nil
	}
	return out[1:min(3, len(out))]
}

// widest returns the label that falls in both and differs most between two parts.
func widest(d, w *Part) string {
	best := ""
	var size faith.Number
	for _, m := range d.Movers {
		o := w.Mover(m.Label)
		if o == nil || o.Value.Sign() >= 0 || m.Value.Sign() >= 0 {
			continue
		}
		if diff := o.Value.Sub(m.Value); diff.Sign() > 0 && (best == "" || diff.Cmp(size) > 0) {
			best, size = m.Label, diff
		}
	}
	return best
}

// levelInsights covers charts with a number per year, or plain levels.
func levelInsights(s *Summary, unit string) []string {
	var out []string
	for _, name := range s.Scenarios {
		p := s.Part(name, unit)
		if p == nil || !p.Additive || p.Last == nil {
			continue
		}
		if p.First == nil {
			out = append(out, fmt.Sprintf("%s totals %s", name, quantity(*p.Last, unit)))
			continue
		}
		line := fmt.Sprintf("%s goes from %s in %d to %s in %d", name, quantity(*p.First, unit), p.FirstYear, quantity(*p.Last, unit), p.LastYear)
		if p.Percent != nil {
			line += fmt.Sprintf(" (%s %%)", signed(*p.Percent, 1))
		}
		out = append(out, line)
	}
	if i := slices.IndexFunc(s.Gaps, func(g Gap) bool { return g.Unit == unit }); i >= 0 {
		g := s.Gaps[i]
		out = append(out, fmt.Sprintf("The gap between %s and %s is %s", g.High, g.Low, quantity(g.Difference, unit)))
	}
	return out
}

func signed(v faith.Number, places int) string {
	text := v.Round(places)
	if v.Sign() > 0 {
		return "+" + text
	}
	return text
}

// plainInsights covers charts without scenarios.
func plainInsights(s *Summary) []string {
	var out []string
	sc := s.ByScenario[""]
	if sc == nil {
		return []string{}
	}
	for _, p := range sc.Parts {
		for i, m := range p.Movers {
			if i == 3 || m.First == nil {
				break
			}
			out = append(out, fmt.Sprintf("%s goes from %s in %d to %s in %d", m.Label,
				quantity(*m.First, p.Unit), p.FirstYear, quantity(*m.Last, p.Unit), p.LastYear))
		}
	}
	return out
}
