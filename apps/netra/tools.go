package netra

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"dossier"
	"dossier/apps/netra/book"
	"dossier/apps/netra/engine"
	"dossier/apps/netra/sight"
	"dossier/internal/app"
	"dossier/internal/tool"
)

// The roles of the app.
const (
	officer dossier.Role = "officer"
	senior  dossier.Role = "senior"
)

var readers = []dossier.Role{officer, senior, dossier.Auditor, dossier.Admin}

type districtIn struct {
	District string `json:"district" jsonschema:"the district's name"`
	State    string `json:"state,omitempty" jsonschema:"its state; may be left out if only one state has such a district"`
	Window   string `json:"window,omitempty" jsonschema:"24h, 72h or 7d; 24h if left out"`
}

func (in districtIn) parse() (engine.Place, engine.Window, error) {
	p, err := locate(in.State, in.District)
	if err != nil {
		return p, 0, err
	}
	w, err := window(in.Window)
	return p, w, err
}

// scoreDistrict is the tool that computes: it reads the signals, applies the rules
// and hands the model a score it cannot change.
func (o *office) scoreDistrict() tool.Tool {
	return tool.Def[districtIn, engine.Score]{
		Name:  scoreName,
		Doc:   "Computes the risk score of a district from its published signals, with layers, trend, threshold, top signals, rationale and limits. Decision support only.",
		Roles: []dossier.Role{officer, senior, dossier.Admin},
		Run: func(ctx context.Context, c tool.Call, in districtIn) (tool.Output[engine.Score], error) {
			p, w, err := in.parse()
			if err != nil {
				return tool.Output[engine.Score]{}, err
			}
			seen, score, err := o.sight(ctx, p, w, c.Now)
			if err != nil {
				return tool.Output[engine.Score]{}, err
			}
			return tool.Output[engine.Score]{Value: score, Evidence: []dossier.Evidence{seen.Evidence()}, Findings: sight.Judge(score)}, nil
		},
	}.Tool()
}

// sight takes down the signals of a district and scores them.
func (o *office) sight(ctx context.Context, p engine.Place, w engine.Window, now time.Time) (sight.Sighting, engine.Score, error) {
	e, err := o.board.Engine(ctx, now)
	if err != nil {
		return sight.Sighting{}, engine.Score{}, err
	}
	reach := max(w.Duration(), engine.ThreeDays.Duration()) // the trend looks back 72 hours whatever the window
	signals, err := o.book.Signals(ctx, p, now.Add(-reach), now)
	if err != nil {
		return sight.Sighting{}, engine.Score{}, err
	}
	s := sight.Sighting{Place: p, Window: int(w), At: now.UTC().Truncate(time.Microsecond), Params: e.Params(), Version: e.Version(), Signals: signals}
	score, err := s.Score()
	return s, score, err
}

type historyOut struct {
	District string       `json:"district"`
	State    string       `json:"state"`
	Points   []book.Point `json:"points"`

	Disclaimer string `json:"governance_disclaimer"`
}

func (o *office) districtHistory() tool.Tool {
	return tool.Def[districtIn, historyOut]{
		Name:  "district_history",
		Doc:   "Returns the stored scores of a district over the last week, oldest first.",
		Roles: []dossier.Role{officer, senior, dossier.Admin},
		Run: func(ctx context.Context, c tool.Call, in districtIn) (tool.Output[historyOut], error) {
			p, w, err := in.parse()
			if err != nil {
				return tool.Output[historyOut]{}, err
			}
			points, err := o.book.History(ctx, p, w, c.Now.Add(-engine.Week.Duration()), 50)
			if err != nil {
				return tool.Output[historyOut]{}, err
			}
			seen := dossier.NewEvidence("score_history", dossier.Source{System: "netra", Locator: "history/" + p.State + "/" + p.District + "/" + w.String(), Fetched: c.Now},
				points, "%d stored scores of %s", len(points), p)
			return tool.Output[historyOut]{Value: historyOut{p.District, p.State, points, engine.Disclaimer}, Evidence: []dossier.Evidence{seen}}, nil
		},
	}.Tool()
}

type acknowledgeIn struct {
	District string  `json:"district"`
	State    string  `json:"state"`
	Window   string  `json:"window"`
	Score    float64 `json:"score" jsonschema:"the score as computed"`
	Band     string  `json:"band" jsonschema:"the threshold label as computed"`
	At       string  `json:"at" jsonschema:"the timestamp of the score"`
}

type acknowledgeOut struct {
	Acknowledged bool `json:"acknowledged"`
}

