package counter

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"dossier"
	"dossier/apps/poolpatrol/engine"
)

// A Fact is the data of "counter_evidence".
type Fact struct {
	Employee  string `json:"employee_id"`
	Vanpool   string `json:"vanpool_id"`
	About     string `json:"about"` // shift, location or other
	Statement string `json:"statement"`
	Document  string `json:"document_sha256,omitempty"`
	MIME      string `json:"document_type,omitempty"`
	Bytes     int    `json:"document_bytes,omitzero"`
}

// against are the kinds of evidence that a fact may contradict, by what it is about.
var against = map[string][]string{
	"shift": {engine.EmployeeShift}, "location": {engine.DistanceCheck}, "other": {engine.EmployeeShift, engine.DistanceCheck},
}

// Evidence returns one entry for each fact about the rider in a case's chain that is
// contradicted, and one that contradicts nothing if there is none.
func (f Fact) Evidence(chain []dossier.Evidence, now time.Time) []dossier.Evidence {
	var out []dossier.Evidence
	for _, kind := range against[f.About] {
		for _, e := range slices.Backward(chain) {
			var about struct {
				Employee string `json:"employee_id"`
			}
			if e.Kind != kind || json.Unmarshal(e.Data, &about) != nil || about.Employee != f.Employee {
				continue
			}
			ev := f.entry(len(chain)+len(out), now)
			ev.Supersedes = e.ID
			out = append(out, ev)
			break
		}
	}
	if len(out) == 0 {
		out = append(out, f.entry(len(chain), now))
	}
	return out
}

func (f Fact) entry(n int, now time.Time) dossier.Evidence {
	src := dossier.Source{System: "rider", Locator: fmt.Sprintf("%s/counter/%d", f.Employee, n), Fetched: now}
	return dossier.NewEvidence("counter_evidence", src, f, "%s says the records on %s are wrong.", f.Employee, f.About)
}
