package narrator

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"dossier/apps/report/summary"
	"dossier/internal/faith"
)

// drivers says what moves the scenario that moves most, among the rows that go its
// way. Where an earlier chart said so, it says what is left instead.
func (w *writer) drivers(c *Chart, unit string) string {
	s := &c.Summary.Summary
	name := widestMove(s, unit)
	p := s.Part(name, unit)
	if p == nil || p.Change.Sign() == 0 || len(p.Partial) > 0 {
		return "" // a row whose change is unknown may be the largest
	}
	with := slices.DeleteFunc(slices.Clone(p.Movers), func(m summary.Mover) bool { return m.Value.Sign() != p.Change.Sign() })
	if len(with) == 0 {
		return ""
	}
	m := with[0]
	if !w.tell(m.Label, name, amount(m.Value.Abs(), unit)) {
		return w.remains(s, unit, p.Change.Sign())
	}
	text := fmt.Sprintf("%s %s, which %s by %s to %s",
		w.pick(c.Chart.ID, "driver", "The main driver in "+name+" is", "Behind the result in "+name+" stands above all", "In "+name+" the largest contribution is that of"),
		m.Label, verb(m.Value.Sign()), amount(m.Value.Abs(), unit), amount(*m.Last, unit))
	if share, ok := m.Value.Percent(*p.Change); ok && len(with) == len(p.Movers) && len(with) > 1 && share.Cmp(faith.Int(100)) < 0 {
		text += fmt.Sprintf(" and makes up %s %% of the whole", digits(share, 1))
	}
	var more []string
	for _, o := range with[1:min(3, len(with))] {
		w.tell(o.Label, name, amount(o.Value.Abs(), unit))
		more = append(more, fmt.Sprintf("%s (%s %s)", o.Label, downUp(o.Value), amount(o.Value.Abs(), unit)))
	}
	if len(more) > 0 {
		text += w.pick(c.Chart.ID, "next", ", followed by ", ", ahead of ", "; next come ") + join(more)
	}
	return text + "."
}

// remains says which row is the largest at the end of a fall, scenario by scenario.
func (w *writer) remains(s *summary.Summary, unit string, way int) string {
	var parts []string
	year := 0
	for _, name := range s.Scenarios {
		p := s.Part(name, unit)
		if p == nil || p.Last == nil || p.Change == nil || p.Change.Sign() != way {
			return ""
		}
		var top *summary.Mover
		for i := range p.Movers {
			if m := &p.Movers[i]; m.Last != nil && m.Last.Sign() > 0 && (top == nil || m.Last.Cmp(*top.Last) > 0) {
				top = m
			}
		}
		if top == nil {
			continue
		}
		year = p.LastYear
		parts = append(parts, fmt.Sprintf("%s in %s (%s)", top.Label, name, amount(*top.Last, unit)))
	}
	if len(parts) == 0 || way >= 0 {
		return ""
	}
	return fmt.Sprintf("The drivers are those named above; what remains by %d is led by %s.", year, join(parts))
}

// exceptions names what moves against its scenario's total and was not named before.
func (w *writer) exceptions(c *Chart, unit string) string {
	s := &c.Summary.Summary
	type mover struct {
		label string
		way   int
	}
	var order []mover
	where := map[mover][]string{}
	for _, name := range s.Scenarios {
		p := s.Part(name, unit)
		if p == nil || p.Change == nil || p.Change.Sign() == 0 {
			continue
		}
		i := slices.IndexFunc(p.Movers, func(m summary.Mover) bool { return m.Value.Sign() == -p.Change.Sign() })
		if i < 0 || !w.tell(p.Movers[i].Label, name, amount(p.Movers[i].Value.Abs(), unit)) {
			continue
		}
		m := mover{p.Movers[i].Label, p.Movers[i].Value.Sign()}
		if where[m] == nil {
			order = append(order, m)
		}
		where[m] = append(where[m], fmt.Sprintf("%s in %s", amount(p.Movers[i].Value.Abs(), unit), name))
	}
	var out []string
	for _, m := range order {
		out = append(out, fmt.Sprintf("%s %s by %s", m.label, verb(m.way), join(where[m])))
	}
	if len(out) == 0 {
		return ""
	}
	return w.pick(c.Chart.ID, "except", "Not everything follows: ", "Against this, ", "Moving the other way: ") + join(out) + "."
}

// oneSpan reports whether every scenario with data in a unit has it from one year to
// another, and all the same two.
func oneSpan(s *summary.Summary, unit string) bool {
	var span *summary.Part
	for _, name := range s.Scenarios {
		p := s.Part(name, unit)
		if p == nil {
			continue
		}
		if span == nil {
			span = p
		}
		if p.First == nil || p.FirstYear != span.FirstYear || p.LastYear != span.LastYear {
			return false
		}
	}
	return span != nil
}

