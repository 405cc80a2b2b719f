package store_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"dossier"
	"dossier/internal/agent"
	"dossier/internal/agent/agenttest"
	"dossier/internal/approval"
	"dossier/internal/model"
	"dossier/internal/store"
	"dossier/internal/store/storetest"
	"dossier/internal/tool"
)

var officer = dossier.Principal{ID: "u1", Name: "Officer One", Roles: []dossier.Role{"officer"}}

type deedIn struct {
	Name string `json:"name"`
}

// A loop is the runner and the inbox over a real store, with a model that follows a
// script and one tool that acts.
type loop struct {
	*testing.T
	s      *store.Store
	runner *agent.Runner
	inbox  *approval.Inbox
	run    dossier.Run
	acted  int
	onAct  func() error
	roles  []dossier.Role
}

// loops runs a test of the loop on every database.
func loops(t *testing.T, chat bool, lines []agenttest.Line, test func(l *loop)) {
	t.Helper()
	each(t, func(t *testing.T, s *store.Store, c *storetest.Clock) {
		l := &loop{T: t, s: s, roles: officer.Roles}
		act := tool.Def[deedIn, deedIn]{
			Name: "act", Doc: "Acts.", Effect: tool.Act, Roles: []dossier.Role{"officer"},
			Key:   func(in deedIn) string { return in.Name },
			Title: func(in deedIn) string { return "Do " + in.Name + "." },
			Run: func(_ context.Context, _ tool.Call, in deedIn) (tool.Output[deedIn], error) {
				l.acted++
				if l.onAct != nil {
					return tool.Output[deedIn]{}, l.onAct()
				}
				return tool.Output[deedIn]{Value: in}, nil
			},
		}.Tool()
		a := &agent.Agent{
			Name: "tester", Doc: "Tests.", Prompt: "You test.", Chat: chat, Tools: []tool.Tool{act},
			Policy: func(context.Context, *model.Request) (*model.Reply, error) { return model.Say("the policy spoke"), nil },
		}
		l.runner = agenttest.NewRunner(s, agenttest.NewScript(slices.Clone(lines)...), a)
		l.runner.Now = c.Now
		l.runner.Roles = func(_ context.Context, p dossier.Principal) (dossier.Principal, error) {
			p.Roles = l.roles
			return p, nil
		}
		l.inbox = &approval.Inbox{Store: s, Now: c.Now, Tool: func(string, string) (tool.Tool, bool) { return act, true }}
		cs := storetest.OpenCase(t, s, "vanpool/VP-101")
		var err error
		l.run, err = s.InsertRun(t.Context(), dossier.Run{
			ID: "run-1", Case: cs.ID, App: cs.App, Agent: "tester", For: officer, Input: json.RawMessage(`{}`), Started: c.Now(),
		}, nil, true)
		if err != nil {
			t.Fatal(err)
		}
		test(l)
	})
}

func (l *loop) drive() dossier.Run {
	l.Helper()
	run, err := l.runner.Drive(l.Context(), "run-1")
	if err != nil {
		l.Fatal(err)
	}
	return run
}

// approvals returns what was asked so far as "status title" lines.
func (l *loop) approvals() (lines []string) {
	l.Helper()
	as, err := l.s.Approvals(l.Context(), "run-1")
	if err != nil {
		l.Fatal(err)
	}
	for _, a := range as {
		lines = append(lines, string(a.Status)+" "+a.Title)
	}
	return lines
}

// decide decides the i-th approval.
func (l *loop) decide(i int, verb dossier.Verb, note string) {
	l.Helper()
	l.say(i, dossier.Decision{Verb: verb, Note: note})
}

// edit approves the i-th approval with other arguments.
func (l *loop) edit(i int, args string) {
	l.Helper()
	l.say(i, dossier.Decision{Verb: dossier.Edit, Args: json.RawMessage(args)})
}

func (l *loop) say(i int, d dossier.Decision) {
	l.Helper()
	as, err := l.s.Approvals(l.Context(), "run-1")
	if err != nil || len(as) <= i {
		l.Fatalf("%d approvals, %v", len(as), err)
	}
	d.By = dossier.Principal{ID: "u2", Name: "Officer Two", Roles: officer.Roles}
	if _, err := l.inbox.Decide(l.Context(), as[i].ID, as[i].Digest, d); err != nil {
		l.Fatal(err)
	}
}

// returns gives what came back so far as "ok value" or "failed value" lines.
func (l *loop) returns() (lines []string) {
	l.Helper()
	_, steps, err := l.s.Load(l.Context(), "run-1")
	if err != nil {
		l.Fatal(err)
	}
	for _, s := range steps {
		if s.Kind != dossier.Returned {
			continue
		}
		c, err := agent.CameOf(s)
		if err != nil {
			l.Fatal(err)
		}
		word := map[bool]string{false: "ok ", true: "failed "}[c.Failed]
		lines = append(lines, word+string(c.Value))
	}
	return lines
}

