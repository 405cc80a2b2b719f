package writer

import (
	"context"
	"encoding/json"
	"fmt"

	"dossier"
	"dossier/apps/report/catalog"
	"dossier/apps/report/draft"
	"dossier/apps/report/outline"
	"dossier/apps/report/summary"
	"dossier/internal/tool"
)

// Looks are the tools that read the outline and the charts.
func (d *Desk) Looks() []tool.Tool {
	tools := []tool.Tool{
		d.sectionContext(), d.chartCategories(), d.listCharts(), d.sectionCharts(), d.chartData(), d.chartImage(), d.plotSpec(),
		d.compareScenarios(), d.trendSummary(), d.checkConsistency(),
	}
	if catalog.HasSQL {
		tools = append(tools, d.sqlQuery())
	}
	return tools
}

// reading declares a tool that looks at the case's report and changes nothing.
func reading[In any](d *Desk, name, doc string, run func(context.Context, *Look, In) (json.RawMessage, []dossier.Evidence, []dossier.Finding, error)) tool.Tool {
	return tool.Def[In, json.RawMessage]{
		Name: name, Doc: doc, Roles: d.Readers,
		Run: func(ctx context.Context, c tool.Call, in In) (tool.Output[json.RawMessage], error) {
			l, err := d.Place.Open(ctx, c)
			if err != nil {
				return tool.Output[json.RawMessage]{}, err
			}
			value, seen, found, err := run(ctx, l, in)
			if cerr := l.Close(); err == nil && cerr != nil {
				err = fmt.Errorf("close run folder: %w", cerr)
			}
			return tool.Output[json.RawMessage]{Value: value, Evidence: seen, Findings: found}, err
		},
	}.Tool()
}

// plain is reading for tools that record nothing.
func plain[In any](d *Desk, name, doc string, run func(context.Context, *Look, In) (any, error)) tool.Tool {
	return reading(d, name, doc, func(ctx context.Context, l *Look, in In) (json.RawMessage, []dossier.Evidence, []dossier.Finding, error) {
		v, err := run(ctx, l, in)
		if err != nil {
			return nil, nil, nil, err
		}
		raw, err := json.Marshal(v)
		return raw, nil, nil, err
	})
}

type sectionIn struct {
	Section string `json:"section_id" jsonschema:"the section's id, such as emissions"`
}

// sectionOut is what a writer needs to know of a section.
type sectionOut struct {
	ID           string         `json:"section_id"`
	Title        string         `json:"title"`
	Instructions string         `json:"instructions"`
	Draft        string         `json:"current_draft"`
	Review       string         `json:"review_comments"`
	Ratings      map[string]int `json:"review_ratings"`
	Notes        []outline.Note `json:"review_notes"` // to be answered one by one
	Parent       string         `json:"parent,omitempty"`
	Children     []string       `json:"children,omitempty"`
	Scenarios    []string       `json:"scenarios"` // of the whole run
}

func (d *Desk) sectionContext() tool.Tool {
	return plain(d, "get_section_context", "Returns a section's title, instructions, current draft and the notes of the last review, to be answered one by one.",
		func(_ context.Context, l *Look, in sectionIn) (any, error) {
			s, err := l.Outline.Section(in.Section)
			if err != nil {
				return nil, err
			}
			out := sectionOut{
				ID: s.ID, Title: s.Title, Instructions: s.Instructions, Draft: s.Content, Review: s.Review, Ratings: s.Ratings,
				Notes: outline.SplitNotes(s.Notes), Parent: s.ParentID, Scenarios: l.Catalog.Scenarios(),
			}
			for _, c := range l.Outline.Sections {
				if c.ParentID == s.ID {
					out.Children = append(out.Children, c.Title)
				}
			}
			return out, nil
		})
}

func (d *Desk) chartCategories() tool.Tool {
	return plain(d, "list_chart_categories", "Returns the categories of charts in this run, with how many charts each has.",
		func(_ context.Context, l *Look, _ struct{}) (any, error) { return l.Catalog.Categories(), nil })
}

type listIn struct {
	Category string `json:"category,omitempty" jsonschema:"only charts of this category"`
	Section  string `json:"section_id,omitempty" jsonschema:"only charts linked to this section"`
}

func (d *Desk) listCharts() tool.Tool {
	return plain(d, "list_charts", "Returns what is known of the charts: title, units, dimensions, scenarios. Filter by category or section.",
		func(_ context.Context, l *Look, in listIn) (any, error) {
			if in.Section != "" {
				if _, err := l.Outline.Section(in.Section); err != nil {
					return nil, err
				}
			}
			return draft.Charts(l.Catalog, in.Category, in.Section), nil
		})
}

func (d *Desk) sectionCharts() tool.Tool {
	return plain(d, "get_section_charts", "Returns the charts chosen for a section, and why each was chosen.",
		func(_ context.Context, l *Look, in sectionIn) (any, error) {
			s, err := l.Outline.Section(in.Section)
			if err != nil {
				return nil, err
			}
			return l.Map.Select(s, l.Catalog), nil
		})
}

type dataIn struct {
	Chart    string `json:"chart_id" jsonschema:"the chart's id"`
	Rows     bool   `json:"rows,omitempty" jsonschema:"also return the rows"`
	Scenario string `json:"scenario,omitempty" jsonschema:"only rows of this scenario"`
	MaxRows  int    `json:"max_rows,omitempty" jsonschema:"return at most this many rows"`
}

