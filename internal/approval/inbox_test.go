package approval

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"dossier"
	"dossier/internal/agent"
	"dossier/internal/tool"
)

var now = time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)

// A fakeStore keeps one approval and one chain.
type fakeStore struct {
	a       dossier.Approval
	chain   []dossier.Evidence
	settled []dossier.Approval
}

func (s *fakeStore) Approval(context.Context, dossier.ApprovalID) (dossier.Approval, error) {
	return s.a, nil
}

func (s *fakeStore) Facts(context.Context, dossier.CaseID) ([]dossier.Evidence, []dossier.Finding, error) {
	return s.chain, nil, nil
}

func (s *fakeStore) Settle(_ context.Context, a dossier.Approval) error {
	s.a = a
	s.settled = append(s.settled, a)
	return nil
}

type cancelIn struct {
	Rider string `json:"rider"`
}

var cancel = tool.Def[cancelIn, struct{}]{
	Name: "cancel", Doc: "Cancels.", Effect: tool.Act, Roles: []dossier.Role{"coordinator"},
	Key: func(in cancelIn) string { return in.Rider },
	Run: func(context.Context, tool.Call, cancelIn) (tool.Output[struct{}], error) {
		return tool.Output[struct{}]{}, nil
	},
}.Tool()

func who(id string, roles ...dossier.Role) dossier.Principal {
	return dossier.Principal{ID: id, Name: "Person " + id, Roles: roles}
}

func setup(t *testing.T) (*Inbox, *fakeStore) {
	t.Helper()
	s := &fakeStore{}
	e := dossier.NewEvidence("shift", dossier.Source{System: "roster", Locator: "EMP-1"}, "night", "EMP-1 works nights")
	e.ID, e.Case = "ev-1", "CASE-1"
	e.Seal(nil)
	s.chain = []dossier.Evidence{e}
	s.a = dossier.Approval{
		ID: "ap-1", Case: "CASE-1", App: "test", Tool: "cancel", Args: json.RawMessage(`{"rider":"EMP-1"}`),
		Evidence: []dossier.EvidenceID{"ev-1"}, Roles: []dossier.Role{"coordinator"}, Need: 1, For: "u0",
		Verbs: []dossier.Verb{dossier.Approve, dossier.Edit, dossier.Reject}, Status: dossier.Pending,
		Asked: now.Add(-time.Hour), Expires: now.Add(time.Hour),
	}
	sum, err := agent.Digest(s.a, s.chain)
	if err != nil {
		t.Fatal(err)
	}
	s.a.Digest = sum
	return &Inbox{Store: s, Now: func() time.Time { return now }, Tool: func(_, name string) (tool.Tool, bool) {
		return cancel, name == "cancel"
	}}, s
}

