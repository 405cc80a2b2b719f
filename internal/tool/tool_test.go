package tool

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"dossier"
)

type bucket string

func (bucket) Values() []string { return []string{"question", "update"} }

type replyIn struct {
	Thread string   `json:"thread" jsonschema:"the thread's id"`
	Bucket bucket   `json:"bucket"`
	Maybe  *bucket  `json:"maybe"`
	Limit  int      `json:"limit,omitempty"`
	Tags   []bucket `json:"tags,omitempty"`
}

func def() Def[replyIn, struct{}] {
	return Def[replyIn, struct{}]{
		Name: "reply", Doc: "Replies.", Roles: []dossier.Role{"desk"},
		Run: func(context.Context, Call, replyIn) (Output[struct{}], error) { return Output[struct{}]{}, nil },
	}
}

func TestArgumentsAreCheckedAgainstTheType(t *testing.T) {
	t.Parallel()
	tl := def().Tool()
	for args, want := range map[string]string{
		`{"thread":"T","bucket":"update","maybe":null}`:                         "",
		`{"thread":"T","bucket":"update","maybe":"question","tags":["update"]}`: "",
		`{"bucket":"update","maybe":null}`:                                      "Missing: thread.",
		`{"thread":"T","bucket":"other","maybe":null}`:                          "bucket must be one of question, update, not other.",
		`{"thread":5,"bucket":"update","maybe":null}`:                           "thread must be a string, not a",
		`{"thread":"T","bucket":"update","maybe":null,"x":1}`:                   "Unknown: x.",
		`{"thread":"T","bucket":"update","maybe":"other"}`:                      "maybe must be one of",
		`{"thread":"T","bucket":"update","maybe":null,"tags":["no"]}`:           "tags",
		`[1]`:    "The arguments do not fit",
		`{"a"`:   "This is not JSON",
		`"text"`: "The arguments do not fit",
	} {
		_, err := tl.Plan(json.RawMessage(args))
		switch {
		case want == "" && err != nil:
			t.Errorf("%s: %v", args, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%s: got %v, want %q", args, err, want)
		}
	}
}

func TestBadDeclarationsAreNamed(t *testing.T) {
	t.Parallel()
	for want, change := range map[string]func(*Def[replyIn, struct{}]){
		"snake_case":      func(d *Def[replyIn, struct{}]) { d.Name = "Reply-All" },
		"needs a Doc":     func(d *Def[replyIn, struct{}]) { d.Doc = "" },
		"needs a Run":     func(d *Def[replyIn, struct{}]) { d.Run = nil },
		"act needs a Key": func(d *Def[replyIn, struct{}]) { d.Effect = Act },
	} {
		func() {
			defer func() {
				v := recover()
				if text, _ := v.(string); !strings.Contains(text, want) {
					t.Errorf("got %v, want a panic that says %q", v, want)
				}
			}()
			d := def()
			change(&d)
			d.Tool()
		}()
	}
}

func TestPlan(t *testing.T) {
	t.Parallel()
	d := def()
	d.Effect = Act
	d.Key = func(in replyIn) string { return in.Thread }
	p, err := d.Tool().Plan(json.RawMessage(`{"maybe":null, "bucket":"update",  "thread":"T"}`))
	if err != nil {
		t.Fatal(err)
	}
	if string(p.Args) != `{"bucket":"update","maybe":null,"thread":"T"}` || p.Key != "reply/T" || p.Ask == "" {
		t.Errorf("got %s, key %q, ask %q", p.Args, p.Key, p.Ask)
	}
	d.Ask = func(replyIn) string { return "" }
	if p, _ := d.Tool().Plan(json.RawMessage(`{"maybe":null,"bucket":"update","thread":"T"}`)); p.Ask != "" {
		t.Errorf("Ask said nobody need be asked; got %q", p.Ask)
	}
	d.Check = func(replyIn) error { return dossier.Errorf(dossier.Invalid, "No.") }
	if _, err := d.Tool().Plan(json.RawMessage(`{"maybe":null,"bucket":"update","thread":"T"}`)); dossier.KindOf(err) != dossier.Invalid {
		t.Errorf("Check was not asked: %v", err)
	}
}

// An assistant outside the product gets no act done that nobody has decided about,
// unless the tool says that it can be taken back.
func TestOthersAreAskedAboutActs(t *testing.T) {
	t.Parallel()
	nobody := func(replyIn) string { return "" }
	args := json.RawMessage(`{"thread":"T","bucket":"update","maybe":null}`)
	for name, c := range map[string]struct {
		change      func(*Def[replyIn, struct{}])
		own, others string
	}{
		"a read":                      {func(*Def[replyIn, struct{}]) {}, "", ""},
		"a write":                     {func(d *Def[replyIn, struct{}]) { d.Effect = Write }, "", ""},
		"a write that is asked":       {func(d *Def[replyIn, struct{}]) { d.Effect, d.Ask = Write, func(replyIn) string { return "Lasting." } }, "Lasting.", "Lasting."},
		"an act":                      {func(d *Def[replyIn, struct{}]) { d.Effect = Act }, "This changes something outside the product.", "This changes something outside the product."},
		"an act that agents do alone": {func(d *Def[replyIn, struct{}]) { d.Effect, d.Ask = Act, nobody }, "", "Another assistant asks for this, and it changes something outside the product."},
		"an act that can be undone":   {func(d *Def[replyIn, struct{}]) { d.Effect, d.Ask, d.AskOther = Act, nobody, nobody }, "", ""},
		"an act that others are asked": {func(d *Def[replyIn, struct{}]) {
			d.Effect, d.Ask, d.AskOther = Act, nobody, func(replyIn) string { return "Yours?" }
		}, "", "Yours?"},
		"what is asked of all stays": {func(d *Def[replyIn, struct{}]) { d.Effect, d.AskOther = Act, nobody }, "This changes something outside the product.", "This changes something outside the product."},
	} {
		d := def()
		d.Key = func(in replyIn) string { return in.Thread }
		c.change(&d)
		own, err := d.Tool().Plan(args)
		others, oerr := d.Tool().ForOthers().Plan(args)
		if err != nil || oerr != nil || own.Ask != c.own || others.Ask != c.others || own.Key != others.Key {
			t.Errorf("%s: own %q, others %q, want %q and %q (%v, %v)", name, own.Ask, others.Ask, c.own, c.others, err, oerr)
		}
	}
}

func TestToolsForARole(t *testing.T) {
	t.Parallel()
	tools := []Tool{def().Tool()}
	for role, want := range map[dossier.Role]int{"desk": 1, "gate": 0, dossier.Auditor: 0, dossier.System: 1} {
		if got := For(dossier.Principal{Roles: []dossier.Role{role}}, tools); len(got) != want {
			t.Errorf("%s sees %d tools, want %d", role, len(got), want)
		}
	}
}

// TestNumbersThatCannotBeKept: what a person is shown, what the key names and what is
// done are one number.
func TestNumbersThatCannotBeKept(t *testing.T) {
	t.Parallel()
	type in struct {
		Account int64     `json:"account"`
		Note    string    `json:"note,omitempty"`
		Shares  []float64 `json:"shares,omitempty"`
	}
	pay := Def[in, string]{
		Name: "pay", Doc: "Pays.", Effect: Act, Key: func(i in) string { return fmt.Sprint(i.Account) },
		Run: func(context.Context, Call, in) (Output[string], error) { return Output[string]{}, nil },
	}.Tool()
	for args, ok := range map[string]bool{
		`{"account":9007199254740993}`:                         false,
		`{"account":9007199254740992}`:                         true,
		`{"account":1,"note":"9007199254740993"}`:              true,
		`{"account":1,"shares":[0.1000000000000000055511151]}`: true,
		`{"account":1,"shares":[2,123456789012345678901]}`:     false,
	} {
		p, err := pay.Plan(json.RawMessage(args))
		if ok != (err == nil) || !ok && dossier.KindOf(err) != dossier.Invalid {
			t.Errorf("%s: %s, %v", args, p.Args, err)
		}
	}
}