// see records that something the case rests on has changed to n.
func (l *loop) see(n int) {
	l.Helper()
	if _, _, err := l.s.RecordFacts(l.Context(), l.run.Case, []dossier.Evidence{storetest.Shift(n)}, nil); err != nil {
		l.Fatal(err)
	}
}

// diesInTheAct makes the next act end as if the process had died in it.
func (l *loop) diesInTheAct() {
	l.Helper()
	l.runner.ActTimeout = -1
	l.onAct = func() error { return errors.New("it took too long") }
	if _, err := l.runner.Drive(l.Context(), "run-1"); err == nil {
		l.Fatal("an act that was cut off came back")
	}
	l.runner.ActTimeout, l.onAct = 0, nil
}

func (l *loop) act() agent.ActState {
	l.Helper()
	a, err := l.s.Act(l.Context(), "poolpatrol", "act/a")
	if err != nil {
		l.Fatal(err)
	}
	return a.State
}

func (l *loop) want(what string, got, want any) {
	l.Helper()
	if g, w := fmt.Sprintf("%q", got), fmt.Sprintf("%q", want); g != w {
		l.Errorf("%s: %s, want %s", what, g, w)
	}
}

var actsOnce = []agenttest.Line{agenttest.Calls("act", `{"name":"a"}`), agenttest.Says("done")}

// TestAnApprovalThatIsNotUsedSaysSo: evidence that changes between the decision and the
// deed leaves no approval in the records that looks as if it had been carried out.
func TestAnApprovalThatIsNotUsedSaysSo(t *testing.T) {
	t.Parallel()
	loops(t, false, actsOnce, func(l *loop) {
		l.see(1)
		l.drive()
		l.decide(0, dossier.Approve, "")
		l.see(2)
		l.drive()
		l.want("approvals", l.approvals(), []string{"void Do a."})
		l.want("acts", l.acted, 0)
	})
}

// TestSayingSomethingElse: whoever goes on talking withdraws the question, also where
// somebody else has said yes a moment before; the records show that it was not done.
func TestSayingSomethingElse(t *testing.T) {
	t.Parallel()
	loops(t, true, append([]agenttest.Line{agenttest.Calls("act", `{"name":"a"}`)}, agenttest.Says("fine")), func(l *loop) {
		say := func(text string) error { return l.runner.Say(l.Context(), "run-1", officer, text, nil) }
		if err := say("do a"); err != nil {
			l.Fatal(err)
		}
		l.drive()
		l.decide(0, dossier.Approve, "")
		if err := say("what is the weather?"); dossier.KindOf(err) != dossier.Conflict {
			l.Errorf("talking past a decision that is about to be carried out: %v", err)
		}
		l.drive()
		l.want("acts", l.acted, 1)
		l.want("returns", l.returns(), []string{`ok {"name":"a"}`})
	})
}

// TestADoubtOutlivesItsRoles: whether an interrupted act happened is asked, and the
// answer kept, even if whoever the run is for may no longer use the tool.
func TestADoubtOutlivesItsRoles(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		verb  dossier.Verb
		came  string
		state agent.ActState
	}{
		{dossier.Respond, `ok {"happened":true,"note":"seen"}`, agent.ActDone},
		{dossier.Reject, `failed {"error":"Officer Two rejected this: seen"}`, agent.ActFailed},
		{dossier.Approve, `failed {"error":"Officer One may not use act: it needs the role officer."}`, agent.ActFailed},
	} {
		t.Run(string(c.verb), func(t *testing.T) {
			t.Parallel()
			loops(t, false, actsOnce, func(l *loop) {
				l.drive()
				l.decide(0, dossier.Approve, "")
				l.diesInTheAct()
				l.roles = nil
				l.drive()
				l.want("approvals", l.approvals(), []string{"approved Do a.", "pending Did this happen? Do a."})
				l.decide(1, c.verb, "seen")
				l.drive()
				l.want("returns", l.returns(), []string{c.came})
				l.want("state", l.act(), c.state)
				l.want("acts", l.acted, 1)
			})
		})
	}
}

// TestADoubtOutlivesItsEvidence: a person says that an act in doubt be done again, and
// the evidence changes before it is. They are asked again; nothing is taken for undone.
func TestADoubtOutlivesItsEvidence(t *testing.T) {
	t.Parallel()
	loops(t, false, actsOnce, func(l *loop) {
		l.see(1)
		l.drive()
		l.decide(0, dossier.Approve, "")
		l.diesInTheAct()
		l.drive()
		l.decide(1, dossier.Approve, "")
		l.see(2)
		l.drive()
		l.want("approvals", l.approvals(), []string{"approved Do a.", "void Did this happen? Do a.", "pending Did this happen? Do a."})
		l.decide(2, dossier.Respond, "it did")
		l.drive()
		l.want("returns", l.returns(), []string{`ok {"happened":true,"note":"it did"}`})
		l.want("state", l.act(), agent.ActDone)
	})
}

