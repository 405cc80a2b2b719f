// Package draft puts a report together: it holds an outline, a run's charts and the
// map between them, gathers what a section is written from, and judges what was
// written. A draft passes only if every numeral in it resolves to a cell or to a
// declared computation, every scenario of its charts is named, every chart is used or
// its omission said, and each note of the last review is answered by words that were
// not there before, or stays open.
//
// Who writes, the narrator or a model, makes no difference to the judgement. The
// package keeps nothing; files are written by its callers.
package draft

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"dossier"
	"dossier/apps/report/catalog"
	"dossier/apps/report/mapping"
	"dossier/apps/report/narrator"
	"dossier/apps/report/outline"
	"dossier/apps/report/summary"
	"dossier/internal/faith"
)

// A Report is an outline with the run it is written from.
type Report struct {
	Outline *outline.Outline
	Catalog *catalog.Catalog
	Backend catalog.Backend
	Map     mapping.Map
}

// Files name what a report is loaded from.
type Files struct {
	Outline  string // a Markdown file
	DataRoot string // a run folder
	Map      string // section_chart_map.json; "": beside the outline or in the data root, if there
}

// Load reads a report's files. Close it when done.
func Load(ctx context.Context, f Files) (*Report, error) {
	source, err := os.ReadFile(f.Outline)
	if err != nil {
		return nil, dossier.Errorf(dossier.NotFound, "The outline %q cannot be read.", f.Outline).Because(err)
	}
	return LoadText(ctx, source, f)
}

// LoadText is Load with the outline's text at hand.
func LoadText(ctx context.Context, source []byte, f Files) (*Report, error) {
	o, err := outline.Parse(source)
	if err != nil {
		return nil, err
	}
	m, err := loadMap(f)
	if err != nil {
		return nil, err
	}
	return load(ctx, o, m, f.DataRoot)
}

// LoadStored opens a report whose outline and map are at hand.
func LoadStored(ctx context.Context, source, chartMap []byte, dataRoot string) (*Report, error) {
	o, err := outline.Parse(source)
	if err != nil {
		return nil, err
	}
	m, err := mapping.Parse(chartMap)
	if err != nil {
		return nil, err
	}
	return load(ctx, o, m, dataRoot)
}

func load(ctx context.Context, o *outline.Outline, m mapping.Map, dataRoot string) (*Report, error) {
	c, err := catalog.Open(ctx, dataRoot)
	if err != nil {
		return nil, err
	}
	backend, err := catalog.NewBackend(ctx, c)
	if err != nil {
		return nil, err
	}
	r := &Report{Outline: o, Catalog: c, Backend: backend, Map: m}
	mapping.Link(r.Selections(), c)
	return r, nil
}

func loadMap(f Files) (mapping.Map, error) {
	names := []string{filepath.Join(filepath.Dir(f.Outline), "section_chart_map.json"), filepath.Join(f.DataRoot, "section_chart_map.json")}
	if f.Map != "" {
		names = []string{f.Map}
	}
	for _, name := range names {
		data, err := os.ReadFile(name)
		if os.IsNotExist(err) && f.Map == "" {
			continue
		}
		if err != nil {
			return nil, dossier.Errorf(dossier.NotFound, "The section-chart map %q cannot be read.", name).Because(err)
		}
		return mapping.Parse(data)
	}
	return mapping.Map{}, nil
}

// Close gives the run folder back.
func (r *Report) Close() error {
	if err := r.Backend.Close(); err != nil {
		return err
	}
	return r.Catalog.Close()
}

// Selections chooses the charts of every section, in order.
func (r *Report) Selections() []mapping.Selection {
	out := make([]mapping.Selection, len(r.Outline.Sections))
	for i := range r.Outline.Sections {
		out[i] = r.Map.Select(&r.Outline.Sections[i], r.Catalog)
	}
	return out
}

// UnknownSections names the map's entries that are no section of the outline: most
// likely the section they are meant for gets its charts by relevance.
func (r *Report) UnknownSections() []string {
	var out []string
	for _, id := range slices.Sorted(maps.Keys(r.Map)) {
		if _, err := r.Outline.Section(id); err != nil {
			out = append(out, fmt.Sprintf("The map has an entry %q, which is no section of the outline.", id))
		}
	}
	return out
}

// MapProblems says what of the map leads nowhere.
func (r *Report) MapProblems() []string {
	out := r.UnknownSections()
	for _, sel := range r.Selections() {
		for _, p := range sel.Problems {
			out = append(out, sel.Section+": "+p)
		}
	}
	return out
}

// A Context is what one section is written from.
type Context struct {
	Section   outline.Section
	Selection mapping.Selection
	Charts    []narrator.Chart
	Omitted   map[string]string // chart ID to why its data cannot be used
	Disagree  []summary.Disagreement
	Scenarios []string // of the section's charts
	Notes     []outline.Note
	Children  []string // titles of the sections below

	// Early judges as versions 1 and 2 of the checks did: a name counts as said wherever
	// its letters stand, and figures are declared as [summary.Declare2] does.
	Early bool

	run []string                      // scenarios of the whole run
	ids map[string]dossier.EvidenceID // where each chart's rows are recorded, by chart ID
}

// NewContext is a context rebuilt from recorded rows. run names the scenarios of the
// whole run.
func NewContext(s outline.Section, sel mapping.Selection, charts []narrator.Chart, omitted map[string]string, run []string, notes []outline.Note) *Context {
	var pairs []summary.Pair
	for _, ch := range charts {
		pairs = append(pairs, summary.Pair{Chart: ch.Chart, Table: ch.Table})
	}
	_, disagree := summary.Consistency(pairs)
	return &Context{
		Section: s, Selection: sel, Charts: charts, Omitted: omitted, Disagree: disagree,
		Scenarios: scenarios(charts), Notes: notes, run: run,
	}
}

