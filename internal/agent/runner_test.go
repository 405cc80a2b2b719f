package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"dossier"
	"dossier/internal/agent"
	"dossier/internal/agent/agenttest"
	"dossier/internal/model"
	"dossier/internal/tool"
)

type nameIn struct {
	Name string `json:"name"`
}

type nameOut struct {
	Heard string `json:"heard"`
}

// A world is what the test tools change, and a bundle of what a test needs.
type world struct {
	t       *testing.T
	log     *agenttest.Log
	runner  *agent.Runner
	agent   *agent.Agent
	acted   atomic.Int64
	wrote   atomic.Int64
	looked  atomic.Int64
	actArgs []string
	mu      sync.Mutex
	onAct   func() error
}

var person = dossier.Principal{ID: "u1", Name: "Officer One", Roles: []dossier.Role{"officer"}}

func (w *world) tools() []tool.Tool {
	look := tool.Def[nameIn, nameOut]{
		Name: "look", Doc: "Looks.",
		Run: func(_ context.Context, c tool.Call, in nameIn) (tool.Output[nameOut], error) {
			w.looked.Add(1)
			if in.Name == "missing" {
				return tool.Output[nameOut]{}, dossier.Errorf(dossier.NotFound, "There is no %s.", in.Name)
			}
			src := dossier.Source{System: "test", Locator: in.Name}
			return tool.Output[nameOut]{
				Value:    nameOut{in.Name},
				Evidence: []dossier.Evidence{dossier.NewEvidence("thing", src, in, "saw %s", in.Name)},
				Findings: []dossier.Finding{{Check: "thing", Subject: in.Name, Verdict: dossier.Pass, By: "rule/thing@1"}},
			}, nil
		},
	}
	write := tool.Def[nameIn, nameOut]{
		Name: "write", Doc: "Writes.", Effect: tool.Write,
		Run: func(_ context.Context, _ tool.Call, in nameIn) (tool.Output[nameOut], error) {
			w.wrote.Add(1)
			return tool.Output[nameOut]{Value: nameOut{in.Name}}, nil
		},
	}
	act := tool.Def[nameIn, nameOut]{
		Name: "act", Doc: "Acts.", Effect: tool.Act, Roles: []dossier.Role{"officer"},
		Key: func(in nameIn) string { return in.Name },
		Run: func(_ context.Context, _ tool.Call, in nameIn) (tool.Output[nameOut], error) {
			w.acted.Add(1)
			w.mu.Lock()
			w.actArgs = append(w.actArgs, in.Name)
			w.mu.Unlock()
			if w.onAct != nil {
				return tool.Output[nameOut]{}, w.onAct()
			}
			return tool.Output[nameOut]{Value: nameOut{in.Name}}, nil
		},
	}
	secret := tool.Def[nameIn, nameOut]{
		Name: "secret", Doc: "For admins.", Roles: []dossier.Role{dossier.Admin},
		Run: func(context.Context, tool.Call, nameIn) (tool.Output[nameOut], error) {
			w.t.Error("a hidden tool ran")
			return tool.Output[nameOut]{}, nil
		},
	}
	return []tool.Tool{look.Tool(), write.Tool(), act.Tool(), secret.Tool()}
}

// sayDone is a reference policy that ends at once.
func sayDone(context.Context, *model.Request) (*model.Reply, error) {
	return model.Say("the policy spoke"), nil
}

func newWorld(t *testing.T, lines ...agenttest.Line) *world {
	t.Helper()
	w := &world{t: t, log: agenttest.NewLog()}
	w.agent = &agent.Agent{Name: "tester", Doc: "Tests.", Prompt: "You test. A literal {} stays.", Policy: sayDone, Tools: w.tools()}
	var m model.Model
	if lines != nil {
		m = agenttest.NewScript(lines...)
	}
	w.runner = agenttest.NewRunner(w.log, m, w.agent)
	w.log.Start(dossier.Run{
		ID: "run-1", Case: "CASE-1", App: "test", Agent: "tester", For: person,
		Status: dossier.Ready, Input: json.RawMessage(`{"x":1}`), Started: w.runner.Now(),
	})
	return w
}

func (w *world) drive() dossier.Run {
	w.t.Helper()
	run, err := w.runner.Drive(w.t.Context(), "run-1")
	if err != nil {
		w.t.Fatal(err)
	}
	return run
}

