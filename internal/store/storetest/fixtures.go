package storetest

import (
	"encoding/json"
	"testing"

	"dossier"
	"dossier/internal/app"
	"dossier/internal/store"
)

// OpenCase opens a case of poolpatrol about a subject.
func OpenCase(t testing.TB, s *store.Store, subject string) dossier.Case {
	t.Helper()
	c, _, err := s.OpenCase(t.Context(), "poolpatrol", app.Opening{Subject: subject, Title: "Van " + subject, State: dossier.Open})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// StartRun starts a run of a case, with its first step.
func StartRun(t testing.TB, s *store.Store, c dossier.Case) dossier.Run {
	t.Helper()
	r, err := s.InsertRun(t.Context(), dossier.Run{
		Case: c.ID, App: c.App, Agent: "casemanager", For: dossier.SystemPrincipal, Input: json.RawMessage(`{}`),
	}, []dossier.Step{Step(1, dossier.Said)}, false)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Shift is evidence that an employee works the n-th shift.
func Shift(n int) dossier.Evidence {
	return dossier.NewEvidence("employee_shift", dossier.Source{System: "roster", Locator: "EMP-1006"},
		map[string]int{"shift": n}, "EMP-1006 works shift %d.", n)
}

// Step is the n-th step of a run.
func Step(n int, kind dossier.StepKind) dossier.Step {
	return dossier.Step{Seq: n, Kind: kind, Body: json.RawMessage(`{"n":1}`)}
}

// Ask asks for a membership to be cancelled, resting on evidence.
func Ask(ev ...dossier.EvidenceID) dossier.Approval {
	return dossier.Approval{
		Call: "c1", Tool: "cancel_membership", Args: json.RawMessage(`{"employee":"EMP-1006"}`), Evidence: ev, Digest: "d",
		Title: "Cancel the membership of EMP-1006.", Roles: []dossier.Role{"programme"},
		Verbs: []dossier.Verb{dossier.Approve, dossier.Reject}, Need: 1, For: "system",
	}
}
