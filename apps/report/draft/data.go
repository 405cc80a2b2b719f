package draft

import (
	"context"

	"dossier/apps/report/catalog"
	"dossier/apps/report/narrator"
	"dossier/apps/report/summary"
)

// Data is a chart as tools and pages get it: what the catalog knows of it, its
// summary and, where asked for, its rows.
type Data struct {
	Meta catalog.Chart `json:"chart"`
	summary.Chart
	Truncated bool `json:"rows_truncated,omitempty"`
}

// Pick says which rows of a chart to return.
type Pick struct {
	Scenario string // only this one; "": all
	Most     int    // at most this many
}

// Data returns a chart with its rows.
func (r *Report) Data(ctx context.Context, id string, p Pick) (*Data, error) {
	ch, err := r.Catalog.Chart(id)
	if err != nil {
		return nil, err
	}
	t, err := r.Backend.Table(ctx, ch)
	if err != nil {
		return nil, err
	}
	d := &Data{Meta: *ch, Chart: *summary.Of(ch, t)}
	d.Rows, d.Truncated = p.rows(t.Rows)
	return d, nil
}

func (p Pick) rows(rows []catalog.Row) ([]catalog.Row, bool) {
	out := []catalog.Row{}
	for _, r := range rows {
		if p.Scenario != "" && r.Scenario != p.Scenario {
			continue
		}
		if len(out) == p.Most {
			return out, true
		}
		out = append(out, r)
	}
	return out, false
}

// Narrated is the chart as the narrator takes it.
func (d *Data) Narrated() narrator.Chart {
	t := &catalog.Table{Chart: d.ChartID, Columns: d.Schema.Columns, Shape: d.Meta.Shape, Measure: d.Summary.Measure, Years: d.Meta.Years, Rows: d.Rows}
	sum := d.Chart
	return narrator.Chart{Chart: &d.Meta, Table: t, Summary: &sum}
}

// Charts filters a catalog's charts by category and section; "" means all.
func Charts(c *catalog.Catalog, category, section string) []catalog.Chart {
	out := []catalog.Chart{}
	for _, ch := range c.Charts {
		linked := section == ""
		for _, s := range ch.Sections {
			linked = linked || s == section
		}
		if linked && (category == "" || ch.Category == category) {
			out = append(out, ch)
		}
	}
	return out
}