// returns gives what came back to the run so far, as "tool ok value" lines.
func (w *world) returns() []string {
	w.t.Helper()
	_, steps, err := w.log.Load(w.t.Context(), "run-1")
	if err != nil {
		w.t.Fatal(err)
	}
	var out []string
	for _, s := range steps {
		if s.Kind != dossier.Returned {
			continue
		}
		c, err := agent.CameOf(s)
		if err != nil {
			w.t.Fatal(err)
		}
		word := "ok"
		if c.Failed {
			word = "failed"
		}
		out = append(out, fmt.Sprintf("%s %s %s", c.Tool, word, c.Value))
	}
	return out
}

func (w *world) decide(verb dossier.Verb, args, note string) {
	w.t.Helper()
	pending := w.log.Pending()
	if len(pending) == 0 {
		w.t.Fatal("nothing is pending")
	}
	d := dossier.Decision{Verb: verb, By: person, At: w.runner.Now(), Note: note}
	if args != "" {
		d.Args = json.RawMessage(args)
	}
	if err := w.log.Decide(pending[0].ID, d); err != nil {
		w.t.Fatal(err)
	}
}

func TestBadCallsGoBackToTheModel(t *testing.T) {
	t.Parallel()
	w := newWorld(t,
		agenttest.Calls(
			"look", `{"name":"a"}`, "look", `{"nme":"a"}`, "look", `{"name":7}`, "look", `not json`,
			"nothing", `{}`, "secret", `{"name":"x"}`, "look", `{"name":"missing"}`),
		agenttest.Says("done"))
	run := w.drive()
	if run.Status != dossier.Done || string(run.Answer) != `"done"` {
		t.Fatalf("run ended %s with %s", run.Status, run.Answer)
	}
	got := w.returns()
	wants := []string{
		`look ok {"heard":"a"}`, `look failed `, `look failed `, `look failed `,
		`nothing failed {"error":"There is no tool named \"nothing\". There are: look, write, act."}`,
		`secret failed {"error":"Officer One may not use secret: it needs the role admin."}`,
		`look failed {"error":"There is no missing."}`,
	}
	if len(got) != len(wants) {
		t.Fatalf("got %d returns, want %d: %q", len(got), len(wants), got)
	}
	for i, want := range wants {
		if !strings.HasPrefix(got[i], want) {
			t.Errorf("return %d: got %s, want %s…", i, got[i], want)
		}
	}
	if n := w.looked.Load(); n != 2 {
		t.Errorf("look ran %d times, want 2: bad arguments must not reach it", n)
	}
}

func TestEvidenceAndFindingsAreTied(t *testing.T) {
	t.Parallel()
	w := newWorld(t, agenttest.Calls("look", `{"name":"a"}`, "look", `{"name":"b"}`), agenttest.Says("done"))
	w.drive()
	chain, found, _ := w.log.Facts(t.Context(), "CASE-1")
	if err := dossier.VerifyChain(chain); err != nil || len(chain) != 2 {
		t.Fatalf("chain of %d: %v", len(chain), err)
	}
	for i, f := range found {
		if diff := cmp.Diff([]dossier.EvidenceID{chain[i].ID}, f.Cites); diff != "" {
			t.Errorf("finding %d cites (-want +got):\n%s", i, diff)
		}
		if chain[i].Step != "run-1/3" && chain[i].Step != "run-1/4" {
			t.Errorf("evidence %d belongs to step %s", i, chain[i].Step)
		}
	}
}

func TestReadsOfOneTurnRunTogetherAndAreRecordedInOrder(t *testing.T) {
	t.Parallel()
	w := newWorld(t, agenttest.Calls("meet", `{"name":"a"}`, "meet", `{"name":"b"}`, "meet", `{"name":"c"}`), agenttest.Says("done"))
	var here sync.WaitGroup
	here.Add(3)
	w.agent.Tools = append(w.agent.Tools, tool.Def[nameIn, nameOut]{
		Name: "meet", Doc: "Returns only when all three are here.",
		Run: func(_ context.Context, _ tool.Call, in nameIn) (tool.Output[nameOut], error) {
			here.Done()
			here.Wait()
			return tool.Output[nameOut]{Value: nameOut{in.Name}}, nil
		},
	}.Tool())
	w.drive()
	want := []string{`meet ok {"heard":"a"}`, `meet ok {"heard":"b"}`, `meet ok {"heard":"c"}`}
	if diff := cmp.Diff(want, w.returns()); diff != "" {
		t.Errorf("returns (-want +got):\n%s", diff)
	}
}