// standing writes about levels without years, or of years that differ from one scenario
// to the next.
func (w *writer) standing(c *Chart, unit string) {
	s := &c.Summary.Summary
	var parts, moves []string
	for _, name := range s.Scenarios {
		p := s.Part(name, unit)
		switch {
		case p == nil || p.Last == nil:
		case p.First != nil:
			moves = append(moves, fmt.Sprintf("In %s it %s from %s in %d to %s in %d.", name, verb(p.Change.Sign()), amount(*p.First, unit), p.FirstYear, amount(*p.Last, unit), p.LastYear))
		case p.LastYear != 0:
			parts = append(parts, fmt.Sprintf("%s in %s in %d", amount(*p.Last, unit), name, p.LastYear))
		default:
			parts = append(parts, fmt.Sprintf("%s in %s", amount(*p.Last, unit), name))
		}
	}
	what := capital(subject(c.Chart.Title, unit, len(s.Units) > 1))
	if len(parts) > 0 {
		w.para(fmt.Sprintf("%s stands at %s.", what, join(parts)), strings.Join(moves, " "), w.gapOf(s, unit))
	} else if len(moves) > 0 {
		w.para(fmt.Sprintf("%s is not known for the same years in every scenario.", what), strings.Join(moves, " "))
	}
}

// shares writes about rows that do not add up, label by label.
func (w *writer) shares(c *Chart, unit string) {
	s := &c.Summary.Summary
	sentences := []string{w.shift(c, unit)}
	for _, label := range movingLabels(s, unit, 3) {
		if text := w.share(s, unit, label); text != "" {
			sentences = append(sentences, text)
		}
	}
	w.para(sentences...)
}

// shift says in words what gains at whose cost, if that is the same in every scenario.
func (w *writer) shift(c *Chart, unit string) string {
	s := &c.Summary.Summary
	from, to := "", ""
	for i, name := range s.Scenarios {
		var down, up string
		if p := s.Part(name, unit); p != nil && len(p.Partial) == 0 {
			for _, m := range p.Movers { // the largest move first
				switch {
				case m.Value.Sign() < 0 && down == "":
					down = m.Label
				case m.Value.Sign() > 0 && up == "":
					up = m.Label
				}
			}
		}
		if i > 0 && (down != from || up != to) {
			from, to = "", ""
			break
		}
		from, to = down, up
	}
	if from == "" || to == "" {
		return fmt.Sprintf(w.pick(c.Chart.ID, "shares",
			"%s shows how the mix shifts.", "The mix shifts as well, as %s shows.", "%s gives the shares."), quoted(c.Chart.Title))
	}
	return fmt.Sprintf(w.pick(c.Chart.ID, "shift",
		"%s shows one shift in every scenario, from %s to %s.", "In %s the place of %s is taken by %s, whichever scenario holds."),
		quoted(c.Chart.Title), from, to)
}

// share follows one label through all scenarios.
func (w *writer) share(s *summary.Summary, unit, label string) string {
	var parts []string
	var first *summary.Mover
	same, way, year, last := true, 0, 0, 0
	for _, name := range s.Scenarios {
		p := s.Part(name, unit)
		if p == nil {
			continue
		}
		m := p.Mover(label)
		if m == nil || m.First == nil {
			continue
		}
		if first == nil {
			first, way = m, m.Value.Sign()
		}
		same = same && m.First.Cmp(*first.First) == 0
		if m.Value.Sign() != way {
			way = 0
		}
		year, last = p.FirstYear, p.LastYear
		parts = append(parts, fmt.Sprintf("%s in %s", amount(*m.Last, unit), name))
	}
	if first == nil || !same {
		return ""
	}
	return fmt.Sprintf("%s %s from %s in %d to %s by %d.", label, verb(way), amount(*first.First, unit), year, join(parts), last)
}

// plain writes about a chart without scenarios.
func (w *writer) plain(c *Chart) {
	sc := c.Summary.Summary.ByScenario[""]
	if sc == nil {
		return
	}
	var out []string
	for _, p := range sc.Parts {
		for i, m := range p.Movers {
			if m.First == nil || i == 3 {
				break
			}
			out = append(out, fmt.Sprintf("%s %s from %s in %d to %s in %d", m.Label, agree(m.Label, m.Value.Sign()),
				amount(*m.First, p.Unit), p.FirstYear, amount(*m.Last, p.Unit), p.LastYear))
		}
	}
	if len(out) == 0 {
		return
	}
	w.para(fmt.Sprintf("%s is the same in all scenarios.", quoted(c.Chart.Title)), sentence(join(out)))
}

