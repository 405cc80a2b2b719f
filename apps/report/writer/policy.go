package report

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"dossier"
	"dossier/apps/report/draft"
	"dossier/apps/report/mapping"
	"dossier/apps/report/narrator"
	"dossier/apps/report/outline"
	"dossier/apps/report/summary"
	"dossier/internal/agent"
	"dossier/internal/app"
	"dossier/internal/model"
	"dossier/internal/tool"
)

const writerName = "writer"

// outcome is what the writer answers.
type outcome struct {
	Section string `json:"section_id"`
	Status  string `json:"status" jsonschema:"final, sent_back or refused"`
	Round   int    `json:"round"`
	Note    string `json:"note,omitempty" jsonschema:"why it was sent back or refused"`
}

func (o *office) writer() *agent.Agent {
	return &agent.Agent{
		Name: writerName, Doc: "Writes one section of a report from the run's charts and asks a reviewer to make it final.",
		Prompt: prompt("writer"), Model: o.cfg.Model, Policy: writerPolicy,
		Tools: append(o.looks(), o.writeDraft(), o.finalize()),
		Input: tool.SchemaOf[task](), Output: tool.SchemaOf[outcome](),
		Limits: agent.Limits{Turns: 40},
	}
}

// writeIn is a draft with the words that answer each review note.
type writeIn struct {
	Section string            `json:"section_id" jsonschema:"the section's id"`
	Content string            `json:"content" jsonschema:"the draft as Markdown, without headings"`
	Answers []narrator.Answer `json:"answers,omitempty" jsonschema:"for each review note, the exact words that answer it or why none can"`
}

// writeOut is what became of a draft.
type writeOut struct {
	Section  string          `json:"section_id"`
	Round    int             `json:"round"`
	Numerals int             `json:"numerals"` // all of them resolved
	Notes    []draft.Closure `json:"notes,omitempty"`
}

func (o *office) writeDraft() tool.Tool {
	return tool.Def[writeIn, writeOut]{
		Name: "write_section_draft", Roles: []dossier.Role{analyst, dossier.Admin}, Effect: tool.Write,
		Doc: "Checks and stores the draft of a section. A draft with a numeral that no chart holds, a scenario left out or a chart not used comes back refused, with every reason.",
		Run: o.write,
	}.Tool()
}

func (o *office) write(ctx context.Context, c tool.Call, in writeIn) (tool.Output[writeOut], error) {
	var none tool.Output[writeOut]
	l, err := o.at(ctx, c)
	if err != nil {
		return none, err
	}
	defer l.Close()
	if in.Section != l.section {
		return none, dossier.Errorf(dossier.Forbidden, "This run writes the section %q and no other.", l.section)
	}
	chain, _, err := o.env.Desk.Facts(ctx, c.Case)
	if err != nil {
		return none, err
	}
	w, err := o.written(ctx, l, in)
	if err != nil {
		return none, err
	}
	cited := chartsCited(chain, w.Charts)
	e := dossier.NewEvidence(kindDraft, dossier.Source{System: "report", Locator: l.rec.ID + "/" + in.Section, Fetched: c.Now}, w, "Draft of %s, round %d", w.Title, w.Round)
	e.ID = dossier.EvidenceID(o.env.NewID("ev-"))
	_, v, err := rejudge(append([]dossier.Evidence{e}, cited...))
	if err != nil {
		return none, err
	}
	if !v.OK {
		return none, refusal(v)
	}
	if err := o.keep(ctx, c, l.rec.ID, w, v); err != nil {
		return none, err
	}
	ids := []dossier.EvidenceID{e.ID}
	for _, t := range cited {
		ids = append(ids, t.ID)
	}
	faithful, covered := judgeFaith(w, v), judgeCoverage(w, v)
	faithful.Cites, covered.Cites = ids, ids
	return tool.Output[writeOut]{
		Value:    writeOut{in.Section, w.Round, len(v.Faith.Numerals), v.Notes},
		Evidence: []dossier.Evidence{e}, Findings: []dossier.Finding{faithful, covered},
	}, nil
}