func TestDecide(t *testing.T) {
	t.Parallel()
	coordinator := who("u1", "coordinator")
	for _, c := range []struct {
		name   string
		change func(*dossier.Approval)
		seen   string
		d      dossier.Decision
		kind   dossier.Kind // "" means it is recorded
		status dossier.ApprovalStatus
	}{
		{name: "approved", d: dossier.Decision{Verb: dossier.Approve, By: coordinator}, status: dossier.Approved},
		{name: "wrong role", d: dossier.Decision{Verb: dossier.Approve, By: who("u2", "gate")}, kind: dossier.Forbidden},
		{name: "auditor decides nothing", d: dossier.Decision{Verb: dossier.Approve, By: who("u2", dossier.Auditor)}, kind: dossier.Forbidden},
		{name: "the product decides nothing", d: dossier.Decision{Verb: dossier.Approve, By: dossier.SystemPrincipal}, kind: dossier.Forbidden},
		{name: "other digest seen", seen: "other", d: dossier.Decision{Verb: dossier.Approve, By: coordinator}, kind: dossier.Conflict},
		{name: "verb not offered", d: dossier.Decision{Verb: dossier.Respond, By: coordinator, Note: "n"}, kind: dossier.Invalid},
		{name: "reject without a note", d: dossier.Decision{Verb: dossier.Reject, By: coordinator}, kind: dossier.Invalid},
		{name: "edit that does not fit", d: dossier.Decision{Verb: dossier.Edit, By: coordinator, Args: json.RawMessage(`{"ridr":1}`)}, kind: dossier.Invalid},
		{name: "edit", d: dossier.Decision{Verb: dossier.Edit, By: coordinator, Args: json.RawMessage(`{"rider":"EMP-2"}`)}, status: dossier.Approved},
		{
			name: "expired", change: func(a *dossier.Approval) { a.Expires = now.Add(-time.Second) },
			d: dossier.Decision{Verb: dossier.Approve, By: coordinator}, kind: dossier.Conflict,
		},
		{
			name: "four eyes", change: func(a *dossier.Approval) { a.FourEyes = true; a.For = "u1" },
			d: dossier.Decision{Verb: dossier.Approve, By: coordinator}, kind: dossier.Forbidden,
		},
		{
			name: "one of two", change: func(a *dossier.Approval) { a.Need = 2 },
			d: dossier.Decision{Verb: dossier.Approve, By: coordinator}, status: dossier.Pending,
		},
		{
			name: "escalated", change: func(a *dossier.Approval) { a.Remind, a.Escalate = now, []dossier.Role{"chief"} },
			d: dossier.Decision{Verb: dossier.Approve, By: who("u3", "chief")}, status: dossier.Approved,
		},
		{
			name: "not yet escalated", change: func(a *dossier.Approval) { a.Remind, a.Escalate = now.Add(time.Minute), []dossier.Role{"chief"} },
			d: dossier.Decision{Verb: dossier.Approve, By: who("u3", "chief")}, kind: dossier.Forbidden,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			in, s := setup(t)
			if c.change != nil {
				c.change(&s.a)
			}
			_, err := in.Decide(t.Context(), "ap-1", c.seen, c.d)
			if c.kind != "" {
				if !errors.Is(err, c.kind) || len(s.settled) != 0 {
					t.Fatalf("got %v with %d saved, want %s and nothing saved", err, len(s.settled), c.kind)
				}
				return
			}
			if err != nil || s.a.Status != c.status {
				t.Fatalf("got %v, status %s; want %s", err, s.a.Status, c.status)
			}
		})
	}
}

func TestSecondPersonIsTold(t *testing.T) {
	t.Parallel()
	in, _ := setup(t)
	approve := dossier.Decision{Verb: dossier.Approve, By: who("u1", "coordinator")}
	if _, err := in.Decide(t.Context(), "ap-1", "", approve); err != nil {
		t.Fatal(err)
	}
	approve.By = who("u2", "coordinator")
	_, err := in.Decide(t.Context(), "ap-1", "", approve)
	if !errors.Is(err, dossier.Conflict) || !strings.Contains(dossier.Message(err), "Person u1 already decided") {
		t.Errorf("got %v", err)
	}
}

func TestTwoPeopleMustAgree(t *testing.T) {
	t.Parallel()
	in, s := setup(t)
	s.a.Need = 2
	for i, id := range []string{"u1", "u1", "u2"} {
		_, err := in.Decide(t.Context(), "ap-1", "", dossier.Decision{Verb: dossier.Approve, By: who(id, "coordinator")})
		if i == 1 && !errors.Is(err, dossier.Conflict) {
			t.Fatalf("the same person agreed twice: %v", err)
		}
	}
	if s.a.Status != dossier.Approved || len(s.a.Decisions) != 2 {
		t.Errorf("status %s with %d decisions", s.a.Status, len(s.a.Decisions))
	}
}

func TestReplacedEvidenceVoids(t *testing.T) {
	t.Parallel()
	in, s := setup(t)
	e := dossier.NewEvidence("shift", dossier.Source{System: "roster", Locator: "EMP-1"}, "day", "EMP-1 works days now")
	e.ID = "ev-2"
	e.Seal(&s.chain[0])
	s.chain = append(s.chain, e)
	_, err := in.Decide(t.Context(), "ap-1", "", dossier.Decision{Verb: dossier.Approve, By: who("u1", "coordinator")})
	if !errors.Is(err, dossier.Conflict) || !strings.Contains(dossier.Message(err), "EMP-1 works days now") {
		t.Errorf("got %v", err)
	}
	if s.a.Status != dossier.Void {
		t.Errorf("status %s, want void", s.a.Status)
	}
}
