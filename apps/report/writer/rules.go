package writer

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"dossier"
	"dossier/apps/report/draft"
	"dossier/apps/report/mapping"
	"dossier/apps/report/narrator"
	"dossier/apps/report/outline"
	"dossier/apps/report/summary"
	"dossier/internal/app"
)

// KindDraft is the evidence that holds a section's draft.
const KindDraft = "section_draft"

// A Written is a draft as evidence holds it, with all that judging it needs beside the
// charts' rows.
type Written struct {
	Report    string            `json:"report"`
	Section   string            `json:"section"`
	Title     string            `json:"title"`
	Round     int               `json:"round"`
	Text      string            `json:"text"`
	Charts    []string          `json:"charts"`            // chosen for the section
	Omitted   map[string]string `json:"omitted,omitempty"` // charts whose data cannot be used
	Scenarios []string          `json:"scenarios"`         // of the whole run
	Notes     []outline.Note    `json:"notes,omitempty"`
	Before    string            `json:"before,omitempty"` // the draft of the round before
	Answers   []narrator.Answer `json:"answers,omitempty"`
}

// RulesVersion is the version of the checks on a draft.
const RulesVersion = "3"

// consistencyVersion is the version of the check on the charts.
const consistencyVersion = "2"

// Rules recompute the findings from a draft and the rows it cites. Version 1 judged
// numerals alone; version 2 also what is said of them in words; version 3 takes as a
// scenario's or a chart's name only words of their own, a cell and a picture as a use of
// their chart, and compares scenarios by all rows of a label.
var Rules = []app.Rule{
	faithRule("1"), coverageRule("1"), faithRule("2"), coverageRule("2"), faithRule(RulesVersion), coverageRule(RulesVersion),
	{Name: "consistency", Version: "1", Doc: "Whether the section's charts agree to two decimals on what they both state.", Apply: applyConsistency("1", summary.Consistency1)},
	{Name: "consistency", Version: consistencyVersion, Doc: "Whether the section's charts agree, as far as their cells are rounded, on what they both state.", Apply: applyConsistency(consistencyVersion, summary.Consistency)},
}

func faithRule(version string) app.Rule {
	return app.Rule{Name: "faith", Version: version, Doc: "Whether every numeral of a draft, and from version 2 every rank, multiple and share in words, resolves to a cell or a declared computation.", Apply: judged(version, judgeFaith)}
}

func coverageRule(version string) app.Rule {
	return app.Rule{Name: "coverage", Version: version, Doc: "Whether a draft names every scenario and uses every chart or says why not.", Apply: judged(version, judgeCoverage)}
}

// judged makes a rule of a judgement on a draft.
func judged(version string, judge func(Written, draft.Verdict, string) dossier.Finding) func([]dossier.Evidence) (dossier.Finding, error) {
	return func(cited []dossier.Evidence) (dossier.Finding, error) {
		w, v, err := rejudge(cited, version)
		if err != nil {
			return dossier.Finding{}, err
		}
		return judge(w, v, version), nil
	}
}

// rejudge checks the newest draft among some evidence against the rows among it.
func rejudge(cited []dossier.Evidence, version string) (Written, draft.Verdict, error) {
	var w Written
	i := slices.IndexFunc(cited, func(e dossier.Evidence) bool { return e.Kind == KindDraft })
	if i < 0 {
		return w, draft.Verdict{}, dossier.Errorf(dossier.Invalid, "No draft is cited.")
	}
	if err := json.Unmarshal(cited[i].Data, &w); err != nil {
		return w, draft.Verdict{}, fmt.Errorf("draft evidence %s: %w", cited[i].ID, err)
	}
	c, ids, err := w.context(cited)
	if err != nil {
		return w, draft.Verdict{}, err
	}
	c.Early = version == "1" || version == "2"
	f, err := c.Facts(ids)
	if err != nil {
		return w, draft.Verdict{}, err
	}
	if version == "1" {
		f = f.Plain()
	}
	return w, c.Check(w.Text, f, w.Answers), nil
}

// context rebuilds what the draft was written from.
func (w Written) context(seen []dossier.Evidence) (*draft.Context, map[string]dossier.EvidenceID, error) {
	section := outline.Section{ID: w.Section, Title: w.Title, Content: w.Before}
	var charts []narrator.Chart
	ids := map[string]dossier.EvidenceID{}
	newest, err := newestTables(seen)
	if err != nil {
		return nil, nil, err
	}
	sel := mapping.Selection{Section: w.Section}
	for _, id := range w.Charts {
		sel.Choices = append(sel.Choices, mapping.Choice{ChartID: id, Key: id})
		if t, ok := newest[id]; ok {
			charts = append(charts, t.chart)
			ids[id] = t.evidence
		}
	}
	return draft.NewContext(section, sel, charts, w.Omitted, w.Scenarios, w.Notes), ids, nil
}

