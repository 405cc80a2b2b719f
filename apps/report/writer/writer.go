package writer

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"dossier"
	"dossier/apps/report/draft"
	"dossier/apps/report/narrator"
	"dossier/apps/report/outline"
	"dossier/apps/report/summary"
	"dossier/internal/agent"
	"dossier/internal/tool"
)

// Name is the agent's name.
const Name = "writer"

// Prompt is what a writer is told before anything else.
//
//go:embed prompts/writer.md
var Prompt string

// A Place is where a report lies and its drafts are kept.
type Place interface {
	// Open returns the report and the section that a call is about. Close it.
	Open(ctx context.Context, c tool.Call) (*Look, error)
	// Evidence returns what was seen in the call's case so far.
	Evidence(ctx context.Context, c tool.Call) ([]dossier.Evidence, error)
	// Round returns the number of the draft that would be kept next.
	Round(ctx context.Context, l *Look) (int, error)
	// Keep stores a draft that holds.
	Keep(ctx context.Context, c tool.Call, w Written, v draft.Verdict) error
}

// A Look is a report opened for one tool call.
type Look struct {
	*draft.Report
	ID      string // of the report
	Section string // that may be written
	Lent    bool   // the place closes the report itself
}

// Close gives the report back.
func (l *Look) Close() error {
	if l.Lent {
		return nil
	}
	return l.Report.Close()
}

// A Desk is what a writer works at.
type Desk struct {
	Place   Place
	Readers []dossier.Role // who may look
	Writers []dossier.Role // who may have drafts kept
	MaxRows int            // most rows of one chart given to a model
	SQLRows int            // most rows a query returns
	SQLTime time.Duration  // longest a query may run
	Model   string         // alias that writes
	NewID   func(prefix string) string
}

// A Task is what the writer is started with.
type Task struct {
	Report  string `json:"report" jsonschema:"the report's id"`
	Section string `json:"section" jsonschema:"the section's id"`
}

// An Outcome is what the writer answers.
type Outcome struct {
	Section string `json:"section_id"`
	Status  string `json:"status" jsonschema:"written, final, sent_back or refused"`
	Round   int    `json:"round"`
	Note    string `json:"note,omitempty" jsonschema:"why it was sent back or refused"`
}

// Agent returns the writer with its tools and those given.
func (d *Desk) Agent(more ...tool.Tool) *agent.Agent {
	return &agent.Agent{
		Name: Name, Doc: "Writes one section of a report from the run's charts and asks a reviewer to make it final.",
		Prompt: Prompt, Model: d.Model, Policy: Policy, Check: check,
		Tools: slices.Concat(d.Looks(), []tool.Tool{d.Write()}, more),
		Input: tool.SchemaOf[Task](), Output: tool.SchemaOf[Outcome](),
		Limits: agent.Limits{Turns: 40, Refused: 2, Failed: 2},
	}
}

// check refuses an answer while no draft of the section holds, so that a writer who
// gives up is asked once more and then replaced.
func check(_ context.Context, a agent.Draft) error {
	missing := false
	for _, r := range a.Returns {
		switch {
		case r.Tool == "write_section_draft" && !r.Failed:
			return nil
		case r.Tool == "get_section_context":
			missing = r.Failed
		}
	}
	if missing {
		return nil
	}
	return dossier.Errorf(dossier.Invalid, "No draft of the section holds yet. Call write_section_draft with one that does.")
}

// WriteIn is a draft with the words that answer each review note.
type WriteIn struct {
	Section string            `json:"section_id" jsonschema:"the section's id"`
	Content string            `json:"content" jsonschema:"the draft as Markdown, without headings"`
	Answers []narrator.Answer `json:"answers,omitempty" jsonschema:"for each review note, the exact words that answer it or why none can"`
}

// WriteOut is what became of a draft.
type WriteOut struct {
	Section  string          `json:"section_id"`
	Round    int             `json:"round"`
	Numerals int             `json:"numerals"` // all of them resolved
	Notes    []draft.Closure `json:"notes,omitempty"`
}

// Write is the tool that checks and keeps a draft.
func (d *Desk) Write() tool.Tool {
	return tool.Def[WriteIn, WriteOut]{
		Name: "write_section_draft", Roles: d.Writers, Effect: tool.Write,
		Doc: "Checks and stores the draft of a section. A draft with a numeral that no chart holds, a scenario left out or a chart not used comes back refused, with every reason.",
		Run: d.write,
	}.Tool()
}

