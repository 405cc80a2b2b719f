package numbers

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"dossier"
	"dossier/internal/app"
)

// cancelTool is the tool whose calls are counted.
const cancelTool = "cancel_membership"

// A ReversalTable says how often cancellations were undone, and proposals refused, by
// what led to them. It is shown to whoever decides about the next one.
type ReversalTable struct {
	All        Reversal   `json:"all"`
	ByRule     []Reversal `json:"by_rule"`
	ByModel    []Reversal `json:"by_model"`
	ByApprover []Reversal `json:"by_approver"`
}

// A Reversal counts decisions of one kind.
type Reversal struct {
	Name      string  `json:"name"`
	Proposed  int     `json:"proposed"` // cancellations a person was asked about and decided
	Rejected  int     `json:"rejected"`
	Cancelled int     `json:"cancelled"`
	Reversed  int     `json:"reversed"` // cancelled, and later undone
	Rate      float64 `json:"rate"`     // reversed over cancelled; 0 if none was cancelled
}

// proposal is what is read of the arguments of a call of cancelTool.
type proposal struct {
	FailedChecks []string `json:"failed_checks"`
}

// Reversals counts what became of proposals and cancellations.
func (s Source) Reversals(ctx context.Context) (ReversalTable, error) {
	asked, err := s.Desk.Asked(ctx, cancelTool)
	if err != nil {
		return ReversalTable{}, err
	}
	removed, err := s.Book.Removals(ctx, "")
	if err != nil {
		return ReversalTable{}, err
	}
	t := tally{rule: map[string]*Reversal{}, model: map[string]*Reversal{}, approver: map[string]*Reversal{}}
	for _, a := range asked {
		var in proposal
		if len(a.Decisions) == 0 || json.Unmarshal(a.Args, &in) != nil {
			continue
		}
		last := a.Decisions[len(a.Decisions)-1]
		if last.Verb == dossier.Respond {
			continue // no proposal: somebody was asked whether a cancellation had happened
		}
		by := last.By.Name
		t.each(in.FailedChecks, a.Model, by, func(r *Reversal) {
			r.Proposed++
			if a.Status == dossier.Rejected {
				r.Rejected++
			}
		})
	}
	for _, rm := range removed {
		t.each(rm.Checks, rm.Model, rm.Approver, func(r *Reversal) {
			r.Cancelled++
			if !rm.Reversed.IsZero() {
				r.Reversed++
			}
		})
	}
	return t.table(), nil
}

// Background tells whoever is asked to cancel a membership how often that went wrong:
// after the same checks, by the same model, and by the person's own decisions.
func (s Source) Background(ctx context.Context, a dossier.Approval, p dossier.Principal) ([]app.Background, error) {
	var in proposal
	if a.Tool != cancelTool || json.Unmarshal(a.Args, &in) != nil {
		return nil, nil
	}
	t, err := s.Reversals(ctx)
	if err != nil {
		return nil, err
	}
	out := []app.Background{t.All.told("All cancellations")}
	for _, check := range in.FailedChecks {
		out = append(out, of(t.ByRule, check).told("After the "+check+" check"))
	}
	if a.Model != "" {
		out = append(out, of(t.ByModel, a.Model).told("Proposed by "+a.Model))
	}
	return append(out, of(t.ByApprover, p.Name).told("Decided by you")), nil
}

// told puts a line of the table into words.
func (r Reversal) told(label string) app.Background {
	b := app.Background{
		Label: label, Value: "none carried out yet", Link: "/apps/poolpatrol#reversals",
		How: "Cancelled memberships that were given back, of all that were cancelled, since the programme began.",
	}
	if r.Cancelled > 0 {
		b.Value = fmt.Sprintf("%d of %d undone (%.0f %%)", r.Reversed, r.Cancelled, 100*r.Rate)
	}
	if r.Proposed > 0 {
		b.Value += fmt.Sprintf("; %d of %d proposals rejected", r.Rejected, r.Proposed)
	}
	return b
}

func of(list []Reversal, name string) Reversal {
	if i := slices.IndexFunc(list, func(r Reversal) bool { return r.Name == name }); i >= 0 {
		return list[i]
	}
	return Reversal{Name: name}
}

// A tally counts reversals along three lines at once.
type tally struct {
	all                   Reversal
	rule, model, approver map[string]*Reversal
}

func (t *tally) each(checks []string, model, approver string, count func(*Reversal)) {
	count(&t.all)
	at := func(m map[string]*Reversal, name string) {
		if name == "" {
			return
		}
		if m[name] == nil {
			m[name] = &Reversal{Name: name}
		}
		count(m[name])
	}
	for _, c := range checks {
		at(t.rule, c)
	}
	at(t.model, model)
	at(t.approver, approver)
}

func (t *tally) table() ReversalTable {
	t.all.Name = "all"
	return ReversalTable{rated(&t.all), listed(t.rule), listed(t.model), listed(t.approver)}
}

func rated(r *Reversal) Reversal {
	if r.Cancelled > 0 {
		r.Rate = float64(r.Reversed) / float64(r.Cancelled)
	}
	return *r
}

func listed(m map[string]*Reversal) []Reversal {
	out := []Reversal{}
	for _, r := range m {
		out = append(out, rated(r))
	}
	slices.SortFunc(out, func(a, b Reversal) int { return cmp.Compare(a.Name, b.Name) })
	return out
}