// TestADoubtIsAboutWhatWasBegun: after an edit, the question names what was tried and
// not what a model had planned.
func TestADoubtIsAboutWhatWasBegun(t *testing.T) {
	t.Parallel()
	loops(t, false, actsOnce, func(l *loop) {
		l.drive()
		l.edit(0, `{"name":"b"}`)
		l.diesInTheAct()
		l.drive()
		l.want("approvals", l.approvals(), []string{"approved Do a.", "pending Did this happen? Do b."})
	})
}

// TestNobodyIsAskedInVain: a question whose call was refused meanwhile, because the
// role was taken away, leaves the inbox.
func TestNobodyIsAskedInVain(t *testing.T) {
	t.Parallel()
	loops(t, false, []agenttest.Line{agenttest.Calls("act", `{"name":"a"}`, "act", `{"name":"b"}`), agenttest.Says("done")}, func(l *loop) {
		l.drive()
		l.roles = nil
		l.decide(0, dossier.Reject, "no")
		l.drive()
		l.want("approvals", l.approvals(), []string{"rejected Do a.", "void Do b."})
		l.want("acts", l.acted, 0)
	})
}

// TestOneDeedTwiceInATurn: a model asks for one deed twice in a turn, and the first try
// is interrupted. The run asks what became of it and goes on from the answer.
func TestOneDeedTwiceInATurn(t *testing.T) {
	t.Parallel()
	loops(t, false, []agenttest.Line{agenttest.Calls("act", `{"name":"a"}`, "act", `{"name":"a"}`), agenttest.Says("done")}, func(l *loop) {
		l.drive()
		l.decide(0, dossier.Approve, "")
		l.decide(1, dossier.Approve, "")
		l.diesInTheAct()
		if run := l.drive(); run.Status != dossier.Paused {
			l.Fatalf("the run is %s, want it to wait for a person", run.Status)
		}
		l.want("approvals", l.approvals(), []string{"approved Do a.", "approved Do a.", "pending Did this happen? Do a."})
		l.decide(2, dossier.Respond, "it did")
		run := l.drive()
		l.want("status", run.Status, dossier.Done)
		l.want("returns", l.returns(), []string{`ok {"happened":true,"note":"it did"}`, `ok {"happened":true,"note":"it did"}`})
		l.want("acts", l.acted, 1)
	})
}

// TestAFloodOfCalls: a turn with more calls than anybody can mean is not carried out.
func TestAFloodOfCalls(t *testing.T) {
	t.Parallel()
	var flood []string
	for i := range 12_000 {
		flood = append(flood, "act", fmt.Sprintf(`{"name":"n%d"}`, i))
	}
	loops(t, false, []agenttest.Line{agenttest.Calls(flood...), agenttest.Says("done")}, func(l *loop) {
		run := l.drive()
		l.want("status", run.Status, dossier.Done)
		l.want("approvals", len(l.approvals()), 0)
		if _, steps, err := l.s.Load(l.Context(), "run-1"); err != nil || len(steps) > 5 {
			l.Errorf("%d steps, %v", len(steps), err)
		}
	})
}

// TestCharactersThatCannotBeStored: what a model writes is refused or replaced; the run
// goes on.
func TestCharactersThatCannotBeStored(t *testing.T) {
	t.Parallel()
	lines := []agenttest.Line{agenttest.Calls("act", `{"name":"a\u0000b"}`, "act", "{\"name\":\"c\xff\"}"), agenttest.Says("done\xff\x00.")}
	loops(t, false, lines, func(l *loop) {
		l.drive()
		l.want("approvals", l.approvals(), []string{"pending Do c\uFFFD."})
		l.decide(0, dossier.Approve, "")
		run := l.drive()
		l.want("status", run.Status, dossier.Done)
		got := l.returns()
		if len(got) != 2 || !strings.Contains(got[0], "cannot be stored") || l.acted != 1 {
			l.Errorf("acted %d times and came back %q", l.acted, got)
		}
	})
}

// TestAnActThatBreaks: a tool that breaks down in the middle of an act has not said that
// nothing happened.
func TestAnActThatBreaks(t *testing.T) {
	t.Parallel()
	loops(t, false, actsOnce, func(l *loop) {
		l.drive()
		l.decide(0, dossier.Approve, "")
		l.onAct = func() error { panic("after the mail went out") }
		l.drive()
		l.onAct = nil
		l.want("approvals", l.approvals(), []string{"approved Do a.", "pending Did this happen? Do a."})
		l.want("state", l.act(), agent.ActBegun)
	})
}