func (d *Desk) write(ctx context.Context, c tool.Call, in WriteIn) (tool.Output[WriteOut], error) {
	var none tool.Output[WriteOut]
	l, err := d.Place.Open(ctx, c)
	if err != nil {
		return none, err
	}
	defer l.Close()
	if in.Section != l.Section {
		return none, dossier.Errorf(dossier.Forbidden, "This run writes the section %q and no other.", l.Section)
	}
	if err := wellFormed(in.Content, l.Catalog); err != nil {
		return none, err
	}
	chain, err := d.Place.Evidence(ctx, c)
	if err != nil {
		return none, err
	}
	w, err := d.written(ctx, l, in)
	if err != nil {
		return none, err
	}
	cited := chartsCited(chain, w.Charts)
	if len(cited) == 0 && len(w.Charts) > len(w.Omitted) {
		return none, dossier.Errorf(dossier.Invalid, "The draft is not kept. None of the section's charts was looked at; call get_chart_data for %s first.", strings.Join(w.Charts, ", "))
	}
	e := dossier.NewEvidence(KindDraft, dossier.Source{System: "report", Locator: l.ID + "/" + in.Section, Fetched: c.Now}, w, "Draft of %s, round %d", w.Title, w.Round)
	e.ID = dossier.EvidenceID(d.NewID("ev-"))
	_, v, err := rejudge(append([]dossier.Evidence{e}, cited...), RulesVersion)
	if err != nil {
		return none, err
	}
	if !v.OK {
		return none, refusal(v)
	}
	if err := d.Place.Keep(ctx, c, w, v); err != nil {
		return none, err
	}
	ids := []dossier.EvidenceID{e.ID}
	for _, t := range cited {
		ids = append(ids, t.ID)
	}
	faithful, covered := judgeFaith(w, v, RulesVersion), judgeCoverage(w, v, RulesVersion)
	faithful.Cites, covered.Cites = ids, ids
	return tool.Output[WriteOut]{
		Value:    WriteOut{in.Section, w.Round, len(v.Faith.Numerals), v.Notes},
		Evidence: []dossier.Evidence{e}, Findings: []dossier.Finding{faithful, covered},
	}, nil
}

// written gathers what a draft is judged with.
func (d *Desk) written(ctx context.Context, l *Look, in WriteIn) (Written, error) {
	s, err := l.Outline.Section(in.Section)
	if err != nil {
		return Written{}, err
	}
	round, err := d.Place.Round(ctx, l)
	if err != nil {
		return Written{}, err
	}
	w := Written{
		Report: l.ID, Section: s.ID, Title: s.Title, Round: round, Text: in.Content, Charts: []string{}, Omitted: map[string]string{},
		Scenarios: l.Catalog.Scenarios(), Notes: outline.SplitNotes(s.Notes), Before: s.Content, Answers: in.Answers,
	}
	for _, choice := range l.Map.Select(s, l.Catalog).Choices {
		w.Charts = append(w.Charts, choice.ChartID)
		if ch, err := l.Catalog.Chart(choice.Key); err == nil && ch.CSV == "" {
			w.Omitted[ch.ID] = "it has no data file."
		}
	}
	return w, nil
}

// chartsCited returns the newest look at each of the section's charts.
func chartsCited(chain []dossier.Evidence, charts []string) []dossier.Evidence {
	var out []dossier.Evidence
	for _, id := range charts {
		for _, e := range slices.Backward(chain) {
			if ChartOf(e) == id {
				out = append(out, e)
				break
			}
		}
	}
	return out
}

// ChartOf returns which chart's rows e holds, "" if none's.
func ChartOf(e dossier.Evidence) string {
	var rec struct {
		ChartID string `json:"chart_id"`
	}
	if e.Kind != summary.EvidenceKind || json.Unmarshal(e.Data, &rec) != nil {
		return ""
	}
	return rec.ChartID
}

// refusal lists why a draft is not kept.
func refusal(v draft.Verdict) error {
	text := ""
	for i, r := range v.Reasons {
		if i == 12 {
			text += fmt.Sprintf(" And %d more.", len(v.Reasons)-i)
			break
		}
		text += " " + r
	}
	return dossier.Errorf(dossier.Invalid, "The draft is not kept.%s", text)
}