func TestActWaitsForAPerson(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		verb       dossier.Verb
		args, note string
		acts       []string
		came       string
	}{
		{dossier.Approve, "", "", []string{"a"}, `act ok {"heard":"a"}`},
		{dossier.Edit, `{"name":"b"}`, "", []string{"b"}, `act ok {"heard":"b"}`},
		{dossier.Edit, `{"nme":"b"}`, "", nil, `act failed {"error":"The edited arguments cannot be used: `},
		{dossier.Reject, "", "too soon", nil, `act failed {"error":"Officer One rejected this: too soon"}`},
		{dossier.Respond, "", "ask the depot", nil, `act failed {"error":"Officer One answered instead: ask the depot"}`},
	} {
		t.Run(string(c.verb)+c.args, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, agenttest.Calls("act", `{"name":"a"}`), agenttest.Says("done"))
			if run := w.drive(); run.Status != dossier.Paused || w.acted.Load() != 0 {
				t.Fatalf("before the decision: status %s, acts %d", run.Status, w.acted.Load())
			}
			if run := w.drive(); run.Status != dossier.Paused || len(w.log.Pending()) != 1 {
				t.Fatalf("driving a waiting run again asked again: %d pending", len(w.log.Pending()))
			}
			w.decide(c.verb, c.args, c.note)
			w.drive()
			w.drive()
			if diff := cmp.Diff(c.acts, w.actArgs); diff != "" {
				t.Errorf("acts (-want +got):\n%s", diff)
			}
			if got := w.returns(); len(got) != 1 || !strings.HasPrefix(got[0], c.came) {
				t.Errorf("came back %q, want %s", got, c.came)
			}
		})
	}
}

func TestTwoPendingAreDecidedInAnyOrder(t *testing.T) {
	t.Parallel()
	w := newWorld(t, agenttest.Calls("act", `{"name":"a"}`, "act", `{"name":"b"}`), agenttest.Says("done"))
	w.drive()
	pending := w.log.Pending()
	if len(pending) != 2 {
		t.Fatalf("%d pending, want 2", len(pending))
	}
	for _, i := range []int{1, 0} {
		err := w.log.Decide(pending[i].ID, dossier.Decision{Verb: dossier.Approve, By: person, At: w.runner.Now()})
		if err != nil {
			t.Fatal(err)
		}
		w.drive()
	}
	if diff := cmp.Diff([]string{"b", "a"}, w.actArgs); diff != "" {
		t.Errorf("acts (-want +got):\n%s", diff)
	}
}

func TestChangedEvidenceVoidsAnApproval(t *testing.T) {
	t.Parallel()
	w := newWorld(t, agenttest.Calls("look", `{"name":"a"}`), agenttest.Calls("act", `{"name":"a"}`), agenttest.Says("done"))
	w.drive()
	w.decide(dossier.Approve, "", "")
	src := dossier.Source{System: "test", Locator: "a"}
	if err := w.log.See("CASE-1", dossier.NewEvidence("thing", src, nameIn{"other"}, "a is now other")); err != nil {
		t.Fatal(err)
	}
	w.drive()
	if n := w.acted.Load(); n != 0 {
		t.Fatalf("the act ran %d times on evidence that changed", n)
	}
	got := w.returns()
	if want := "a is now other"; !strings.Contains(got[len(got)-1], want) {
		t.Errorf("the agent was told %q, want it to hear %q", got[len(got)-1], want)
	}
	all, _ := w.log.Approvals(t.Context(), "run-1")
	if all[0].Status != dossier.Void {
		t.Errorf("the approval is %s, want void", all[0].Status)
	}
}

func TestSameKeyActsOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, agenttest.Calls("act", `{"name":"a"}`), agenttest.Calls("act", `{"name":"a"}`), agenttest.Says("done"))
	w.drive()
	w.decide(dossier.Approve, "", "")
	w.drive()
	if n := w.acted.Load(); n != 1 {
		t.Errorf("acted %d times, want once", n)
	}
	if got := w.returns(); len(got) != 2 || got[0] != got[1] {
		t.Errorf("the second call got another result: %q", got)
	}
}

