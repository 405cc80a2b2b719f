package writer

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"dossier"
	"dossier/apps/report/draft"
	"dossier/apps/report/narrator"
	"dossier/apps/report/summary"
	"dossier/internal/agent"
	"dossier/internal/eval"
	"dossier/internal/model"
	"dossier/internal/tool"
)

// A Sheet is a place for one section of an open report that keeps its drafts in
// memory: what commands that work on files and evaluations write on.
type Sheet struct {
	Report  *draft.Report
	Section string

	mu      sync.Mutex
	text    string
	verdict draft.Verdict
	rounds  int
}

// NewDesk returns a desk with a sheet as its place. It asks nobody to make anything
// final.
func (s *Sheet) NewDesk() *Desk {
	n := 0
	return &Desk{
		Place: s, MaxRows: 2000, SQLRows: 200, SQLTime: 10 * time.Second, Model: "strong",
		NewID: func(prefix string) string { n++; return fmt.Sprintf("%s%08x", prefix, n) },
	}
}

// Open implements Place.
func (s *Sheet) Open(context.Context, tool.Call) (*Look, error) {
	return &Look{Report: s.Report, ID: "file", Section: s.Section, Lent: true}, nil
}

// Evidence implements Place: the rows of the section's charts.
func (s *Sheet) Evidence(ctx context.Context, _ tool.Call) ([]dossier.Evidence, error) {
	c, err := s.Report.Context(ctx, s.Section)
	if err != nil {
		return nil, err
	}
	var out []dossier.Evidence
	for _, ch := range c.Charts {
		e := summary.Evidence(ch.Chart, ch.Table, "run folder")
		e.ID = draft.FileEvidence(ch.Chart.ID)
		out = append(out, e)
	}
	return out, nil
}

// Round implements Place.
func (s *Sheet) Round(context.Context, *Look) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.rounds + 1, nil
}

// Keep implements Place. A text that the outline could not hold is refused.
func (s *Sheet) Keep(_ context.Context, _ tool.Call, w Written, v draft.Verdict) error {
	if _, err := s.Report.Outline.SetContent(w.Section, w.Text); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.text, s.verdict, s.rounds = w.Text, v, w.Round
	return nil
}

// A Piece is a section as it was written away from the product.
type Piece struct {
	Text     string
	Verdict  draft.Verdict
	First    WriteIn  // the first draft put forward
	By       string   // who wrote the text: "openai/…", "reference/writer"
	Refused  []string // why earlier drafts were not kept, oldest first
	Fallback string   // why the reference policy stepped in; "": it did not
	Failure  string   // why no text holds; "": one does
	Trace    eval.Trace
	Path     eval.Path
}

// Play has a section written by whoever plays the writer, through the loop and the
// checks of the product.
func (s *Sheet) Play(ctx context.Context, st eval.Stage, who eval.Player) (Piece, error) {
	if _, err := s.Report.Outline.Section(s.Section); err != nil {
		return Piece{}, err
	}
	input, err := json.Marshal(Task{"file", s.Section})
	if err != nil {
		return Piece{}, fmt.Errorf("encode task: %w", err)
	}
	st.Agents = []*agent.Agent{s.NewDesk().Agent()}
	p := Piece{}
	if p.Trace, err = eval.PlayAgent(ctx, st, Name, input, who); err != nil {
		return p, err
	}
	if p.Path, err = p.Trace.Path(); err != nil {
		return p, err
	}
	last, err := p.read()
	if err != nil {
		return p, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.rounds > 0 {
		p.Text, p.Verdict = s.text, s.verdict
		return p, nil
	}
	p.Failure = "The writer put no draft forward."
	if last != nil {
		p.Text, p.Failure = last.Content, "No draft holds."
		p.Verdict, err = s.Judge(ctx, last.Content, last.Answers)
	}
	return p, err
}

// Author returns who wrote the draft that a run's steps put forward last, "" if none.
func Author(steps []dossier.Step) (string, error) {
	p := Piece{Trace: eval.Trace{Steps: steps}}
	_, err := p.read()
	return p.By, err
}

// read finds in the steps who wrote what, and returns the last draft put forward.
func (p *Piece) read() (*WriteIn, error) {
	by := map[string]string{}
	var last *WriteIn
	for _, step := range p.Trace.Steps {
		switch step.Kind {
		case dossier.ModelTurn:
			t, err := agent.TurnOf(step)
			if err != nil {
				return nil, err
			}
			if p.Fallback == "" {
				p.Fallback = t.Fallback
			}
			for _, c := range t.Calls {
				by[c.ID] = t.Model
				var in WriteIn
				if c.Tool == "write_section_draft" && json.Unmarshal(c.Args, &in) == nil {
					if last == nil {
						p.First = in
					}
					last = &in
				}
			}
		case dossier.Returned:
			c, err := agent.CameOf(step)
			if err != nil {
				return nil, err
			}
			if c.Tool != "write_section_draft" {
				continue
			}
			p.By = by[c.Call]
			if c.Failed {
				p.Refused = append(p.Refused, by[c.Call]+": "+model.Return{Value: c.Value, Failed: true}.Problem())
			}
		default:
		}
	}
	return last, nil
}

// Judge checks a text as the section's draft.
func (s *Sheet) Judge(ctx context.Context, text string, answers []narrator.Answer) (draft.Verdict, error) {
	c, err := s.Report.Context(ctx, s.Section)
	if err != nil {
		return draft.Verdict{}, err
	}
	f, err := c.Facts(nil)
	if err != nil {
		return draft.Verdict{}, err
	}
	return c.Check(text, f, answers), nil
}