// coverage names the scenarios that no chart of the section speaks of.
func (w *writer) coverage() {
	text := strings.Join(w.paras, "\n")
	var silent []string
	for _, s := range w.in.Scenarios {
		if !strings.Contains(text, s) {
			silent = append(silent, s)
		}
	}
	if len(silent) > 0 {
		w.para(fmt.Sprintf("The charts of this section do not tell %s apart.", join(silent)))
	}
	var ids []string
	for id := range w.in.Omitted {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	for _, id := range ids {
		w.para(fmt.Sprintf("The chart %s is left out: %s", quoted(id), w.in.Omitted[id]))
	}
}

// caveats says what limits the section's statements.
func (w *writer) caveats() {
	var out []string
	for _, d := range w.in.Disagree {
		if len(out) == 3 {
			break
		}
		out = append(out, fmt.Sprintf("Two charts disagree on the %s: %s has %s, %s has %s.", d.Quantity, quoted(d.ChartA), signedAmount(d.A, d.Unit), quoted(d.ChartB), signedAmount(d.B, d.Unit)))
	}
	for _, c := range w.in.Charts {
		s := c.Summary.Summary
		if len(s.Units) > 1 {
			out = append(out, fmt.Sprintf("%s holds quantities in %s, which are not added together.", quoted(c.Chart.Title), join(s.Units)))
		}
		for _, caveat := range s.Caveats {
			if strings.HasPrefix(caveat, summary.ApartCaveat) || strings.HasPrefix(caveat, summary.PartialCaveat) {
				out = append(out, caveat)
			}
		}
		if slices.Contains(s.Caveats, "Some rows have no label in the data.") {
			out = append(out, fmt.Sprintf("Some rows of %s have no label in the data.", quoted(c.Chart.Title)))
		}
	}
	if len(out) > 0 {
		w.para("*Caveats.* " + strings.Join(out, " "))
	}
}

// children points to the sections below.
func (w *writer) children() {
	if len(w.in.Children) > 0 {
		w.para(fmt.Sprintf("The sections that follow look at %s in turn.", join(lowerAll(w.in.Children))))
	}
}

func lowerAll(list []string) []string {
	out := make([]string, len(list))
	for i, s := range list {
		r, n := utf8.DecodeRuneInString(s)
		out[i] = string(unicode.ToLower(r)) + s[n:]
	}
	return out
}

var zero faith.Number

func firstDown(p *summary.Part) *summary.Mover {
	if p == nil {
		return nil
	}
	for i := range p.Movers {
		if p.Movers[i].Value.Sign() < 0 {
			return &p.Movers[i]
		}
	}
	return nil
}

// byChange orders the scenarios by how far they go, the lowest change first.
func byChange(s *summary.Summary, unit string) []string {
	var out []string
	for _, name := range s.Scenarios {
		if p := s.Part(name, unit); p != nil && p.Change != nil {
			out = append(out, name)
		}
	}
	slices.SortStableFunc(out, func(a, b string) int { return s.Part(a, unit).Change.Cmp(*s.Part(b, unit).Change) })
	return out
}

func extremes(s *summary.Summary, unit string) (low, high string) {
	names := byChange(s, unit)
	if len(names) == 0 {
		return "", ""
	}
	return names[0], names[len(names)-1]
}

// widestMove returns the scenario whose total moves most.
func widestMove(s *summary.Summary, unit string) string {
	best := ""
	for _, name := range byChange(s, unit) {
		if best == "" || s.Part(name, unit).Change.Abs().Cmp(s.Part(best, unit).Change.Abs()) > 0 {
			best = name
		}
	}
	return best
}

// oneStart reports whether all scenarios start from the same total.
func oneStart(s *summary.Summary, unit string) (bool, summary.Part) {
	var start *summary.Part
	for _, name := range s.Scenarios {
		p := s.Part(name, unit)
		if p == nil || p.First == nil {
			return false, summary.Part{}
		}
		if start == nil {
			start = p
		}
		if p.First.Cmp(*start.First) != 0 {
			return false, summary.Part{}
		}
	}
	return start != nil, *start
}

// movingLabels returns the labels that move most in any scenario.
func movingLabels(s *summary.Summary, unit string, n int) []string {
	size := map[string]faith.Number{}
	var labels []string
	for _, name := range s.Scenarios {
		p := s.Part(name, unit)
		if p == nil {
			continue
		}
		for _, m := range p.Movers {
			v, ok := size[m.Label]
			if !ok {
				labels = append(labels, m.Label)
			}
			if m.Value.Abs().Cmp(v) > 0 {
				size[m.Label] = m.Value.Abs()
			}
		}
	}
	slices.SortStableFunc(labels, func(a, b string) int { return size[b].Cmp(size[a]) })
	return labels[:min(n, len(labels))]
}

// totalAt adds up a scenario's rows for a year, if there are any.
func (c *Chart) totalAt(name, unit string, year int) (total faith.Number, ok bool) {
	for _, r := range c.Table.Rows {
		if v, has := r.At(year); has && r.Scenario == name && r.Unit == unit && !summary.IsTotal(c.Chart, &r) {
			total, ok = total.Add(v), true
		}
	}
	return total, ok
}
