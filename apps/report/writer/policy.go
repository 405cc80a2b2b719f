package writer

import (
	"context"
	"encoding/json"
	"slices"

	"dossier/apps/report/draft"
	"dossier/apps/report/mapping"
	"dossier/apps/report/narrator"
	"dossier/apps/report/outline"
	"dossier/internal/model"
)

// FinalIn asks for a draft to be made final.
type FinalIn struct {
	Section string `json:"section_id" jsonschema:"the section's id"`
	Round   int    `json:"round" jsonschema:"the round to make final, as write_section_draft returned it"`
}

// FinalOut is what became of that.
type FinalOut struct {
	Section string `json:"section_id"`
	Status  string `json:"status"`
	Round   int    `json:"round"`
}

// Finalize is the name of the tool that makes a draft final, where there is one.
const Finalize = "finalize_section"

// Policy plays the writer: it looks at the section and its charts, writes with the
// narrator and, where it can, asks for the section to be made final. It may take over
// from a model at any point and uses what was looked at before.
func Policy(_ context.Context, req *model.Request) (*model.Reply, error) {
	var t Task
	if err := req.Brief(&t, nil); err != nil {
		return nil, err
	}
	section := sectionIn{t.Section}
	about, ok := lastFor(req, "get_section_context", t.Section)
	charts, both := lastFor(req, "get_section_charts", t.Section)
	if !ok || !both {
		return req.Calling(model.Planned{Tool: "get_section_context", Args: section}, model.Planned{Tool: "get_section_charts", Args: section}), nil
	}
	if about.Failed || charts.Failed {
		return model.Answer(Outcome{t.Section, "refused", 0, about.Problem() + charts.Problem()})
	}
	wrote, any := req.Last("write_section_draft")
	if any && !wrote.Failed {
		return afterDraft(req, t.Section, wrote)
	}
	var sel mapping.Selection
	if err := charts.Decode(&sel); err != nil {
		return nil, err
	}
	seen := chartsSeen(req)
	var calls []model.Planned
	for _, c := range sel.Choices {
		if _, ok := seen[c.Key]; !ok {
			calls = append(calls, model.Planned{Tool: "get_chart_data", Args: dataIn{Chart: c.Key, Rows: true}})
		}
	}
	if _, ok := lastFor(req, "check_consistency", t.Section); !ok {
		calls = append(calls, model.Planned{Tool: "check_consistency", Args: section})
	}
	if len(calls) > 0 {
		return req.Calling(calls...), nil
	}
	d, err := narrate(req, about, sel, seen)
	if err != nil {
		return nil, err
	}
	if any && tried(req, d.Text) {
		return model.Answer(Outcome{t.Section, "refused", 0, wrote.Problem()})
	}
	return req.Calling(model.Planned{Tool: "write_section_draft", Args: WriteIn{t.Section, d.Text, d.Answers}}), nil
}

// afterDraft asks for a kept draft to be made final, or answers.
func afterDraft(req *model.Request, section string, wrote model.Return) (*model.Reply, error) {
	var out WriteOut
	if err := wrote.Decode(&out); err != nil {
		return nil, err
	}
	if !req.Offers(Finalize) {
		return model.Answer(Outcome{section, "written", out.Round, ""})
	}
	final, ok := req.Last(Finalize)
	if !ok {
		return req.Calling(model.Planned{Tool: Finalize, Args: FinalIn{section, out.Round}}), nil
	}
	var done FinalOut
	if final.Failed || final.Decode(&done) != nil || done.Status != "final" {
		return model.Answer(Outcome{section, "sent_back", 0, final.Problem()})
	}
	return model.Answer(Outcome{section, "final", done.Round, ""})
}

// A look is a call with what it came back with.
type look struct {
	args json.RawMessage
	model.Return
}

// looksAt returns the calls of a tool that came back, in order.
func looksAt(req *model.Request, name string) []look {
	args := map[string]json.RawMessage{}
	for _, m := range req.Messages {
		for _, p := range m.Parts {
			if c, ok := p.(model.Call); ok {
				args[c.ID] = c.Args
			}
		}
	}
	var out []look
	for _, r := range req.Returns(name) {
		out = append(out, look{args[r.ID], r})
	}
	return out
}

// lastFor returns the newest return of a tool that was asked about a section.
func lastFor(req *model.Request, name, section string) (model.Return, bool) {
	for _, l := range slices.Backward(looksAt(req, name)) {
		var in sectionIn
		if json.Unmarshal(l.args, &in) == nil && in.Section == section {
			return l.Return, true
		}
	}
	return model.Return{}, false
}

// chartsSeen returns the newest look at each chart with all its rows, by the name it
// was asked for; a look that failed counts where there is no better one.
func chartsSeen(req *model.Request) map[string]model.Return {
	out := map[string]model.Return{}
	for _, l := range looksAt(req, "get_chart_data") {
		var in dataIn
		if json.Unmarshal(l.args, &in) != nil || in.Scenario != "" || in.MaxRows > 0 || !in.Rows && !l.Failed {
			continue
		}
		if old, ok := out[in.Chart]; !ok || old.Failed || !l.Failed {
			out[in.Chart] = l.Return
		}
	}
	return out
}

// tried reports whether a draft with this text was put forward before.
func tried(req *model.Request, text string) bool {
	for _, l := range looksAt(req, "write_section_draft") {
		var in WriteIn
		if json.Unmarshal(l.args, &in) == nil && in.Content == text {
			return true
		}
	}
	return false
}

// narrate rebuilds the narrator's input from what the tools returned.
func narrate(req *model.Request, about model.Return, sel mapping.Selection, seen map[string]model.Return) (narrator.Draft, error) {
	var s sectionOut
	if err := about.Decode(&s); err != nil {
		return narrator.Draft{}, err
	}
	in := narrator.Input{
		Section: outline.Section{ID: s.ID, Title: s.Title, Instructions: s.Instructions, Content: s.Draft},
		Notes:   s.Notes, Children: s.Children, Omitted: map[string]string{},
	}
	for _, c := range sel.Choices {
		r := seen[c.Key]
		if r.Failed {
			in.Omitted[c.ChartID] = r.Problem()
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
	if r, ok := lastFor(req, "check_consistency", s.ID); ok && !r.Failed {
		var c consistencyOut
		if err := r.Decode(&c); err != nil {
			return narrator.Draft{}, err
		}
		in.Disagree = c.Disagree
	}
	return narrator.Write(in), nil
}
