package summary

import (
	"fmt"
	"slices"

	"dossier/apps/report/catalog"
	"dossier/internal/faith"
)

// scenario declares one scenario's totals, changes and shares in one unit.
func (d *declaration) scenario(name, unit string) error {
	var rows []*catalog.Row
	for _, r := range d.work.rows {
		if r.Scenario == name && r.Unit == unit {
			rows = append(rows, r)
		}
	}
	if len(rows) == 0 {
		return nil
	}
	years := yearsOf(rows)
	if len(years) == 0 {
		return nil
	}
	names := map[string]string{}
	if name != "" {
		names["scenario"] = name
	}
	total := ""
	if Additive(unit) {
		var err error
		if total, err = d.totals(rows, years, name, unit, names); err != nil {
			return err
		}
	}
	return d.labels(rows, years, name, unit, total)
}

// totals declares the sum of each year and the change between the ends, and returns
// the figure that rows have a share of.
func (d *declaration) totals(rows []*catalog.Row, years []int, name, unit string, names map[string]string) (string, error) {
	refs := map[int]string{}
	for _, y := range years {
		var of []string
		for _, r := range rows {
			if _, ok := r.At(y); ok {
				of = append(of, d.ref(r, y))
			}
		}
		way := 0
		if y != years[0] {
			way = sum(rows, y).Cmp(sum(rows, years[0]))
		}
		ref, err := d.compute(fmt.Sprintf("total %s %s %d", name, unit, y), faith.Sum, of, names, way, fmt.Sprintf("total, %s %s", name, valueKey(y)))
		if err != nil {
			return "", err
		}
		d.mend(ref, func(f *faith.Fact) {
			f.Year, f.Groups = d.endYear(y), d.groups("total", unit, y, name, "", false)
		})
		refs[y] = ref
	}
	last := refs[years[len(years)-1]]
	if len(years) == 1 {
		return last, d.fromBaseline(rows, years[0], name, unit, names, last)
	}
	first := refs[years[0]]
	change, err := d.compute(fmt.Sprintf("change %s %s", name, unit), faith.Difference, []string{last, first}, names, 0, "change of the total, "+name)
	if err != nil {
		return "", err
	}
	d.mend(change, func(f *faith.Fact) {
		f.Year, f.Groups = years[len(years)-1], d.groups("change", unit, 0, name, "", false)
	})
	if sum(rows, years[0]).Sign() != 0 {
		if _, err := d.compute(fmt.Sprintf("percent %s %s", name, unit), faith.Change, []string{first, last}, names, 0, "change of the total in per cent, "+name); err != nil {
			return "", err
		}
	}
	return change, nil
}

// endYear is the year of a column, or the last year of a chart of changes.
func (d *declaration) endYear(year int) int {
	if year == 0 && d.work.relative {
		return d.work.chart.FinalYear
	}
	return year
}

// fromBaseline declares what is left of a baseline after a scenario's changes.
func (d *declaration) fromBaseline(rows []*catalog.Row, year int, name, unit string, names map[string]string, total string) error {
	if !d.work.relative || d.work.baseline == nil {
		return nil
	}
	i := slices.IndexFunc(d.work.table.Rows, func(r catalog.Row) bool {
		_, is := BaselineYear(&r)
		return is && len(r.Cells) > 0 && (r.Scenario == name || name == "")
	})
	if i < 0 || d.work.table.Rows[i].Unit != unit {
		return nil
	}
	base := d.ref(&d.work.table.Rows[i], year)
	of := []string{base}
	for _, r := range rows {
		if _, ok := r.At(year); ok {
			of = append(of, d.ref(r, year))
		}
	}
	way := sum(rows, year).Sign()
	net, err := d.compute(fmt.Sprintf("net %s %s", name, unit), faith.Sum, of, names, way, "level after the changes, "+name)
	if err != nil {
		return err
	}
	d.mend(net, func(f *faith.Fact) { f.Year = d.work.chart.FinalYear })
	start := d.work.table.Rows[i].Cells[0].Value
	if d.early {
		start = d.work.baseline.Value
	}
	if start.Sign() == 0 {
		return nil
	}
	_, err = d.compute(fmt.Sprintf("of baseline %s %s", name, unit), faith.Share, []string{total, base}, names, 0, "change as a share of the baseline, "+name)
	return err
}