// written gathers what a draft is judged with.
func (o *office) written(ctx context.Context, l *look, in writeIn) (written, error) {
	s, err := l.Outline.Section(in.Section)
	if err != nil {
		return written{}, err
	}
	last, ok, err := o.book.latest(ctx, l.rec.ID, in.Section)
	if err != nil {
		return written{}, err
	}
	w := written{
		Report: l.rec.ID, Section: s.ID, Title: s.Title, Round: 1, Text: in.Content, Charts: []string{}, Omitted: map[string]string{},
		Scenarios: l.Catalog.Scenarios(), Notes: outline.SplitNotes(s.Notes), Before: s.Content, Answers: in.Answers,
	}
	if ok {
		w.Round = last.Round + 1
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
			if chartOf(e) == id {
				out = append(out, e)
				break
			}
		}
	}
	return out
}

// chartOf returns which chart's rows e holds, "" if none's.
func chartOf(e dossier.Evidence) string {
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

// keep stores a draft that passed, in the outline and as a round of its own.
func (o *office) keep(ctx context.Context, c tool.Call, report string, w written, v draft.Verdict) error {
	err := o.book.change(ctx, report, c.Now, func(rec record) ([]byte, error) {
		doc, err := outline.Parse([]byte(rec.Outline))
		if err != nil {
			return nil, err
		}
		return doc.SetContent(w.Section, w.Text)
	})
	if err != nil {
		return err
	}
	err = o.book.addDraft(ctx, stored{
		Report: report, Section: w.Section, Round: w.Round, Text: w.Text, Verdict: v, Status: "draft",
		Prompt: o.promptVersion(), Run: c.Run, Case: c.Case, Created: c.Now,
	})
	if err != nil {
		return err
	}
	_, err = o.env.Desk.Move(ctx, c.Case, app.Change{State: dossier.Waiting, Stage: "review", Note: fmt.Sprintf("Round %d is written.", w.Round), By: writerName})
	return err
}

func (o *office) promptVersion() string { return o.writer().Version() }

type finalIn struct {
	Section string `json:"section_id" jsonschema:"the section's id"`
	Round   int    `json:"round" jsonschema:"the round to make final, as write_section_draft returned it"`
}

type finalOut struct {
	Section string `json:"section_id"`
	Status  string `json:"status"`
	Round   int    `json:"round"`
}

func (o *office) finalize() tool.Tool {
	return tool.Def[finalIn, finalOut]{
		Name: "finalize_section", Roles: []dossier.Role{analyst, dossier.Admin}, Effect: tool.Write,
		Doc: "Asks a reviewer to make a draft the final text of its section, and does so once they agree.",
		Ask: func(finalIn) string { return "A section is final only after a person has read and accepted it." },
		Title: func(in finalIn) string {
			return fmt.Sprintf("Make round %d of the section “%s” final.", in.Round, in.Section)
		},
		Policy: tool.Policy{Approvers: []dossier.Role{reviewer, dossier.Admin}, Verbs: []dossier.Verb{dossier.Approve, dossier.Reject, dossier.Respond}, Remind: o.cfg.Expires},
		Run: func(ctx context.Context, c tool.Call, in finalIn) (tool.Output[finalOut], error) {
			report, section, err := o.section(ctx, c.Case)
			if err != nil {
				return tool.Output[finalOut]{}, err
			}
			d, ok, err := o.book.latest(ctx, report, section)
			if err != nil {
				return tool.Output[finalOut]{}, err
			}
			if section != in.Section || !ok || d.Round != in.Round || !d.Verdict.OK {
				return tool.Output[finalOut]{}, dossier.Errorf(dossier.Conflict, "Round %d of %q is not the draft that stands now.", in.Round, in.Section)
			}
			if err := o.book.settle(ctx, report, section, in.Round, "final"); err != nil {
				return tool.Output[finalOut]{}, err
			}
			_, err = o.env.Desk.Move(ctx, c.Case, app.Change{State: dossier.Closed, Stage: "final", Outcome: "final", Note: "A reviewer made the section final.", By: c.For.ID})
			return tool.Output[finalOut]{Value: finalOut{section, "final", in.Round}}, err
		},
	}.Tool()
}

// writerPolicy plays the writer: it looks at the section and its charts, writes with
// the narrator and asks for the section to be made final.
func writerPolicy(_ context.Context, req *model.Request) (*model.Reply, error) {
	var t task
	if err := req.Brief(&t, nil); err != nil {
		return nil, err
	}
	section := sectionIn{t.Section}
	about, ok := req.Last("get_section_context")
	if !ok {
		return req.Calling(model.Planned{Tool: "get_section_context", Args: section}, model.Planned{Tool: "get_section_charts", Args: section}), nil
	}
	charts, _ := req.Last("get_section_charts")
	if about.Failed || charts.Failed {
		return model.Answer(outcome{t.Section, "refused", 0, about.Problem() + charts.Problem()})
	}
	if final, ok := req.Last("finalize_section"); ok {
		return afterFinal(t.Section, final)
	}
	if wrote, ok := req.Last("write_section_draft"); ok {
		var out writeOut
		if wrote.Failed || wrote.Decode(&out) != nil {
			return model.Answer(outcome{t.Section, "refused", 0, wrote.Problem()})
		}
		return req.Calling(model.Planned{Tool: "finalize_section", Args: finalIn{t.Section, out.Round}}), nil
	}
	var sel mapping.Selection
	if err := charts.Decode(&sel); err != nil {
		return nil, err
	}
	if _, looked := req.Last("check_consistency"); !looked {
		calls := []model.Planned{}
		for _, c := range sel.Choices {
			calls = append(calls, model.Planned{Tool: "get_chart_data", Args: dataIn{Chart: c.Key, Rows: true}})
		}
		return req.Calling(append(calls, model.Planned{Tool: "check_consistency", Args: section})...), nil
	}
	d, err := narrate(req, about, sel)
	if err != nil {
		return nil, err
	}
	return req.Calling(model.Planned{Tool: "write_section_draft", Args: writeIn{t.Section, d.Text, d.Answers}}), nil
}

func afterFinal(section string, final model.Return) (*model.Reply, error) {
	var out finalOut
	if final.Failed || final.Decode(&out) != nil || out.Status != "final" {
		return model.Answer(outcome{section, "sent_back", 0, final.Problem()})
	}
	return model.Answer(outcome{section, "final", out.Round, ""})
}

// narrate rebuilds the narrator's input from what the tools returned.
func narrate(req *model.Request, about model.Return, sel mapping.Selection) (narrator.Draft, error) {
	var s sectionOut
	if err := about.Decode(&s); err != nil {
		return narrator.Draft{}, err
	}
	in := narrator.Input{
		Section: outline.Section{ID: s.ID, Title: s.Title, Instructions: s.Instructions, Content: s.Draft},
		Notes:   s.Notes, Children: s.Children, Omitted: map[string]string{},
	}
	for i, r := range req.Returns("get_chart_data") {
		if r.Failed {
			if i < len(sel.Choices) {
				in.Omitted[sel.Choices[i].ChartID] = r.Problem()
			}
			continue
		}
		var data draft.Data
		if err := r.Decode(&data); err != nil {
			return narrator.Draft{}, err
		}
		in.Charts = append(in.Charts, data.Narrated())
		for _, name := range data.Summary.Scenarios {
			if !slices.Contains(in.Scenarios, name) {
				in.Scenarios = append(in.Scenarios, name)
			}
		}
	}
	if r, ok := req.Last("check_consistency"); ok && !r.Failed {
		var c consistencyOut
		if err := r.Decode(&c); err != nil {
			return narrator.Draft{}, err
		}
		in.Disagree = c.Disagree
	}
	return narrator.Write(in), nil
}
