package dossier

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

var noon = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)

func TestErrorsHaveTwoReaders(t *testing.T) {
	t.Parallel()
	err := fmt.Errorf("load run: %w", Errorf(NotFound, "No such run.").Because(io.ErrUnexpectedEOF))
	if !errors.Is(err, NotFound) || errors.Is(err, Conflict) || !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("errors.Is does not see kind and cause of %v", err)
	}
	if KindOf(err) != NotFound || KindOf(io.EOF) != Internal {
		t.Errorf("kinds %s and %s", KindOf(err), KindOf(io.EOF))
	}
	if Message(err) != "No such run." || strings.Contains(Message(io.ErrUnexpectedEOF), "EOF") {
		t.Errorf("people read %q and %q", Message(err), Message(io.ErrUnexpectedEOF))
	}
}

func TestStatesOfACase(t *testing.T) {
	t.Parallel()
	want := map[State][]State{
		Preliminary: {Preliminary, Open, Waiting, Cleared},
		Open:        {Open, Waiting, Closed},
		Waiting:     {Open, Waiting, Closed},
		Closed:      nil,
		Cleared:     nil,
	}
	all := []State{Preliminary, Open, Waiting, Closed, Cleared}
	for from, allowed := range want {
		for _, to := range all {
			ok := false
			for _, a := range allowed {
				ok = ok || a == to
			}
			if got := from.CanBecome(to); got != ok {
				t.Errorf("%s to %s: got %v, want %v", from, to, got, ok)
			}
		}
		if from.Live() != (len(allowed) > 0) {
			t.Errorf("%s: live is %v", from, from.Live())
		}
	}
}

func chain(t interface{ Fatal(...any) }, n int) []Evidence {
	var out []Evidence
	for i := range n {
		e := NewEvidence("reading", Source{System: "meter", Locator: fmt.Sprint(i), Fetched: noon}, i, "read %d", i)
		e.ID, e.Case, e.At = EvidenceID(fmt.Sprint("ev-", i)), "CASE-1", noon
		if err := e.Validate(); err != nil {
			t.Fatal(err)
		}
		var prev *Evidence
		if i > 0 {
			prev = &out[i-1]
		}
		e.Seal(prev)
		out = append(out, e)
	}
	return out
}

// Whatever field of whatever entry changes, the chain no longer holds and the first
// changed entry is named.
func TestAnyChangeBreaksTheChain(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 8).Draw(t, "length")
		c := chain(t, n)
		if err := VerifyChain(c); err != nil {
			t.Fatal(err)
		}
		i := rapid.IntRange(0, n-1).Draw(t, "entry")
		e := &c[i]
		switch rapid.IntRange(0, 9).Draw(t, "field") {
		case 0:
			e.ID += "x"
		case 1:
			e.Case += "x"
		case 2:
			e.Seq++
		case 3:
			e.Kind += "x"
		case 4:
			e.Source.System += "x"
		case 5:
			e.Source.Fetched = e.Source.Fetched.Add(time.Microsecond)
		case 6:
			e.Data = json.RawMessage(`"x"`)
		case 7:
			e.Summary += "x"
		case 8:
			e.At = e.At.Add(time.Microsecond)
		case 9:
			e.Supersedes = "ev-x"
		}
		err := VerifyChain(c)
		if !errors.Is(err, Conflict) || !strings.Contains(err.Error(), fmt.Sprintf("Evidence %d ", i+1)) {
			t.Fatalf("entry %d changed: %v", i+1, err)
		}
	})
}

func TestEvidenceNeedsASourceAndJSON(t *testing.T) {
	t.Parallel()
	good := NewEvidence("reading", Source{System: "meter"}, 1, "one")
	for what, change := range map[string]func(*Evidence){
		"kind":   func(e *Evidence) { e.Kind = "" },
		"source": func(e *Evidence) { e.Source.System = "" },
		"data":   func(e *Evidence) { e.Data = json.RawMessage("{") },
	} {
		e := good
		change(&e)
		if !errors.Is(e.Validate(), Invalid) {
			t.Errorf("without %s: %v", what, e.Validate())
		}
	}
}

func TestAFindingMustCite(t *testing.T) {
	t.Parallel()
	good := Finding{Check: "shift", Verdict: Fail, Confidence: 80, By: "rule/shift@2", Cites: []EvidenceID{"ev-1"}}
	if err := good.Validate(); err != nil {
		t.Fatal(err)
	}
	for what, change := range map[string]func(*Finding){
		"check": func(f *Finding) { f.Check = "" }, "verdict": func(f *Finding) { f.Verdict = "maybe" },
		"confidence": func(f *Finding) { f.Confidence = 101 }, "maker": func(f *Finding) { f.By = "" },
		"cites": func(f *Finding) { f.Cites = nil },
	} {
		f := good
		change(&f)
		if !errors.Is(f.Validate(), Invalid) {
			t.Errorf("bad %s was accepted", what)
		}
	}
	if name, version, ok := good.Rule(); name != "shift" || version != "2" || !ok {
		t.Errorf("rule %s %s %v", name, version, ok)
	}
	if _, _, ok := (Finding{By: "agent/casemanager"}).Rule(); ok {
		t.Error("an agent was taken for a rule")
	}
}

func TestLatestKeepsTheNewestAnswerOfEachCheck(t *testing.T) {
	t.Parallel()
	got := Latest([]Finding{
		{ID: "1", Check: "shift", Subject: "A"}, {ID: "2", Check: "location"}, {ID: "3", Check: "shift", Subject: "A"}, {ID: "4", Check: "shift", Subject: "B"},
	})
	var ids []string
	for _, f := range got {
		ids = append(ids, string(f.ID))
	}
	if strings.Join(ids, " ") != "3 2 4" {
		t.Errorf("got %v", ids)
	}
}

// An approval is decided once, by enough different people with the right role, and
// never by the product itself.
func TestDecidingIsBounded(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		need := rapid.IntRange(1, 3).Draw(t, "need")
		a := Approval{Status: Pending, Need: need, Roles: []Role{"chief"}, Verbs: []Verb{Approve, Reject}}
		people := map[string]bool{}
		for range rapid.IntRange(1, 8).Draw(t, "tries") {
			p := Principal{ID: rapid.SampledFrom([]string{"a", "b", "c", "d"}).Draw(t, "who"), Roles: []Role{rapid.SampledFrom([]Role{"chief", "clerk", Auditor, System}).Draw(t, "role")}}
			before := a.Status
			err := a.Decide(Decision{Verb: Approve, By: p, At: noon})
			if err == nil {
				if before != Pending || !p.Has("chief") || people[p.ID] {
					t.Fatalf("accepted %+v when %s", p, before)
				}
				people[p.ID] = true
			}
		}
		if (a.Status == Approved) != (len(people) == need) || len(people) > need {
			t.Fatalf("%d of %d agreed and it is %s", len(people), need, a.Status)
		}
	})
}

func TestRoles(t *testing.T) {
	t.Parallel()
	p := Principal{Roles: []Role{"hr", "gate"}}
	if !p.Has("hr") || p.Has("admin") || !p.HasAny(nil) || !p.HasAny([]Role{"x", "gate"}) || p.HasAny([]Role{"x"}) {
		t.Error("roles are read wrongly")
	}
}
