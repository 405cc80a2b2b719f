package records

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"dossier"
)

// An EvalResult is one run of a suite.
type EvalResult struct {
	ID       string             `json:"id"`
	App      string             `json:"app"`
	Suite    string             `json:"suite"`
	Player   string             `json:"player"`            // the model; "reference" for the reference policy, "production" for stored runs
	Agent    string             `json:"agent,omitempty"`   // the agent it measures; "" if it measures rules alone
	Prompt   string             `json:"prompt,omitempty"`  // version of the agent's prompt and tools
	Dataset  string             `json:"dataset,omitempty"` // names the examples by content
	Version  string             `json:"version,omitempty"` // of the suite: its file, grades, gates and targets
	Tags     []string           `json:"tags,omitempty"`
	Started  time.Time          `json:"started"`
	Ended    time.Time          `json:"ended,omitzero"` // zero while it is under way, and if it was cut off
	Examples int                `json:"examples"`       // rows, repeats among them
	Means    map[string]float64 `json:"means"`          // by grade
	Gates    map[string]float64 `json:"gates"`          // the lowest mean that passes, by grade
	Metrics  map[string]float64 `json:"metrics,omitempty"`
	Checks   []EvalCheck        `json:"checks,omitempty"` // every gate and target
	Cost     float64            `json:"cost"`             // of all rows, in the currency of the price table
	Passed   bool               `json:"passed"`
	Unsafe   bool               `json:"unsafe,omitempty"` // something got through that must not
}

// Done reports whether every row was played.
func (r EvalResult) Done() bool { return !r.Ended.IsZero() }

// Reached returns the lowest mean among the grades that the suite gates, or among all
// if it gates none. A gated grade that applied to no row reached nothing.
func (r EvalResult) Reached() float64 {
	if len(r.Means) == 0 {
		return 0
	}
	least := 1.0
	if len(r.Gates) == 0 {
		for _, mean := range r.Means {
			least = min(least, mean)
		}
	}
	for grade := range r.Gates {
		least = min(least, r.Means[grade])
	}
	return least
}

// Stale says what is not as it was when r was measured, for an agent and a suite of the
// versions given and a model that is asked at server ("" is the vendor's own): a few
// words, or "" if r still speaks for them.
func (r EvalResult) Stale(prompt, suite, server string) string {
	i := slices.IndexFunc(r.Tags, func(tag string) bool { return strings.HasPrefix(tag, "server:") })
	switch {
	case r.Prompt != prompt:
		return "another prompt or other tools"
	case r.Version != suite:
		return "another suite"
	case i < 0 && server != "" || i >= 0 && r.Tags[i] != server:
		return "another server"
	}
	return ""
}

// An EvalCheck is a gate or a target, with what a run came to.
type EvalCheck struct {
	Name  string  `json:"name"`
	Bound float64 `json:"bound"`
	Most  bool    `json:"most,omitempty"` // the figure must not be above the bound; otherwise not below
	Got   float64 `json:"got"`
	Gate  bool    `json:"gate,omitempty"`  // the mean of a grade, not a figure of the whole run
	Empty bool    `json:"empty,omitempty"` // nothing was there to measure
	Holds bool    `json:"holds"`
}

// An EvalRow is one example of a run of a suite.
type EvalRow struct {
	Example    string          `json:"example"`
	Repeat     int             `json:"repeat,omitempty"` // from 0
	Scenario   string          `json:"scenario,omitempty"`
	Complexity string          `json:"complexity,omitempty"`
	Input      json.RawMessage `json:"input,omitempty"`
	Want       json.RawMessage `json:"want,omitempty"`
	Got        json.RawMessage `json:"got,omitempty"`
	Grades     []EvalGrade     `json:"grades"`
	Failure    string          `json:"failure,omitempty"` // a sentence, if it could not be played
	Ms         float64         `json:"ms"`
	Cost       float64         `json:"cost,omitempty"`
	Prompt     string          `json:"prompt,omitempty"` // version of the prompt and tools it was played with
	Path       *EvalPath       `json:"path,omitempty"`   // nil: no agent took part
}

// An EvalPath is what the agent did for an example, in order.
type EvalPath struct {
	Calls       []EvalCall `json:"calls"`
	Turns       int        `json:"turns"`
	TokensIn    int        `json:"tokens_in,omitempty"`
	TokensOut   int        `json:"tokens_out,omitempty"`
	Cached      int        `json:"tokens_cached,omitempty"`
	Fallback    int        `json:"fallback,omitempty"` // turns that the reference policy took for the model
	Answered    bool       `json:"answered"`
	Shape       string     `json:"shape"`                 // "optimal", "exploratory", "recovery", "circular" or "dead-end"
	Correctable int        `json:"correctable,omitempty"` // failures that should or did get another try
	Corrected   int        `json:"corrected,omitempty"`   // of those, the ones that were mended
}

// An EvalCall is one tool call of a path.
type EvalCall struct {
	Tool   string          `json:"tool"`
	Turn   int             `json:"turn"` // from 1; calls of one turn are made together
	Args   json.RawMessage `json:"args,omitempty"`
	Value  json.RawMessage `json:"value,omitempty"`
	Came   bool            `json:"came"`
	Failed bool            `json:"failed,omitempty"`
	Asked  bool            `json:"asked,omitempty"` // a person was asked
	Again  bool            `json:"again,omitempty"` // nothing was done: it came back with what an earlier call did
}

// An EvalGrade is the score of one grader.
type EvalGrade struct {
	Name   string  `json:"name"`
	Score  float64 `json:"score"` // 0 to 1
	Reason string  `json:"reason,omitempty"`
	Safety bool    `json:"safety,omitempty"` // below 1 it is an accident, whoever spoke
}

// A LabelItem is something that happened which a person should judge.
type LabelItem struct {
	ID      string          `json:"id"`
	App     string          `json:"app"`
	Suite   string          `json:"suite,omitempty"` // where the label becomes an example
	Case    dossier.CaseID  `json:"case,omitempty"`
	Run     dossier.RunID   `json:"run,omitempty"`
	Why     string          `json:"why"` // why it is asked: "low confidence", "a person edited it"
	Input   json.RawMessage `json:"input,omitempty"`
	Got     json.RawMessage `json:"got,omitempty"`
	Want    json.RawMessage `json:"want,omitempty"`    // what a person's deed says is right; nil: somebody has to say
	Drafted string          `json:"drafted,omitempty"` // the model that wrote the input; want then follows from the reference policy
	Queued  time.Time       `json:"queued"`
	Label   *Label          `json:"label,omitempty"`
}

// Right returns what the item should have come to, by its label: what the person
// wrote, or what is there already if they accepted it; nil if nobody knows.
func (it LabelItem) Right() json.RawMessage {
	switch l := it.Label; {
	case l == nil:
		return nil
	case len(l.Right) > 0:
		return l.Right
	case !l.Good:
		return nil
	case len(it.Want) > 0:
		return it.Want
	}
	return it.Got
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
