package records

import (
	"encoding/json"
	"time"

	"dossier"
)

// An EvalResult is one run of a suite.
type EvalResult struct {
	ID       string             `json:"id"`
	App      string             `json:"app"`
	Suite    string             `json:"suite"`
	Player   string             `json:"player"` // model alias; "reference" for the reference policy
	Started  time.Time          `json:"started"`
	Ended    time.Time          `json:"ended,omitzero"`
	Examples int                `json:"examples"`
	Means    map[string]float64 `json:"means"` // by grade
	Gates    map[string]float64 `json:"gates"` // the lowest mean that passes, by grade
	Passed   bool               `json:"passed"`
}

// An EvalRow is one example of a run of a suite.
type EvalRow struct {
	Example    string          `json:"example"`
	Scenario   string          `json:"scenario,omitempty"`
	Complexity string          `json:"complexity,omitempty"`
	Input      json.RawMessage `json:"input,omitempty"`
	Want       json.RawMessage `json:"want,omitempty"`
	Got        json.RawMessage `json:"got,omitempty"`
	Grades     []EvalGrade     `json:"grades"`
	Failure    string          `json:"failure,omitempty"` // a sentence, if it could not be played
	Ms         float64         `json:"ms"`
}

// An EvalGrade is the score of one grader.
type EvalGrade struct {
	Name   string  `json:"name"`
	Score  float64 `json:"score"` // 0 to 1
	Reason string  `json:"reason,omitempty"`
}

// A LabelItem is something that happened which a person should judge.
type LabelItem struct {
	ID     string          `json:"id"`
	App    string          `json:"app"`
	Suite  string          `json:"suite,omitempty"` // where the label becomes an example
	Case   dossier.CaseID  `json:"case,omitempty"`
	Run    dossier.RunID   `json:"run,omitempty"`
	Why    string          `json:"why"` // why it is asked: "low confidence", "a person edited it"
	Input  json.RawMessage `json:"input,omitempty"`
	Got    json.RawMessage `json:"got,omitempty"`
	Queued time.Time       `json:"queued"`
	Label  *Label          `json:"label,omitempty"`
}

// A Label is what a person says about a [LabelItem].
type Label struct {
	Good  bool              `json:"good"`
	Right json.RawMessage   `json:"right,omitempty"`
	Note  string            `json:"note,omitempty"`
	By    dossier.Principal `json:"by"`
	At    time.Time         `json:"at"`
	Apps  []string          `json:"-"` // the item must be of one of these; nil: any
}
