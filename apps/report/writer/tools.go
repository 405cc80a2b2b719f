package report

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

var everyone = []dossier.Role{analyst, reviewer, dossier.Admin}

// looks are the tools that read the outline and the charts.
func (o *office) looks() []tool.Tool {
	tools := []tool.Tool{
		o.sectionContext(), o.chartCategories(), o.listCharts(), o.sectionCharts(), o.chartData(), o.chartImage(), o.plotSpec(),
		o.compareScenarios(), o.trendSummary(), o.checkConsistency(),
	}
	if catalog.HasSQL {
		tools = append(tools, o.sqlQuery())
	}
	return tools
}

// A look is a report opened for one tool call.
type look struct {
	rec record
	*draft.Report
	section string // that the case is about
}

// at opens the report that a call's case is about.
func (o *office) at(ctx context.Context, c tool.Call) (*look, error) {
	report, section, err := o.section(ctx, c.Case)
	if err != nil {
		return nil, err
	}
	rec, r, err := o.open(ctx, report)
	if err != nil {
		return nil, err
	}
	return &look{rec, r, section}, nil
}

// reading declares a tool that looks at the case's report and changes nothing.
func reading[In any](o *office, name, doc string, run func(context.Context, *look, In) (json.RawMessage, []dossier.Evidence, []dossier.Finding, error)) tool.Tool {
	return tool.Def[In, json.RawMessage]{
		Name: name, Doc: doc, Roles: everyone,
		Run: func(ctx context.Context, c tool.Call, in In) (tool.Output[json.RawMessage], error) {
			l, err := o.at(ctx, c)
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
func plain[In any](o *office, name, doc string, run func(context.Context, *look, In) (any, error)) tool.Tool {
	return reading(o, name, doc, func(ctx context.Context, l *look, in In) (json.RawMessage, []dossier.Evidence, []dossier.Finding, error) {
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

func (o *office) sectionContext() tool.Tool {
	return plain(o, "get_section_context", "Returns a section's title, instructions, current draft and the notes of the last review, to be answered one by one.",
		func(_ context.Context, l *look, in sectionIn) (any, error) {
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

func (o *office) chartCategories() tool.Tool {
	return plain(o, "list_chart_categories", "Returns the categories of charts in this run, with how many charts each has.",
		func(_ context.Context, l *look, _ struct{}) (any, error) { return l.Catalog.Categories(), nil })
}

type listIn struct {
	Category string `json:"category,omitempty" jsonschema:"only charts of this category"`
	Section  string `json:"section_id,omitempty" jsonschema:"only charts linked to this section"`
}

func (o *office) listCharts() tool.Tool {
	return plain(o, "list_charts", "Returns what is known of the charts: title, units, dimensions, scenarios. Filter by category or section.",
		func(_ context.Context, l *look, in listIn) (any, error) {
			if in.Section != "" {
				if _, err := l.Outline.Section(in.Section); err != nil {
					return nil, err
				}
			}
			return draft.Charts(l.Catalog, in.Category, in.Section), nil
		})
}

func (o *office) sectionCharts() tool.Tool {
	return plain(o, "get_section_charts", "Returns the charts chosen for a section, and why each was chosen.",
		func(_ context.Context, l *look, in sectionIn) (any, error) {
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

func (o *office) chartData() tool.Tool {
	return reading(o, "get_chart_data", "Returns a chart's schema, its summary with the figures to state verbatim and, if asked, its rows.",
		func(ctx context.Context, l *look, in dataIn) (json.RawMessage, []dossier.Evidence, []dossier.Finding, error) {
			ch, err := l.Catalog.Chart(in.Chart)
			if err != nil {
				return nil, nil, nil, err
			}
			t, err := l.Backend.Table(ctx, ch)
			if err != nil {
				return nil, nil, nil, err
			}
			most := o.cfg.MaxRows
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

func (o *office) chartImage() tool.Tool {
	return plain(o, "get_chart_image", "Returns a chart's picture as a base64 PNG, for models that can see.",
		func(_ context.Context, l *look, in chartIn) (any, error) {
			ch, err := l.Catalog.Chart(in.Chart)
			if err != nil {
				return nil, err
			}
			data, err := l.Catalog.Image(ch)
			return imageOut{"image/png", data}, err
		})
}

func (o *office) plotSpec() tool.Tool {
	return plain(o, "get_plot_spec", "Returns a chart's Plotly specification with its arrays written out.",
		func(_ context.Context, l *look, in chartIn) (any, error) {
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

func (o *office) compareScenarios() tool.Tool {
	return plain(o, "compare_scenarios", "Sets two scenarios of a chart side by side for a year: each row, the totals and the differences.",
		func(ctx context.Context, l *look, in compareIn) (any, error) {
			ch, t, err := l.table(ctx, in.Chart)
			if err != nil {
				return nil, err
			}
			return summary.Compare(ch, t, l.Catalog.Scenario(in.A), l.Catalog.Scenario(in.B), in.Year)
		})
}

func (l *look) table(ctx context.Context, id string) (*catalog.Chart, *catalog.Table, error) {
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

func (o *office) trendSummary() tool.Tool {
	return plain(o, "trend_summary", "Describes how a chart's rows and totals move over the years: ends, change, peak, low and direction.",
		func(ctx context.Context, l *look, in trendIn) (any, error) {
			ch, t, err := l.table(ctx, in.Chart)
			if err != nil {
				return nil, err
			}
			return summary.Trends(ch, t, in.Label)
		})
}

func (o *office) checkConsistency() tool.Tool {
	return reading(o, "check_consistency", "Compares what stands in two of a section's charts and reports every disagreement beyond rounding.",
		func(ctx context.Context, l *look, in sectionIn) (json.RawMessage, []dossier.Evidence, []dossier.Finding, error) {
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
			f := judgeConsistency(pairs)
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

func (o *office) sqlQuery() tool.Tool {
	return plain(o, "sql_query", "Answers one read-only SQL statement over the run's charts, each a table named by its id. Rows and time are limited.",
		func(ctx context.Context, l *look, in queryIn) (any, error) {
			return l.Backend.Query(ctx, in.SQL, catalog.Limits{Rows: o.cfg.SQLRows, Time: o.cfg.SQLTime})
		})
}