// A killed process leaves an act begun. Nobody may repeat it unasked.
func TestInterruptedActBecomesAQuestion(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		verb dossier.Verb
		note string
		acts int64
		came string
	}{
		{dossier.Approve, "", 2, `act ok {"heard":"a"}`},
		{dossier.Respond, "it did", 1, `act ok {"happened":true,"note":"it did"}`},
		{dossier.Reject, "it did not", 1, `act failed {"error":"Officer One rejected this: it did not"}`},
	} {
		t.Run(string(c.verb), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, agenttest.Calls("act", `{"name":"a"}`), agenttest.Says("done"))
			w.drive()
			w.decide(dossier.Approve, "", "")
			ctx, cancel := context.WithCancel(t.Context())
			killed := &dyingLog{Log: w.log, after: cancel}
			w.runner.Log = killed
			if _, err := w.runner.Drive(ctx, "run-1"); err == nil {
				t.Fatal("the killed process reported success")
			}
			w.log.Restart()
			w.runner.Log = w.log
			if run := w.drive(); run.Status != dossier.Paused {
				t.Fatalf("after the restart the run is %s, want paused", run.Status)
			}
			if p := w.log.Pending(); len(p) != 1 || !strings.HasPrefix(p[0].Title, "Did this happen?") {
				t.Fatalf("pending: %+v", p)
			}
			w.decide(c.verb, "", c.note)
			w.drive()
			if n := w.acted.Load(); n != c.acts {
				t.Errorf("acted %d times, want %d", n, c.acts)
			}
			if got := w.returns(); len(got) != 1 || got[0] != c.came {
				t.Errorf("came back %q, want %s", got, c.came)
			}
		})
	}
}

// A dyingLog fails every record after an act was begun, as a killed process would.
type dyingLog struct {
	*agenttest.Log
	after func()
	dead  bool
}

func (d *dyingLog) Record(ctx context.Context, m agent.Move) error {
	if d.dead {
		return errors.New("killed")
	}
	d.dead = m.Begin != nil
	return d.Log.Record(ctx, m)
}

func TestAnActUnderWayIsLeftAlone(t *testing.T) {
	t.Parallel()
	w := newWorld(t, agenttest.Calls("act", `{"name":"a"}`), agenttest.Says("done"))
	w.drive()
	w.decide(dossier.Approve, "", "")
	w.onAct = func() error {
		next, err := w.runner.Advance(t.Context(), "run-1")
		if err != nil || next != agent.Pause {
			t.Errorf("advancing during the act: %v, %v", next, err)
		}
		return nil
	}
	w.drive()
	if n := w.acted.Load(); n != 1 {
		t.Errorf("acted %d times, want once", n)
	}
}

// Every pause between two moves is a chance for a restart. The outcome is the same.
func TestANewRunnerBetweenAnyTwoMoves(t *testing.T) {
	t.Parallel()
	lines := []agenttest.Line{
		agenttest.Calls("look", `{"name":"a"}`, "write", `{"name":"w"}`),
		agenttest.Calls("act", `{"name":"a"}`), agenttest.Says("done"),
	}
	w := newWorld(t, lines...)
	for range 50 {
		fresh := agenttest.NewRunner(w.log, w.runner.Model("", nil), w.agent)
		next, err := fresh.Advance(t.Context(), "run-1")
		if err != nil {
			t.Fatal(err)
		}
		w.log.Restart()
		if next == agent.Pause {
			w.decide(dossier.Approve, "", "")
		}
		if next == agent.Stop {
			break
		}
	}
	run, _, _ := w.log.Load(t.Context(), "run-1")
	if run.Status != dossier.Done || w.acted.Load() != 1 || w.wrote.Load() != 1 || w.looked.Load() != 1 {
		t.Errorf("status %s, acts %d, writes %d, looks %d; want done, 1, 1, 1", run.Status, w.acted.Load(), w.wrote.Load(), w.looked.Load())
	}
}

func TestModelFailureFallsBackToThePolicy(t *testing.T) {
	t.Parallel()
	for name, line := range map[string]agenttest.Line{
		"error":   {Err: dossier.Errorf(dossier.Unavailable, "The provider did not answer.")},
		"refused": {Reply: &model.Reply{Stop: model.Refused}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, line)
			run := w.drive()
			if string(run.Answer) != `"the policy spoke"` {
				t.Errorf("answer %s", run.Answer)
			}
			_, steps, _ := w.log.Load(t.Context(), "run-1")
			turn, _ := agent.TurnOf(steps[1])
			if turn.Fallback == "" || turn.Model != "reference/tester" {
				t.Errorf("the step hides the fallback: %+v", turn)
			}
		})
	}
}