// Run returns the scenarios of the whole run.
func (c *Context) Run() []string { return c.run }

// Context gathers what a section is written from.
func (r *Report) Context(ctx context.Context, id string) (*Context, error) {
	s, err := r.Outline.Section(id)
	if err != nil {
		return nil, err
	}
	c := &Context{
		Section: *s, Selection: r.Map.Select(s, r.Catalog), Omitted: map[string]string{},
		Notes: outline.SplitNotes(s.Notes), run: r.Catalog.Scenarios(),
	}
	for _, o := range r.Outline.Sections {
		if o.ParentID == id {
			c.Children = append(c.Children, o.Title)
		}
	}
	var pairs []summary.Pair
	for _, choice := range c.Selection.Choices {
		ch, err := r.Catalog.Chart(choice.Key)
		if err != nil {
			return nil, err
		}
		t, err := r.Backend.Table(ctx, ch)
		if err != nil {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			c.Omitted[ch.ID] = dossier.Message(err)
			continue
		}
		c.Charts = append(c.Charts, narrator.Chart{Chart: ch, Table: t, Summary: summary.Of(ch, t)})
		pairs = append(pairs, summary.Pair{Chart: ch, Table: t})
	}
	_, c.Disagree = summary.Consistency(pairs)
	c.Scenarios = scenarios(c.Charts)
	return c, nil
}

func scenarios(charts []narrator.Chart) []string {
	var out []string
	seen := map[string]bool{}
	for _, ch := range charts {
		for _, s := range ch.Summary.Summary.Scenarios {
			if !seen[s] {
				seen[s] = true
				out = append(out, s)
			}
		}
	}
	return out
}

// Input is the section as the narrator takes it.
func (c *Context) Input() narrator.Input {
	return narrator.Input{
		Section: c.Section, Charts: c.Charts, Scenarios: c.Scenarios, Disagree: c.Disagree,
		Notes: c.Notes, Children: c.Children, Omitted: c.Omitted,
	}
}

// FileEvidence is the evidence ID of a chart where no case records it.
func FileEvidence(chartID string) dossier.EvidenceID { return dossier.EvidenceID("chart:" + chartID) }

// Facts declares the section's cells and figures. ids says which evidence holds each
// chart's rows; a chart it lacks is referred to by its name.
func (c *Context) Facts(ids map[string]dossier.EvidenceID) (*faith.Facts, error) {
	f, declare := &faith.Facts{Claims: true}, summary.Declare
	if c.Early {
		declare = summary.Declare2
	}
	c.ids = ids
	for _, ch := range c.Charts {
		id, ok := ids[ch.Chart.ID]
		if !ok {
			id = FileEvidence(ch.Chart.ID)
		}
		if err := declare(f, id, ch.Chart, ch.Table); err != nil {
			return nil, err
		}
		summary.Names(f, c.run, ch.Table)
		for _, t := range ch.Summary.Schema.Columns {
			f.Allow(t)
		}
	}
	f.Add(faith.Fact{Ref: faith.Ref{Computed: "scenarios"}, Value: faith.Int(len(c.Scenarios)), Unit: faith.None, Label: "scenarios"})
	f.Add(faith.Fact{Ref: faith.Ref{Computed: "charts"}, Value: faith.Int(len(c.Charts)), Unit: faith.None, Label: "charts of the section"})
	f.Add(faith.Fact{Ref: faith.Ref{Computed: "run scenarios"}, Value: faith.Int(len(c.run)), Unit: faith.None, Label: "scenarios of the run", Counts: "scenarios"})
	for _, s := range c.run {
		f.Name("scenario", s, summary.Aliases(s, c.run)...)
	}
	return f, nil
}

// A Verdict is the judgement on one draft.
type Verdict struct {
	OK       bool         `json:"ok"`
	Faith    faith.Report `json:"faith"`
	Coverage Coverage     `json:"coverage"`
	Notes    []Closure    `json:"notes,omitempty"`
	Reasons  []string     `json:"reasons"` // why it does not pass, for people and for the next try
}

// Coverage says what a draft speaks of.
type Coverage struct {
	Scenarios []string `json:"scenarios"`         // named
	Silent    []string `json:"silent,omitempty"`  // scenarios it does not name
	Charts    []string `json:"charts"`            // used
	Missing   []string `json:"missing,omitempty"` // charts neither used nor said to be left out
}

// A Closure says what became of one review note.
type Closure struct {
	outline.Note
	Closed bool   `json:"closed"`
	Quote  string `json:"quote,omitempty"` // the new words that answer it
	Why    string `json:"why"`
}

// Check judges a text as the section's draft.
func (c *Context) Check(text string, f *faith.Facts, answers []narrator.Answer) Verdict {
	v := Verdict{Faith: faith.Check(text, f), Reasons: []string{}}
	for _, n := range v.Faith.Problems() {
		v.Reasons = append(v.Reasons, fmt.Sprintf("Byte %d: %s", n.Start, n.Problem))
	}
	v.Coverage = c.coverage(text, v.Faith)
	for _, s := range v.Coverage.Silent {
		v.Reasons = append(v.Reasons, fmt.Sprintf("The draft does not name the scenario %s.", s))
	}
	for _, id := range v.Coverage.Missing {
		v.Reasons = append(v.Reasons, fmt.Sprintf("The draft neither uses the chart %s nor says why it is left out.", id))
	}
	if strings.TrimSpace(text) == "" {
		v.Reasons = append(v.Reasons, "The draft is empty.")
	}
	v.Notes = c.closures(text, answers)
	v.OK = len(v.Reasons) == 0
	return v
}
