// Package sight holds what a score of a district rests on, and the rules that compute the
// score and the findings from it again.
//
// A [Sighting] is the evidence: the signals as they were, the reference time and the
// numbers in force. [Judge] makes the findings of a score, and [Rules] make the same ones
// from stored evidence, so that anyone can check them. The package reads and stores
// nothing.
package sight

import (
	"encoding/json"
	"fmt"
	"time"

	"dossier"
	"dossier/apps/netra/engine"
	"dossier/internal/app"
)

// A Sighting is the evidence a score rests on: the signals as they were, the reference
// time and the numbers in force. It is all that is needed to compute the score again.
type Sighting struct {
	Place   engine.Place    `json:"place"`
	Window  int             `json:"window_hours"`
	At      time.Time       `json:"at"`
	Params  engine.Params   `json:"params"`
	Version string          `json:"methodology_version"`
	Signals []engine.Signal `json:"signals"`
}

// Kind is the kind of evidence that a sighting is.
const Kind = "signals"

// Score computes the score of s.
func (s *Sighting) Score() (engine.Score, error) {
	e, err := engine.New(s.Params)
	if err != nil {
		return engine.Score{}, err
	}
	return e.Compute(s.Place, s.Signals, engine.Window(s.Window), s.At)
}

// Evidence makes the entry that holds s.
func (s *Sighting) Evidence() dossier.Evidence {
	return dossier.NewEvidence(Kind, dossier.Source{System: "netra", Locator: "signals/" + s.Place.State + "/" + s.Place.District + "/" + engine.Window(s.Window).String(), Fetched: s.At},
		s, "%d signals of %s up to %s", len(s.Signals), s.Place, s.At.Format(time.RFC3339))
}

// rulesVersion is the version of the findings' form; the formulas have their own,
// which the evidence carries.
const rulesVersion = "1"

// Rules recompute the app's findings.
var Rules = []app.Rule{
	{Name: "threshold", Version: rulesVersion, Doc: "Whether the score of a district crosses a threshold.", Apply: applied(judgeThreshold)},
	{Name: "trend", Version: rulesVersion, Doc: "Whether the mean severity of reports rises.", Apply: applied(judgeTrend)},
	{Name: "layers", Version: rulesVersion, Doc: "Which of the three layers carries the score.", Apply: applied(judgeLayers)},
}

// applied makes a rule of a judgement on a score: the score is computed again from the
// signals that the finding cites.
func applied(judge func(engine.Score) dossier.Finding) func([]dossier.Evidence) (dossier.Finding, error) {
	return func(cited []dossier.Evidence) (dossier.Finding, error) {
		for _, e := range cited {
			if e.Kind != Kind {
				continue
			}
			var s Sighting
			if err := json.Unmarshal(e.Data, &s); err != nil {
				return dossier.Finding{}, fmt.Errorf("decode signals: %w", err)
			}
			score, err := s.Score()
			if err != nil {
				return dossier.Finding{}, err
			}
			return judge(score), nil
		}
		return dossier.Finding{}, dossier.Errorf(dossier.Invalid, "The finding cites no signals.")
	}
}

// Judge makes the findings of a score.
func Judge(s engine.Score) []dossier.Finding {
	return []dossier.Finding{judgeThreshold(s), judgeTrend(s), judgeLayers(s)}
}

func judgeThreshold(s engine.Score) dossier.Finding {
	f := finding("threshold", dossier.Pass, s.Rationale, thresholdFigures{
		Score: s.Composite, Band: s.Threshold.Label, Range: s.Threshold.Range, Crossed: s.Threshold.Crossed, Level: s.Level,
		Floor: s.EscalationFloor.Label, Signals: s.SignalCount, Window: s.TimeWindow, Version: s.Version, Action: s.Action,
	})
	if s.Threshold.Crossed {
		f.Verdict = dossier.Fail
	}
	return f
}

type thresholdFigures struct {
	Score   float64 `json:"score"`
	Band    string  `json:"band"`
	Range   string  `json:"range"`
	Crossed bool    `json:"crossed"`
	Level   string  `json:"risk_level"`
	Floor   string  `json:"escalation_floor"`
	Signals int     `json:"signal_count"`
	Window  string  `json:"time_window"`
	Version string  `json:"methodology_version"`
	Action  string  `json:"action_required"`
}

func judgeTrend(s engine.Score) dossier.Finding {
	verdict, reason := dossier.Pass, fmt.Sprintf("The trend is %s.", s.Trend)
	switch {
	case s.TrendBasis == "insufficient":
		verdict, reason = dossier.Unclear, "One of the two trend periods has no signals."
	case s.Trend == "rising":
		verdict = dossier.Fail
	}
	return finding("trend", verdict, reason, struct {
		Trend string `json:"trend"`
		Basis string `json:"trend_basis"`
	}{s.Trend, s.TrendBasis})
}

func judgeLayers(s engine.Score) dossier.Finding {
	verdict, reason := dossier.Pass, "No layer carries the score."
	if l, ok := s.Primary(); ok {
		verdict, reason = dossier.Fail, fmt.Sprintf("The %s layer carries the score with %.2f of 10.", l, s.Layer(l))
	}
	return finding("layers", verdict, reason, s.LayerScores)
}

func finding(check string, v dossier.Verdict, reason string, figures any) dossier.Finding {
	raw, err := json.Marshal(figures)
	if err != nil {
		panic(fmt.Sprintf("figures of %s: %v", check, err))
	}
	return dossier.Finding{Check: check, Verdict: v, Confidence: 100, Reason: reason, Figures: raw, By: "rule/" + check + "@" + rulesVersion}
}