func TestUnusableAnswers(t *testing.T) {
	t.Parallel()
	w := newWorld(t, agenttest.Says("no json"), agenttest.Says(`{"heard":5}`), agenttest.Says(`{"heard":"never asked"}`))
	w.agent.Output = tool.SchemaOf[nameOut]()
	w.agent.Policy = func(context.Context, *model.Request) (*model.Reply, error) { return model.Answer(nameOut{"policy"}) }
	run := w.drive()
	if string(run.Answer) != `{"heard":"policy"}` {
		t.Errorf("after one repair turn the policy must answer; got %s", run.Answer)
	}
	w = newWorld(t, agenttest.Says("no json"), agenttest.Says("```json\n{\"heard\":\"mended\"}\n```"))
	w.agent.Output = tool.SchemaOf[nameOut]()
	if run := w.drive(); string(run.Answer) != `{"heard":"mended"}` {
		t.Errorf("the repaired answer was not used; got %s", run.Answer)
	}
}

func TestThePolicyPlaysOnForAModelThatDoesNotGetThere(t *testing.T) {
	t.Parallel()
	missing := agenttest.Calls("look", `{"name":"missing"}`)
	down := agenttest.Line{Err: dossier.Errorf(dossier.Unavailable, "The provider did not answer.")}
	tests := []struct {
		name   string
		limits agent.Limits
		lines  []agenttest.Line
		policy func(*model.Request) *model.Reply
		why    string // of the last turn
		turns  int
	}{
		{"refused calls", agent.Limits{Refused: 2}, []agenttest.Line{missing, missing}, nil, "script/test made 2 calls in a row that were refused.", 3},
		{"a call that works ends the row", agent.Limits{Refused: 2}, []agenttest.Line{missing, agenttest.Calls("look", `{"name":"a"}`), missing, agenttest.Says("mine")}, nil, "", 4},
		{"no limit", agent.Limits{}, []agenttest.Line{missing, missing, missing, agenttest.Says("mine")}, nil, "", 4},
		{"a model that is down is not asked again and again", agent.Limits{Failed: 2}, []agenttest.Line{down, down, agenttest.Says("never asked")}, func(req *model.Request) *model.Reply {
			if len(req.Returns("look")) < 2 {
				return req.Calling(model.Planned{Tool: "look", Args: nameIn{"b"}})
			}
			return model.Say("the policy spoke")
		}, "script/test failed in 2 turns.", 3},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, tt.lines...)
			w.agent.Limits = tt.limits
			if tt.policy != nil {
				w.agent.Policy = func(_ context.Context, req *model.Request) (*model.Reply, error) { return tt.policy(req), nil }
			}
			run := w.drive()
			_, steps, _ := w.log.Load(t.Context(), "run-1")
			turns, last := 0, agent.Turn{}
			for _, s := range steps {
				if s.Kind == dossier.ModelTurn {
					turns++
					last, _ = agent.TurnOf(s)
				}
			}
			want := `"the policy spoke"`
			if tt.why == "" {
				want = `"mine"`
			}
			if string(run.Answer) != want || last.Fallback != tt.why || turns != tt.turns {
				t.Errorf("answer %s after %d turns because %q, want %s after %d because %q", run.Answer, turns, last.Fallback, want, tt.turns, tt.why)
			}
		})
	}
}

func TestLimits(t *testing.T) {
	t.Parallel()
	loop := func(req *model.Request) (*model.Reply, error) {
		r := req.Calling(model.Planned{Tool: "look", Args: nameIn{"a"}})
		r.Usage = model.Usage{In: 100, Out: 10}
		return r, nil
	}
	for name, l := range map[string]agent.Limits{"turns": {Turns: 3}, "tokens": {Tokens: 300}, "cost": {Cost: 0.025}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, agenttest.Line{Func: loop}, agenttest.Line{Func: loop}, agenttest.Line{Func: loop}, agenttest.Says("too late"))
			w.agent.Limits = l
			w.runner.Price = func(string, model.Usage) float64 { return 0.01 }
			run := w.drive()
			if run.Status != dossier.Failed || run.Failure == "" || w.looked.Load() != 3 {
				t.Errorf("status %s (%s) after %d calls; want failed after 3", run.Status, run.Failure, w.looked.Load())
			}
		})
	}
}