// labels declares each row's change and its share of the total.
func (d *declaration) labels(rows []*catalog.Row, years []int, name, unit, total string) error {
	seen := map[string]bool{}
	for _, r := range rows {
		if seen[r.Label] {
			continue
		}
		seen[r.Label] = true
		var same []*catalog.Row
		for _, o := range rows {
			if o.Label == r.Label {
				same = append(same, o)
			}
		}
		if err := d.label(same, years, name, unit, total); err != nil {
			return err
		}
	}
	return nil
}

func (d *declaration) label(rows []*catalog.Row, years []int, name, unit, total string) error {
	label, names := rows[0].Label, namesOf(name, rows[0].Label)
	last, err := d.labelAt(rows, years[len(years)-1], name, unit)
	if err != nil || last == "" {
		return err
	}
	moved := last
	if len(years) > 1 {
		first, err := d.labelAt(rows, years[0], name, unit)
		if err != nil || first == "" {
			return err
		}
		if moved, err = d.compute(fmt.Sprintf("change %s %s %s", label, name, unit), faith.Difference, []string{last, first}, names, 0, joinLabel("change", label, name, 0)); err != nil {
			return err
		}
		d.mend(moved, func(f *faith.Fact) {
			f.Year, f.Groups = years[len(years)-1], d.groups("change", unit, 0, name, label, false)
		})
		if sum(rows, years[0]).Sign() != 0 {
			if _, err := d.compute(fmt.Sprintf("percent %s %s %s", label, name, unit), faith.Change, []string{first, last}, names, 0, joinLabel("change in per cent", label, name, 0)); err != nil {
				return err
			}
		}
	}
	if total == "" {
		return nil
	}
	whole, _ := d.facts.Fact(total)
	if whole.Value.Sign() == 0 {
		return nil
	}
	_, err = d.compute(fmt.Sprintf("share %s %s %s", label, name, unit), faith.Share, []string{moved, total}, names, 0, joinLabel("share of the total", label, name, 0))
	return err
}

func namesOf(scenario, label string) map[string]string {
	names := map[string]string{}
	if scenario != "" {
		names["scenario"] = scenario
	}
	if named(label) {
		names["series"] = label
	}
	return names
}

// labelAt returns the figure of rows that share a label for a year, "" if they have
// none: the one cell, or the sum of several.
func (d *declaration) labelAt(rows []*catalog.Row, year int, name, unit string) (string, error) {
	var of []string
	for _, r := range rows {
		if _, ok := r.At(year); ok {
			of = append(of, d.ref(r, year))
		}
	}
	switch len(of) {
	case 0:
		return "", nil
	case 1:
		return of[0], nil
	}
	label := rows[0].Label
	return d.compute(fmt.Sprintf("%s %s %s %d", label, name, unit, year), faith.Sum, of, namesOf(name, label), 0, joinLabel("sum", label, name, year))
}

// across declares gaps between scenarios and means over them.
func (d *declaration) across(scenarios []string, unit string) error {
	if len(scenarios) < 2 {
		return nil
	}
	if Additive(unit) {
		years := yearsOf(slices.DeleteFunc(slices.Clone(d.work.rows), func(r *catalog.Row) bool { return r.Unit != unit && !d.early }))
		if len(years) == 0 {
			return nil
		}
		kinds := []string{fmt.Sprintf("total %%s %s %d", unit, years[len(years)-1])}
		if len(years) > 1 {
			kinds = append(kinds, "change %s "+unit)
		}
		for _, k := range kinds {
			if err := d.spread(scenarios, k, nil, "the total"); err != nil {
				return err
			}
		}
	}
	return d.labelSpreads(scenarios, unit)
}