// acknowledge records that a senior officer has seen a score of 75 or more. It
// changes nothing but the case.
func (o *office) acknowledge() tool.Tool {
	return tool.Def[acknowledgeIn, acknowledgeOut]{
		Name:   acknowledgeName,
		Doc:    "Asks a senior officer to acknowledge a score of 75 or above, and records the acknowledgement.",
		Roles:  []dossier.Role{officer, senior},
		Effect: tool.Write,
		Ask: func(in acknowledgeIn) string {
			b, _ := engine.BandOf(in.Score)
			return fmt.Sprintf("The score is %.2f. %s: %s. Acknowledging says that a senior officer has seen it; it orders nothing. %s", in.Score, b.Label, b.Action, engine.Disclaimer)
		},
		Title: func(in acknowledgeIn) string {
			return fmt.Sprintf("Acknowledge %s for %s, %s: score %.2f over %s.", in.Band, in.District, in.State, in.Score, in.Window)
		},
		Check:  checkAcknowledge,
		Policy: tool.Policy{Approvers: []dossier.Role{senior}, Verbs: verbs, Remind: time.Hour},
		Run: decided(o, "acknowledged", func(ctx context.Context, c tool.Call, in acknowledgeIn, _ string) (acknowledgeOut, string, error) {
			return acknowledgeOut{true}, fmt.Sprintf("A senior officer acknowledged the score of %.2f.", in.Score), o.computed(ctx, c.Case, in)
		}),
	}.Tool()
}

// computed refuses an acknowledgement of anything but the score that the signals of the
// case give: what a person was shown must be what was computed.
func (o *office) computed(ctx context.Context, id dossier.CaseID, in acknowledgeIn) error {
	chain, _, err := o.env.Desk.Facts(ctx, id)
	if err != nil {
		return err
	}
	at, err := engine.ParseTime(in.At)
	if err != nil {
		return dossier.Errorf(dossier.Invalid, "%s", sentence(err))
	}
	for _, e := range slices.Backward(chain) {
		var seen sight.Sighting
		if e.Kind != sight.Kind {
			continue
		}
		if err := json.Unmarshal(e.Data, &seen); err != nil {
			return fmt.Errorf("decode %s: %w", e.ID, err)
		}
		if (engine.Place{State: in.State, District: in.District}) != seen.Place || in.Window != engine.Window(seen.Window).String() || !at.Equal(seen.At) {
			continue
		}
		s, err := seen.Score()
		if err != nil {
			return err
		}
		if s.Composite == in.Score && s.Threshold.Label == in.Band {
			return nil
		}
	}
	return dossier.Errorf(dossier.Invalid, "That is not what %s returned in this case. Ask again with its district, state, window, score, band and timestamp.", scoreName)
}

// verbs are what a senior officer may do about what is asked: to take it or leave it,
// for the figures are not theirs to edit.
var verbs = []dossier.Verb{dossier.Approve, dossier.Reject, dossier.Respond}

// decided runs do in the name of the person whose approval let the call run, and then
// closes the case with what do says about it. Without such a person nothing runs.
func decided[In, Out any](o *office, outcome string, do func(ctx context.Context, c tool.Call, in In, by string) (Out, string, error)) func(context.Context, tool.Call, In) (tool.Output[Out], error) {
	return func(ctx context.Context, c tool.Call, in In) (tool.Output[Out], error) {
		if c.Approved == nil || c.Approved.By.ID == "" {
			return tool.Output[Out]{}, dossier.Errorf(dossier.Forbidden, "A person must decide this first.")
		}
		by := c.Approved.By.ID
		out, note, err := do(ctx, c, in, by)
		if err != nil {
			return tool.Output[Out]{}, err
		}
		_, err = o.env.Desk.Move(ctx, c.Case, app.Change{State: dossier.Closed, Stage: outcome, Outcome: outcome, Note: note, By: by})
		return tool.Output[Out]{Value: out}, err
	}
}

func checkAcknowledge(in acknowledgeIn) error {
	if in.Score < acknowledgeFrom {
		return dossier.Errorf(dossier.Invalid, "Only scores of %d and above are acknowledged.", acknowledgeFrom)
	}
	if b, _ := engine.BandOf(in.Score); b.Label != in.Band {
		return dossier.Errorf(dossier.Invalid, "A score of %.2f is %s, not what was said.", in.Score, b.Label)
	}
	return nil
}

// acknowledgeFrom is the score from which a senior officer must acknowledge.
const acknowledgeFrom = 75