func TestARunCarriesWhatItTook(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	call := func(req *model.Request) (*model.Reply, error) {
		now = now.Add(20 * time.Millisecond)
		r := req.Calling(model.Planned{Tool: "look", Args: nameIn{"a"}})
		r.Usage = model.Usage{In: 100, Out: 10}
		return r, nil
	}
	w := newWorld(t, agenttest.Line{Func: call}, agenttest.Line{Func: call}, agenttest.Says("done"))
	w.runner.Now = func() time.Time { return now }
	w.runner.Price = func(_ string, u model.Usage) float64 { return float64(u.In) / 400 }
	run := w.drive()
	want := dossier.Expense{Model: "script/test", Turns: 3, TokensIn: 200, TokensOut: 20, Cost: 0.5, BusyMs: 40}
	if run.Spent != want {
		t.Errorf("got %+v, want %+v", run.Spent, want)
	}
	if kept, _, err := w.log.Load(t.Context(), "run-1"); err != nil || kept.Spent != want {
		t.Errorf("the log keeps %+v, %v; want %+v", kept.Spent, err, want)
	}
}

func TestRolesAreThoseOfNow(t *testing.T) {
	t.Parallel()
	w := newWorld(t, agenttest.Calls("act", `{"name":"a"}`), agenttest.Says("done"))
	w.drive()
	w.decide(dossier.Approve, "", "")
	w.runner.Roles = func(_ context.Context, p dossier.Principal) (dossier.Principal, error) {
		p.Roles = nil
		return p, nil
	}
	w.drive()
	if w.acted.Load() != 0 {
		t.Error("an approval let a principal act who no longer has the role")
	}
}

func TestSpecialistsRunTogether(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var here sync.WaitGroup
	here.Add(2)
	specialist := func(name string) *agent.Agent {
		return &agent.Agent{
			Name: name, ToolName: "run_" + name, Doc: "Checks.", Prompt: "Check.", Input: tool.SchemaOf[nameIn](), Output: tool.SchemaOf[nameOut](),
			Tools: w.agent.Tools,
			Policy: func(_ context.Context, req *model.Request) (*model.Reply, error) {
				var in nameIn
				if err := req.Brief(&in, nil); err != nil {
					return nil, err
				}
				if _, ok := req.Last("look"); !ok {
					here.Done()
					here.Wait()
					return req.Calling(model.Planned{Tool: "look", Args: in}), nil
				}
				return model.Answer(nameOut{name + " " + in.Name})
			},
		}
	}
	w.agent.Specialists = []*agent.Agent{specialist("left"), specialist("right")}
	w.agent.Policy = func(_ context.Context, req *model.Request) (*model.Reply, error) {
		if _, ok := req.Last("run_left"); !ok {
			return req.Calling(model.Planned{Tool: "run_left", Args: nameIn{"x"}}, model.Planned{Tool: "run_right", Args: nameIn{"y"}}), nil
		}
		return model.Say("done"), nil
	}
	w.runner = agenttest.NewRunner(w.log, nil, w.agent)
	run := w.drive()
	want := []string{`run_left ok {"heard":"left x"}`, `run_right ok {"heard":"right y"}`}
	if diff := cmp.Diff(want, w.returns()); diff != "" || run.Status != dossier.Done {
		t.Errorf("%s; returns (-want +got):\n%s", run.Status, diff)
	}
}

func TestApprovalInsideASpecialist(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	kid := &agent.Agent{
		Name: "kid", ToolName: "run_kid", Doc: "Acts.", Prompt: "Act.", Input: tool.SchemaOf[nameIn](), Tools: w.agent.Tools,
		Policy: func(_ context.Context, req *model.Request) (*model.Reply, error) {
			if _, ok := req.Last("act"); !ok {
				return req.Calling(model.Planned{Tool: "act", Args: nameIn{"a"}}), nil
			}
			return model.Say("acted"), nil
		},
	}
	w.agent.Specialists = []*agent.Agent{kid}
	w.agent.Policy = func(_ context.Context, req *model.Request) (*model.Reply, error) {
		if r, ok := req.Last("run_kid"); ok {
			return model.Say("kid said " + string(r.Value)), nil
		}
		return req.Calling(model.Planned{Tool: "run_kid", Args: nameIn{"x"}}), nil
	}
	w.runner = agenttest.NewRunner(w.log, nil, w.agent)
	if run := w.drive(); run.Status != dossier.Paused {
		t.Fatalf("status %s, want paused", run.Status)
	}
	w.log.Restart()
	w.runner = agenttest.NewRunner(w.log, nil, w.agent)
	w.decide(dossier.Approve, "", "")
	if run := w.drive(); string(run.Answer) != `"kid said \"acted\""` || w.acted.Load() != 1 {
		t.Errorf("answer %s, acts %d", run.Answer, w.acted.Load())
	}
}

