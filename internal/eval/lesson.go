package eval

import (
	"encoding/json"

	"dossier"
)

// A Lesson is an example in the making: what an agent did in production, and what a
// person did about it. It waits in a queue until somebody has labelled it; what is
// accepted there is played with the suite from then on.
type Lesson struct {
	ID    string // unique in the app, and the same however often it is collected
	Suite string // of the app
	Case  dossier.CaseID
	Run   dossier.RunID
	Why   string          // what the person did, in a sentence
	Input json.RawMessage // in the form of the suite's examples
	Got   json.RawMessage // what the agent said, in the form of the suite's wants
	Want  json.RawMessage // what the person's deed says is right; nil: somebody has to say
}