type seenTable struct {
	chart    narrator.Chart
	evidence dossier.EvidenceID
}

// newestTables returns the latest look at each chart among some evidence.
func newestTables(seen []dossier.Evidence) (map[string]seenTable, error) {
	out := map[string]seenTable{}
	for _, e := range seen {
		if e.Kind != summary.EvidenceKind {
			continue
		}
		ch, t, err := summary.FromEvidence(e)
		if err != nil {
			return nil, err
		}
		out[ch.ID] = seenTable{narrator.Chart{Chart: ch, Table: t, Summary: summary.Of(ch, t)}, e.ID}
	}
	return out, nil
}

// figures are what a finding about a draft counts.
type figures struct {
	Numerals  int `json:"numerals"`
	Resolved  int `json:"resolved"`
	Scenarios int `json:"scenarios"`
	Charts    int `json:"charts"`
}

func figuresOf(v draft.Verdict) json.RawMessage {
	raw, err := json.Marshal(figures{
		Numerals: len(v.Faith.Numerals), Resolved: len(v.Faith.Numerals) - len(v.Faith.Problems()),
		Scenarios: len(v.Coverage.Scenarios), Charts: len(v.Coverage.Charts),
	})
	if err != nil {
		panic(fmt.Sprintf("figures: %v", err))
	}
	return raw
}

func judgeFaith(w Written, v draft.Verdict, version string) dossier.Finding {
	f := dossier.Finding{Check: "faith", Subject: w.Section, Verdict: dossier.Pass, By: "rule/faith@" + version, Figures: figuresOf(v)}
	f.Reason = fmt.Sprintf("All %d numerals of round %d resolve to the evidence.", len(v.Faith.Numerals), w.Round)
	if bad := v.Faith.Problems(); len(bad) > 0 {
		f.Verdict, f.Reason = dossier.Fail, fmt.Sprintf("%d of %d numerals do not resolve. %s", len(bad), len(v.Faith.Numerals), bad[0].Problem)
	}
	return f
}

func judgeCoverage(w Written, v draft.Verdict, version string) dossier.Finding {
	f := dossier.Finding{Check: "coverage", Subject: w.Section, Verdict: dossier.Pass, By: "rule/coverage@" + version, Figures: figuresOf(v)}
	f.Reason = fmt.Sprintf("Round %d names %d scenarios and uses %d charts.", w.Round, len(v.Coverage.Scenarios), len(v.Coverage.Charts))
	if missing := slices.Concat(v.Coverage.Silent, v.Coverage.Missing); len(missing) > 0 {
		f.Verdict, f.Reason = dossier.Fail, "The draft is silent on "+strings.Join(missing, ", ")+"."
	}
	return f
}

// applyConsistency compares the charts cited.
func applyConsistency(version string, compare func([]summary.Pair) (int, []summary.Disagreement)) func([]dossier.Evidence) (dossier.Finding, error) {
	return func(cited []dossier.Evidence) (dossier.Finding, error) {
		tables, err := newestTables(cited)
		if err != nil {
			return dossier.Finding{}, err
		}
		newest := map[dossier.EvidenceID]summary.Pair{}
		for _, t := range tables {
			newest[t.evidence] = summary.Pair{Chart: t.chart.Chart, Table: t.chart.Table}
		}
		var pairs []summary.Pair
		for _, e := range cited {
			if p, ok := newest[e.ID]; ok {
				pairs = append(pairs, p)
			}
		}
		compared, bad := compare(pairs)
		return judgeConsistency(compared, bad, version), nil
	}
}

func judgeConsistency(compared int, bad []summary.Disagreement, version string) dossier.Finding {
	raw, err := json.Marshal(struct {
		Compared int `json:"compared"`
		Disagree int `json:"disagree"`
	}{compared, len(bad)})
	if err != nil {
		panic(fmt.Sprintf("figures: %v", err))
	}
	f := dossier.Finding{Check: "consistency", Verdict: dossier.Pass, By: "rule/consistency@" + version, Figures: raw,
		Reason: fmt.Sprintf("%d quantities stand in two charts, and all agree within rounding.", compared)}
	switch {
	case compared == 0:
		f.Verdict, f.Reason = dossier.Unclear, "No quantity stands in two of the charts."
	case len(bad) > 0:
		f.Verdict, f.Reason = dossier.Fail, fmt.Sprintf("%d of %d quantities that stand in two charts disagree. %s.", len(bad), compared, bad[0])
	}
	return f
}