func TestConversation(t *testing.T) {
	t.Parallel()
	w := newWorld(t, agenttest.Says("hello"), agenttest.Calls("act", `{"name":"a"}`), agenttest.Says("fine, not done"))
	w.agent.Chat = true
	if run := w.drive(); run.Status != dossier.Paused {
		t.Fatalf("before anyone spoke: %s", run.Status)
	}
	say := func(text string) dossier.Run {
		t.Helper()
		if err := w.runner.Say(t.Context(), "run-1", person, text, nil); err != nil {
			t.Fatal(err)
		}
		return w.drive()
	}
	if run := say("hi"); string(run.Answer) != `"hello"` {
		t.Errorf("answer %s", run.Answer)
	}
	say("act please")
	if len(w.log.Pending()) != 1 {
		t.Fatal("the act was not asked")
	}
	if run := say("no, leave it"); string(run.Answer) != `"fine, not done"` || len(w.log.Pending()) != 0 || w.acted.Load() != 0 {
		t.Errorf("answer %s, pending %d, acts %d", run.Answer, len(w.log.Pending()), w.acted.Load())
	}
}

// Many principals use one agent at once; nobody is offered another's tools.
func TestToolListsUnderConcurrency(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var wrong atomic.Int64
	w.agent.Policy = func(_ context.Context, req *model.Request) (*model.Reply, error) {
		var in nameIn
		if err := req.Brief(&in, nil); err != nil {
			return nil, err
		}
		if req.Offers("secret") != (in.Name == "admin") {
			wrong.Add(1)
		}
		return model.Say("done"), nil
	}
	w.runner = agenttest.NewRunner(w.log, nil, w.agent)
	var wg sync.WaitGroup
	for i := range 400 {
		id := dossier.RunID(fmt.Sprintf("run-c%d", i))
		p := dossier.Principal{ID: "v", Name: "viewer", Roles: []dossier.Role{"officer"}}
		in := `{"name":"viewer"}`
		if i%2 == 0 {
			p.Roles, in = []dossier.Role{dossier.Admin}, `{"name":"admin"}`
		}
		w.log.Start(dossier.Run{ID: id, Case: "CASE-1", App: "test", Agent: "tester", For: p, Status: dossier.Ready, Input: json.RawMessage(in)})
		wg.Go(func() {
			if _, err := w.runner.Drive(t.Context(), id); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if n := wrong.Load(); n != 0 {
		t.Errorf("%d runs saw the wrong tools", n)
	}
}

// Two processes that resume the same approved run act once.
func TestResumedTwiceActsOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.agent.Policy = func(_ context.Context, req *model.Request) (*model.Reply, error) {
		if _, ok := req.Last("act"); ok {
			return model.Say("done"), nil
		}
		return req.Calling(model.Planned{Tool: "act", Args: nameIn{"a"}}), nil
	}
	w.runner = agenttest.NewRunner(w.log, nil, w.agent)
	w.drive()
	w.decide(dossier.Approve, "", "")
	var wg sync.WaitGroup
	for range 8 {
		other := agenttest.NewRunner(w.log, nil, w.agent)
		wg.Go(func() {
			if _, err := other.Drive(t.Context(), "run-1"); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if n := w.acted.Load(); n != 1 {
		t.Errorf("acted %d times, want once", n)
	}
}

func TestPromptIsSentAsWritten(t *testing.T) {
	t.Parallel()
	w := newWorld(t, agenttest.Says("done"))
	w.drive()
	script := w.runner.Model("", nil).(*agenttest.Script)
	if got := script.Seen[0].System; got != "You test. A literal {} stays." {
		t.Errorf("system prompt %q", got)
	}
	if got := script.Seen[0].Messages[0].Parts[0].(model.Text); string(got) != `{"input":{"x":1}}` {
		t.Errorf("brief %s", got)
	}
}
