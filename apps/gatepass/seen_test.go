package gatepass_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"dossier"
	"dossier/apps/gatepass"
	"dossier/apps/gatepass/grammar"
	"dossier/apps/gatepass/office"
	"dossier/internal/app/apptest"
	"dossier/internal/model"
)

// A mishearer is a model that plans the calls it was given, one a turn, whatever is
// said, and claims that the person agreed.
type mishearer struct{ plans []model.Planned }

func (*mishearer) Name() string { return "test/mishearer" }

func (m *mishearer) Generate(_ context.Context, req *model.Request, _ func(string)) (*model.Reply, error) {
	if len(m.plans) == 0 {
		return model.Say("It is done; you agreed to it."), nil
	}
	next := m.plans[0]
	m.plans = m.plans[1:]
	return req.Calling(next), nil
}

func planned(tool, args string) model.Planned {
	return model.Planned{Tool: tool, Args: json.RawMessage(args)}
}

func (k *talk) passes() []string {
	k.T.Helper()
	k.As = hr
	var page office.Page
	if status, answer := k.Call("GET", "/hr/gatepass/list", nil, &page); status != 200 {
		k.T.Fatal(answer)
	}
	var out []string
	for _, p := range page.Items {
		out = append(out, p.Number+" "+p.Person+" "+string(p.Status))
	}
	return out
}

// What a model planned at a desk is shown by code, from the fields it will be done with,
// before it is done: a mishearing ends in a question, and only what was shown is done.
func TestAModelMishears(t *testing.T) {
	t.Parallel()
	create := planned("create_gate_pass", `{"person_name":"Ravi Sharma","description":"bank","is_returnable":true,"return_by":"2026-11-16T16:00"}`)
	for _, c := range []struct {
		name   string
		answer dossier.Verb
		want   []string
	}{
		{"it is not done when the person says no", dossier.Reject, nil},
		{"it is done as it was shown when the person agrees", dossier.Approve, []string{"GP-2026-0001 Ravi Sharma pending"}},
		{"it is not done when the person says something else", "", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b := apptest.Open(t, gatepass.App, apptest.Options{At: monday, Model: &mishearer{plans: []model.Planned{create}}})
			k := begin(b, "hr", hr)
			if got := k.say("a pass for Ravi Kumar please, bank, back by 4"); got != "ASKED" || len(k.passes()) != 0 {
				t.Fatalf("got %q and %q before anybody agreed", got, k.passes())
			}
			asked := b.Pending()
			const shown = "Create a pass for Ravi Sharma. Purpose: bank. The person will come back by Monday 16 November 2026, 16:00."
			if len(asked) != 1 || asked[0].Title != shown || asked[0].For != hr.ID {
				t.Fatalf("got %+v, want %q", asked, shown)
			}
			if c.answer == "" {
				k.say("no, I said Ravi Kumar")
			} else {
				b.Decide(asked[0].ID, dossier.Decision{Verb: c.answer, Note: "Another Ravi.", By: hr})
			}
			if got := k.passes(); strings.Join(got, ";") != strings.Join(c.want, ";") {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
	t.Run("the stored pass is shown beside a decision about it", func(t *testing.T) {
		t.Parallel()
		m := &mishearer{}
		b := apptest.Open(t, gatepass.App, apptest.Options{At: monday, Model: m})
		b.As = hr
		b.Call("POST", "/hr/gatepass/create", `{"person_name":"Ravi Kumar","description":"bank","is_returnable":false}`, nil)
		m.plans = []model.Planned{planned("approve_gate_pass", `{"pass_number":"GP-2026-0001","name":"Meera Iyer"}`)}
		k := begin(b, "admin", admin)
		if got := k.say("reject GP-2026-0001"); got != "ASKED" {
			t.Fatalf("got %q", got)
		}
		a := b.Pending()[0]
		known, err := b.Kit.Background(t.Context(), a, admin)
		if err != nil || a.Title != "Approve GP-2026-0001, in the name of Meera Iyer." || len(known) != 1 || known[0].Value != "GP-2026-0001 of Ravi Kumar (bank), pending" {
			t.Errorf("got %q and %+v %v", a.Title, known, err)
		}
		if got := k.passes(); got[0] != "GP-2026-0001 Ravi Kumar pending" {
			t.Errorf("got %q", got)
		}
	})
	t.Run("the reference policy is code and is not asked so", func(t *testing.T) {
		t.Parallel()
		k := begin(apptest.Open(t, gatepass.App, apptest.Options{At: monday}), "hr", hr)
		k.say("create a pass for Ravi Kumar to visit the bank, he'll be back by 4 pm")
		if got := k.passes(); len(got) != 1 {
			t.Errorf("got %q", got)
		}
	})
}

// What the grammar may have misheard is shown first, too, and done on a plain yes alone.
func TestTheGrammarShowsWhatItDoubts(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		answer string
		want   string
	}{
		{"yes", "approved"}, {"haan ji", "approved"}, {"no", "pending"}, {"yes but only tomorrow", "pending"}, {"what is its status?", "pending"},
	} {
		t.Run(c.answer, func(t *testing.T) {
			t.Parallel()
			b := apptest.Open(t, gatepass.App, apptest.Options{At: monday})
			b.As = hr
			b.Call("POST", "/hr/gatepass/create", `{"person_name":"Ravi Kumar","description":"bank","is_returnable":false}`, nil)
			k := begin(b, "admin", admin)
			k.must("tell HR I will approve GP-2026-0001", "This is how I understood you. Approve GP-2026-0001, in the name of Meera Iyer. Shall I?")
			k.say(c.answer)
			if got := k.passes(); len(got) != 1 || got[0] != "GP-2026-0001 Ravi Kumar "+c.want {
				t.Errorf("got %q, want %s", got, c.want)
			}
		})
	}
}

// Only a plain yes agrees to what was shown.
func TestAgrees(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"yes": "yes", "Yes, do it": "yes", "haan ji": "yes", "ok go ahead please": "yes", "confirm": "yes", "yes, delete it": "yes", "yes create the pass": "yes",
		"no": "no", "don't": "no", "no, leave it": "no", "never mind": "no",
		"yes but for Ravi Kumar": "", "ok, on Tuesday": "", "yes and also for Priya": "", "no, make that Tuesday": "", "he will be back": "", "yes he won't return": "", "what?": "", "": "",
	} {
		got := ""
		if yes, ok := grammar.Agrees(text); ok {
			got = map[bool]string{true: "yes", false: "no"}[yes]
		}
		if got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}
