package poolpatrol

import (
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"dossier"
	"dossier/apps/poolpatrol/patrol"
	"dossier/internal/agent"
	"dossier/internal/app/apptest"
	"dossier/internal/model"
)

// briefs keep the first thing that each turn's model is told, by a tool that only its
// agent is offered. They leave the turns to the reference policies.
type briefs struct {
	mu   sync.Mutex
	told map[string][]string
}

func (b *briefs) hear(req *model.Request) (*model.Reply, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, tool := range []string{"upsert_case", "classify_reply", "get_employee_shifts", "check_commute_distance"} {
		if text, ok := req.Messages[0].Parts[0].(model.Text); ok && req.Offers(tool) && len(req.Messages) == 1 {
			b.told[tool] = append(b.told[tool], string(text))
		}
	}
	return nil, dossier.Errorf(dossier.Unavailable, "the policy plays")
}

func TestBriefs(t *testing.T) {
	t.Parallel()
	heard := &briefs{told: map[string][]string{}}
	p := start(t, apptest.Options{Model: funcModel(heard.hear)})
	l := p.audit("VP-102")
	p.Clock.Add(time.Minute)
	p.reply("EMP-1006", "What do you need from me?")
	threads, err := p.patrol.Book.Threads(t.Context(), l.Case)
	if err != nil || len(threads) != 1 {
		t.Fatalf("got %+v %v", threads, err)
	}
	holds := func(row, text string, want ...string) {
		t.Helper()
		for _, w := range want {
			if !strings.Contains(text, w) {
				t.Errorf("%s: no %s in %s", row, w, text)
			}
		}
	}
	manager, outreach := heard.told["upsert_case"], heard.told["classify_reply"]
	if len(manager) != 2 || len(outreach) != 2 {
		t.Fatalf("the case manager was told %d times, outreach %d times", len(manager), len(outreach))
	}
	holds("P-033 P-083 the roster before the first turn", manager[0],
		`"vanpool_id":"VP-102"`, `"employee_ids":["EMP-1006","EMP-1007","EMP-1008","EMP-1009","EMP-1010"]`, `"status":"verification"`,
		`{"employee_id":"EMP-1006","home_zip":"94587","site":"Fremont","shift_id":"SH-NIGHT"}`)
	holds("P-033 P-082 where the case stands", manager[1],
		`"case_id":"`+string(l.Case)+`"`, `"status":"pending_reply"`, `"failed_checks":["shift"]`, `"reason":"shift_mismatch"`, threads[0].ID)
	holds("P-015 P-075 the mail so far", outreach[1],
		`"email_thread_id":"`+threads[0].ID+`"`, `Your seat in VP-102: please check your shift`, `What do you need from me?`)
	for _, texts := range heard.told {
		for _, text := range texts {
			for _, secret := range []string{"Fern", "@example.com", "Road"} {
				if strings.Contains(text, secret) {
					t.Errorf("P11 a model is told %q: %s", secret, text)
				}
			}
		}
	}
}

// A case manager's model cannot talk a van clear, nor a case closed.
func TestManagerIsBornOut(t *testing.T) {
	t.Parallel()
	p := start(t, apptest.Options{})
	manager, ok := agent.Find(p.patrol.Agents, "casemanager")
	if !ok {
		t.Fatal("there is no case manager")
	}
	check := func(name, verdict string) model.Return {
		return model.Return{Tool: "run_" + name + "_specialist", Value: json.RawMessage(`{"verdict":"` + verdict + `"}`)}
	}
	closing := func(closed string) model.Return {
		return model.Return{Tool: "close_case", Value: json.RawMessage(`{"closed":` + closed + `,"status":"resolved"}`)}
	}
	broken := check("location", "pass")
	broken.Failed = true
	for name, c := range map[string]struct {
		outcome string
		returns []model.Return
		ok      bool
	}{
		"P-039 both passed":                 {"verified", []model.Return{check("shift", "pass"), check("location", "pass")}, true},
		"P-035 one failed":                  {"verified", []model.Return{check("shift", "fail"), check("location", "pass")}, false},
		"P-034 one was not asked":           {"verified", []model.Return{check("shift", "pass")}, false},
		"P-012 one gave no answer":          {"verified", []model.Return{check("shift", "pass"), broken}, false},
		"P-044 closed":                      {"resolved", []model.Return{closing("true")}, true},
		"P-044 not closed":                  {"resolved", []model.Return{closing("false")}, false},
		"P-080 closed as something else":    {"cancelled", []model.Return{closing("true")}, false},
		"P-080 closed and passed over":      {"", []model.Return{closing("true")}, false},
		"P-040 a case that goes on":         {"", []model.Return{check("shift", "fail"), check("location", "pass")}, true},
		"P-080 closed without saying so":    {"verified", []model.Return{check("shift", "pass"), check("location", "pass"), closing("true")}, false},
		"P-037 nothing was called, nothing": {"", nil, true},
	} {
		said, err := json.Marshal(patrol.Managed{Outcome: c.outcome, FailedChecks: []string{}})
		if err != nil {
			t.Fatal(err)
		}
		if err := manager.Check(t.Context(), agent.Draft{Answer: said, Returns: c.returns}); (err == nil) != c.ok {
			t.Errorf("%s: got %v", name, err)
		}
	}
	t.Run("P-035 a model that calls a failing van verified", func(t *testing.T) {
		t.Parallel()
		p := start(t, apptest.Options{Model: funcModel(func(req *model.Request) (*model.Reply, error) {
			if _, asked := req.Last("run_shift_specialist"); !asked {
				return nil, dossier.Errorf(dossier.Unavailable, "the policy plays")
			}
			return model.Answer(patrol.Managed{Vanpool: "VP-102", Status: patrol.Verification, Outcome: "verified", FailedChecks: []string{}, Reasoning: "All is well."})
		})})
		l := p.audit("VP-102")
		if l.Outcome != "" || !slices.Equal(l.Failed, []string{"shift"}) {
			t.Errorf("got %+v", l)
		}
		p.wantStatus(l.Case, patrol.PendingReply)
	})
}