// labelSpreads compares each label between the scenarios.
func (d *declaration) labelSpreads(scenarios []string, unit string) error {
	for _, rows := range byLabel(slices.DeleteFunc(slices.Clone(d.work.rows), func(r *catalog.Row) bool { return r.Unit != unit || len(r.Cells) == 0 && !d.early })) {
		label, years := rows[0].Label, yearsOf(rows)
		if len(years) == 0 {
			continue
		}
		var refs, owners []string
		for _, s := range scenarios {
			mine := slices.DeleteFunc(slices.Clone(rows), func(r *catalog.Row) bool { return r.Scenario != s })
			ref, err := d.labelIn(mine, years[len(years)-1], s, unit)
			if err != nil {
				return err
			}
			if ref != "" {
				refs, owners = append(refs, ref), append(owners, s)
			}
		}
		var names map[string]string
		if named(label) {
			names = map[string]string{"series": label}
		}
		if err := d.pairs(refs, owners, label+" "+unit, names, label); err != nil {
			return err
		}
	}
	return nil
}

// labelIn returns the figure by which a scenario's rows of one label are compared with
// other scenarios', "" if they have none.
func (d *declaration) labelIn(rows []*catalog.Row, year int, scenario, unit string) (string, error) {
	if !d.early {
		return d.labelAt(rows, year, scenario, unit)
	}
	if len(rows) == 0 || len(rows[0].Cells) == 0 {
		return "", nil
	}
	return d.ref(rows[0], rows[0].Cells[len(rows[0].Cells)-1].Year), nil
}

// spread compares one figure between the scenarios that have it.
func (d *declaration) spread(scenarios []string, pattern string, names map[string]string, what string) error {
	var refs, owners []string
	for _, s := range scenarios {
		ref := "=" + d.work.chart.ID + " " + fmt.Sprintf(pattern, s)
		if _, ok := d.facts.Fact(ref); ok {
			refs, owners = append(refs, ref), append(owners, s)
		}
	}
	return d.pairs(refs, owners, pattern, names, what)
}

// pairs declares the mean of some figures and the gap between every two.
func (d *declaration) pairs(refs, owners []string, key string, names map[string]string, what string) error {
	if len(refs) < 2 {
		return nil
	}
	if _, err := d.compute("mean "+key, faith.Mean, refs, names, 0, "mean over the scenarios of "+what); err != nil {
		return err
	}
	for i := range refs {
		for j := range refs {
			a, _ := d.facts.Fact(refs[i])
			b, _ := d.facts.Fact(refs[j])
			if i == j || a.Value.Cmp(b.Value) < 0 {
				continue
			}
			name := fmt.Sprintf("gap %s %s %s", key, owners[i], owners[j])
			ref, err := d.compute(name, faith.Difference, []string{refs[i], refs[j]}, names, 0, fmt.Sprintf("%s, %s less %s", what, owners[i], owners[j]))
			if err != nil {
				return err
			}
			// A gap has a size, not a direction: either scenario may be named first.
			d.mend(ref, func(f *faith.Fact) { f.Change, f.Over, f.Under = false, owners[i], owners[j] })
			if err := d.ratio(refs[i], refs[j], owners[i], owners[j], key, names, what); err != nil {
				return err
			}
		}
	}
	return nil
}

// ratio declares how many times the smaller of two figures of one sign the larger is.
func (d *declaration) ratio(a, b, over, under, key string, names map[string]string, what string) error {
	x, _ := d.facts.Fact(a)
	y, _ := d.facts.Fact(b)
	if x.Value.Sign() == 0 || x.Value.Sign() != y.Value.Sign() {
		return nil
	}
	if x.Value.Sign() < 0 {
		a, b = b, a
	}
	ref, err := d.compute(fmt.Sprintf("ratio %s %s %s", key, over, under), faith.Ratio, []string{a, b}, names, 0, fmt.Sprintf("%s, %s against %s", what, over, under))
	if err != nil {
		return err
	}
	d.mend(ref, func(f *faith.Fact) { f.Unit, f.Over, f.Under = "times", over, under })
	return nil
}