func (d *Desk) chartData() tool.Tool {
	return reading(d, "get_chart_data", "Returns a chart's schema, its summary with the figures to state verbatim and, if asked, its rows.",
		func(ctx context.Context, l *Look, in dataIn) (json.RawMessage, []dossier.Evidence, []dossier.Finding, error) {
			ch, t, err := l.table(ctx, in.Chart)
			if err != nil {
				return nil, nil, nil, err
			}
			most := d.MaxRows
			if in.MaxRows > 0 {
				most = min(most, in.MaxRows)
			}
			out, err := l.Data(ctx, in.Chart, draft.Pick{Scenario: in.Scenario, Most: most})
			if err != nil {
				return nil, nil, nil, err
			}
			if !in.Rows {
				out.Rows, out.Truncated = nil, false
			}
			raw, err := json.Marshal(out)
			return raw, []dossier.Evidence{summary.Evidence(ch, t, "run folder")}, nil, err
		})
}

type chartIn struct {
	Chart string `json:"chart_id" jsonschema:"the chart's id"`
}

// imageOut is a picture in the form that the core hands to models that see.
type imageOut struct {
	MIME string `json:"mime"`
	Data []byte `json:"image_base64"`
}

func (d *Desk) chartImage() tool.Tool {
	return plain(d, "get_chart_image", "Returns a chart's picture as a base64 PNG, for models that can see.",
		func(_ context.Context, l *Look, in chartIn) (any, error) {
			ch, err := l.Catalog.Chart(in.Chart)
			if err != nil {
				return nil, err
			}
			data, err := l.Catalog.Image(ch)
			return imageOut{"image/png", data}, err
		})
}

func (d *Desk) plotSpec() tool.Tool {
	return plain(d, "get_plot_spec", "Returns a chart's Plotly specification with its arrays written out.",
		func(_ context.Context, l *Look, in chartIn) (any, error) {
			ch, err := l.Catalog.Chart(in.Chart)
			if err != nil {
				return nil, err
			}
			return l.Catalog.PlotSpec(ch)
		})
}

type compareIn struct {
	Chart string `json:"chart_id" jsonschema:"the chart's id"`
	A     string `json:"a" jsonschema:"a scenario"`
	B     string `json:"b" jsonschema:"another scenario"`
	Year  int    `json:"year,omitempty" jsonschema:"0 for the last year"`
}

func (d *Desk) compareScenarios() tool.Tool {
	return plain(d, "compare_scenarios", "Sets two scenarios of a chart side by side for a year: each row, the totals and the differences.",
		func(ctx context.Context, l *Look, in compareIn) (any, error) {
			ch, t, err := l.table(ctx, in.Chart)
			if err != nil {
				return nil, err
			}
			return summary.Compare(ch, t, l.Catalog.Scenario(in.A), l.Catalog.Scenario(in.B), in.Year)
		})
}

func (l *Look) table(ctx context.Context, id string) (*catalog.Chart, *catalog.Table, error) {
	ch, err := l.Catalog.Chart(id)
	if err != nil {
		return nil, nil, err
	}
	t, err := l.Backend.Table(ctx, ch)
	return ch, t, err
}

type trendIn struct {
	Chart string `json:"chart_id" jsonschema:"the chart's id"`
	Label string `json:"label,omitempty" jsonschema:"a row's label, or total; empty for all"`
}

func (d *Desk) trendSummary() tool.Tool {
	return plain(d, "trend_summary", "Describes how a chart's rows and totals move over the years: ends, change, peak, low and direction.",
		func(ctx context.Context, l *Look, in trendIn) (any, error) {
			ch, t, err := l.table(ctx, in.Chart)
			if err != nil {
				return nil, err
			}
			return summary.Trends(ch, t, in.Label)
		})
}

func (d *Desk) checkConsistency() tool.Tool {
	return reading(d, "check_consistency", "Compares what stands in two of a section's charts and reports every disagreement beyond rounding.",
		func(ctx context.Context, l *Look, in sectionIn) (json.RawMessage, []dossier.Evidence, []dossier.Finding, error) {
			s, err := l.Outline.Section(in.Section)
			if err != nil {
				return nil, nil, nil, err
			}
			var pairs []summary.Pair
			var seen []dossier.Evidence
			for _, choice := range l.Map.Select(s, l.Catalog).Choices {
				ch, t, err := l.table(ctx, choice.Key)
				if err != nil {
					continue // said by get_chart_data, which fails the same way
				}
				pairs = append(pairs, summary.Pair{Chart: ch, Table: t})
				seen = append(seen, summary.Evidence(ch, t, "run folder"))
			}
			compared, bad := summary.Consistency(pairs)
			raw, err := json.Marshal(consistencyOut{compared, bad})
			if len(seen) == 0 {
				return raw, nil, nil, err
			}
			f := judgeConsistency(compared, bad, consistencyVersion)
			f.Subject = in.Section
			return raw, seen, []dossier.Finding{f}, err
		})
}

type consistencyOut struct {
	Compared int                    `json:"compared"`
	Disagree []summary.Disagreement `json:"disagreements"`
}

type queryIn struct {
	SQL string `json:"sql" jsonschema:"one SELECT statement; tables are named after the charts' ids"`
}

func (d *Desk) sqlQuery() tool.Tool {
	return plain(d, "sql_query", "Answers one read-only SQL statement over the run's charts, each a table named by its id. Rows and time are limited.",
		func(ctx context.Context, l *Look, in queryIn) (any, error) {
			return l.Backend.Query(ctx, in.SQL, catalog.Limits{Rows: d.SQLRows, Time: d.SQLTime})
		})
}
