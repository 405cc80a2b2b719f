package api

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"dossier"
	"dossier/internal/agent"
	"dossier/internal/app"
	"dossier/internal/approval"
	"dossier/internal/auth"
	"dossier/internal/desk"
	"dossier/internal/eval"
	"dossier/internal/ledger"
	"dossier/internal/model"
	"dossier/internal/records"
	"dossier/internal/store"
	"dossier/internal/store/storetest"
	"dossier/internal/tool"
)

const password auth.Secret = "correct horse battery"

// A house is a server over a fresh store with two apps and one person per role.
type house struct {
	t      testing.TB
	server *Server
	h      http.Handler
	store  *store.Store
	clock  *storetest.Clock
	auth   *auth.Auth
	runner *agent.Runner
	log    *logBuffer
	tokens map[string]auth.Secret // by name of the person, who is named like the role
	users  map[string]auth.User
	fired  *fakeWork
	acted  atomic.Int64
}

// people are those who live in a house, with their roles.
var people = map[string][]dossier.Role{
	"admin": {dossier.Admin}, "auditor": {dossier.Auditor}, "coordinator": {"coordinator"}, "second": {"coordinator"},
	"planner": {"planner"}, "gate": {"gate"}, "nobody": nil,
}

// A logBuffer keeps what was logged.
type logBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *logBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *logBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func newHouse(t testing.TB) *house { return newHouseOn(t, "sqlite", nil) }

// newHouseOn builds a house on a database; change may alter what it is built from.
func newHouseOn(t testing.TB, database string, change func(*auth.Config, *Config)) *house {
	t.Helper()
	st, clock := storetest.Open(t, database)
	h := &house{
		t: t, store: st, clock: clock, log: &logBuffer{}, tokens: map[string]auth.Secret{}, users: map[string]auth.User{},
		fired: &fakeWork{},
	}
	var ids atomic.Int64
	newID := func(prefix string) string { return fmt.Sprintf("%s%08x", prefix, ids.Add(1)) }
	log := slog.New(slog.NewTextHandler(h.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	access := auth.Config{
		Store: st, Now: clock.Now, NewID: newID, URL: "http://dossier.test",
		Roles: map[dossier.Role]string{"coordinator": "Decides.", "planner": "Plans.", "gate": "Scans."},
		Cost:  auth.Cost{Memory: 64, Passes: 1, Threads: 1},
	}
	parts := Config{URL: "http://dossier.test", Version: "1.2.3", Log: log, Now: clock.Now, NewID: newID, HTTP: http.DefaultClient, Poll: 5 * time.Millisecond}
	if change != nil {
		change(&access, &parts)
	}
	var err error
	if h.auth, err = auth.New(access); err != nil {
		t.Fatal(err)
	}
	pub, priv, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	sign := func(msg []byte) []byte { return ed25519.Sign(priv, msg) }
	apps := []Installed{h.fleet(), doors()}
	find := func(id string) *app.Kit {
		for _, in := range apps {
			if in.App.ID == id {
				return in.Kit
			}
		}
		return &app.Kit{}
	}
	h.runner = &agent.Runner{
		Log: st, Now: clock.Now, NewID: newID, Slog: log, Roles: h.auth.Current,
		Agent: func(id, name string) (*agent.Agent, bool) {
			for _, a := range find(id).Agents {
				if a.Name == name {
					return a, true
				}
			}
			return nil, false
		},
	}
	parts.Records, parts.Auth, parts.Work, parts.Evals, parts.Apps, parts.Sign = st, h.auth, h.fired, st, apps, sign
	parts.Inbox = &approval.Inbox{Store: st, Now: clock.Now, Tool: func(id, name string) (tool.Tool, bool) { return find(id).Tool(name) }}
	parts.Ledger = &ledger.Ledger{Store: st, Now: clock.Now, Sign: sign, Key: pub}
	parts.Desk = func(id string) app.Desk {
		return &desk.Desk{ID: id, Store: st, Runner: h.runner, Now: clock.Now, NewID: newID}
	}
	parts.Console = fstest.MapFS{
		"index.html":                {Data: []byte("<!doctype html><title>Console</title>")},
		"assets/index-Ab12Cd34.js":  {Data: []byte("export {}")},
		"assets/index-Ab12Cd34.css": {Data: []byte("a{}")},
		"icon.svg":                  {Data: []byte("<svg/>")},
	}
	parts.Told = h.runner.Told
	parts.Status = func(context.Context) Status { return Status{Database: Part{Name: database, OK: true}} }
	h.server = New(parts)
	h.h = h.server.Handler()
	for name, roles := range people {
		h.settle(name, roles)
	}
	return h
}

// settle adds a person and a token with all their roles.
func (h *house) settle(name string, roles []dossier.Role) {
	h.t.Helper()
	u, err := h.auth.AddUser(h.t.Context(), auth.NewUser{Name: name, Display: "The " + name, Roles: roles, Password: password})
	if err != nil {
		h.t.Fatal(err)
	}
	h.users[name] = u
	tokenRoles := roles
	if len(roles) == 0 {
		// A token needs a role; this one loses it with the user's.
		tokenRoles = []dossier.Role{"gate"}
	}
	_, secret, err := h.auth.AddToken(h.t.Context(), dossier.Principal{ID: u.ID, Roles: tokenRoles}, "test", tokenRoles, time.Time{})
	if err != nil {
		h.t.Fatal(err)
	}
	h.tokens[name] = secret
}

func (h *house) principal(name string) dossier.Principal {
	u := h.users[name]
	return dossier.Principal{ID: u.ID, Name: u.Label(), Roles: u.Roles}
}

type cancelIn struct {
	Rider string `json:"rider" jsonschema:"who leaves"`
}

type shiftData struct {
	Rider string `json:"rider"`
	Shift string `json:"shift"`
}

// judge is the fleet's one rule: nights do not fit.
func judge(cited []dossier.Evidence) (dossier.Finding, error) {
	var d shiftData
	if err := json.Unmarshal(cited[0].Data, &d); err != nil {
		return dossier.Finding{}, err
	}
	f := dossier.Finding{Check: "shift", Subject: d.Rider, Verdict: dossier.Pass, Confidence: 90, By: "rule/shift@1", Reason: d.Rider + " works days."}
	if d.Shift == "night" {
		f.Verdict, f.Reason = dossier.Fail, d.Rider+" works nights."
	}
	return f, nil
}

// fleet is an app whose manager looks at a rider and plans to cancel.
func (h *house) fleet() Installed {
	look := tool.Def[cancelIn, shiftData]{
		Name: "look", Doc: "Looks up a rider's shift.",
		Run: func(_ context.Context, _ tool.Call, in cancelIn) (tool.Output[shiftData], error) {
			d := shiftData{in.Rider, "night"}
			e := dossier.NewEvidence("shift", dossier.Source{System: "roster", Locator: in.Rider}, d, "%s works nights", in.Rider)
			f, err := judge([]dossier.Evidence{e})
			return tool.Output[shiftData]{Value: d, Evidence: []dossier.Evidence{e}, Findings: []dossier.Finding{f}}, err
		},
	}.Tool()
	cancel := tool.Def[cancelIn, struct{}]{
		Name: "cancel", Doc: "Cancels a membership.", Effect: tool.Act, Roles: []dossier.Role{"coordinator"},
		Policy: tool.Policy{Approvers: []dossier.Role{"coordinator"}, Expires: 48 * time.Hour},
		Key:    func(in cancelIn) string { return in.Rider },
		Title:  func(in cancelIn) string { return "Cancel the membership of " + in.Rider + "." },
		Run: func(context.Context, tool.Call, cancelIn) (tool.Output[struct{}], error) {
			h.acted.Add(1)
			return tool.Output[struct{}]{}, nil
		},
	}.Tool()
	manager := &agent.Agent{
		Name: "manager", Doc: "Audits a rider.", Prompt: "Audit the rider.", Tools: []tool.Tool{look, cancel},
		Policy: func(_ context.Context, req *model.Request) (*model.Reply, error) {
			var in cancelIn
			if err := req.Brief(&in, nil); err != nil {
				return nil, err
			}
			if _, ok := req.Last("look"); !ok {
				return req.Calling(model.Planned{Tool: "look", Args: in}), nil
			}
			if _, ok := req.Last("cancel"); !ok && req.Offers("cancel") {
				return req.Calling(model.Planned{Tool: "cancel", Args: in}), nil
			}
			return model.Say("Done with " + in.Rider + "."), nil
		},
	}
	talker := &agent.Agent{
		Name: "talker", Doc: "Talks.", Prompt: "Talk.", Chat: true, Tools: []tool.Tool{look},
		Policy: func(ctx context.Context, req *model.Request) (*model.Reply, error) {
			last := req.Messages[len(req.Messages)-1]
			text, _ := last.Parts[len(last.Parts)-1].(model.Text)
			agent.Progress(ctx, "Listening to "+string(text)+".")
			return model.Say("You said: " + string(text)), nil
		},
	}
	a := app.App{
		ID: "fleet", Title: "Fleet", Doc: "Decides who rides.",
		Roles: map[dossier.Role]string{"coordinator": "Decides.", "planner": "Plans."},
		Rules: []app.Rule{{Name: "shift", Version: "1", Doc: "Nights do not fit.", Apply: judge}},
	}
	return Installed{App: a, Kit: &app.Kit{
		Agents: []*agent.Agent{manager, talker}, Tools: []tool.Tool{look},
		Triggers: []app.Trigger{
			{Name: "weekly", Doc: "Audits all.", Cron: "0 6 * * 1", Run: func(context.Context, json.RawMessage) error { return nil }},
			{Name: "reply", Doc: "A reply came.", On: "reply", Run: func(context.Context, json.RawMessage) error { return nil }},
		},
		Suites: []eval.Suite{{Name: "shifts", Doc: "Shifts.", Agent: "manager", Gates: map[string]float64{"verdict": 0.95}}},
		Views:  map[string]app.View{"shift": app.Table},
		Background: func(_ context.Context, a dossier.Approval, p dossier.Principal) ([]app.Background, error) {
			if strings.Contains(string(a.Args), "EMP-BLIND") {
				return nil, errors.New("no such table: removals")
			}
			return []app.Background{{Label: a.Tool + " by " + p.Name, Value: "1 of 12 undone", How: "Counted.", Link: "/apps/fleet"}}, nil
		},
		Routes: func(r *app.Router) {
			app.Handle(r, huma.Operation{OperationID: "fleet-break", Method: http.MethodGet, Path: "/fleet/break"},
				[]dossier.Role{"planner"}, func(context.Context, *struct{}) (*struct{}, error) {
					return nil, fmt.Errorf("connect with password=%s", "hunter2-db")
				})
			app.Handle(r, huma.Operation{OperationID: "fleet-own", Method: http.MethodGet, Path: "/fleet/own"},
				[]dossier.Role{app.Own, "planner"}, func(ctx context.Context, _ *struct{}) (*struct{}, error) {
					switch p := r.Principal(ctx); {
					case p.ID == "":
						return nil, dossier.Errorf(dossier.NotSignedIn, "Sign in first.")
					case !p.Has("planner"):
						return nil, dossier.Errorf(dossier.Forbidden, "Your role does not allow this.")
					}
					return nil, nil
				})
			r.Raw("POST /fleet/upload/{name}", []dossier.Role{"planner"}, http.HandlerFunc(func(w http.ResponseWriter, rq *http.Request) {
				_, _ = io.WriteString(w, "got "+rq.PathValue("name")+" from "+r.Principal(rq.Context()).Name)
			}))
		},
	}}
}

func doors() Installed {
	return Installed{
		App: app.App{ID: "doors", Title: "Doors", Doc: "Decides who passes.", Roles: map[dossier.Role]string{"gate": "Scans."}},
		Kit: &app.Kit{},
	}
}

// A fakeWork notes what was fired.
type fakeWork struct {
	mu    sync.Mutex
	fired []string
}

func (w *fakeWork) Fire(_ context.Context, id, trigger string, event json.RawMessage, by dossier.Principal) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.fired = append(w.fired, fmt.Sprintf("%s/%s %s by %s", id, trigger, event, by.Name))
	return nil
}

// measured stores one result and one item to label.
func (h *house) measured() {
	h.t.Helper()
	res := records.EvalResult{ID: "res-1", App: "fleet", Suite: "shifts", Player: "reference", Started: h.clock.Now(), Examples: 1, Passed: true}
	rows := []records.EvalRow{{Example: "night", Grades: []records.EvalGrade{{Name: "verdict", Score: 1}}}}
	if err := h.store.SaveResult(h.t.Context(), res, rows); err != nil {
		h.t.Fatal(err)
	}
	item := records.LabelItem{ID: "lab-1", App: "fleet", Suite: "shifts", Why: "a person edited it", Queued: h.clock.Now()}
	if err := h.store.AskLabel(h.t.Context(), item); err != nil {
		h.t.Fatal(err)
	}
}

// audit opens a case about a rider and runs the manager until it asks. It returns the
// case, the run and the approval that is pending.
func (h *house) audit(rider string) (dossier.Case, dossier.Run, dossier.Approval) {
	h.t.Helper()
	ctx := h.t.Context()
	d := h.server.Desk("fleet")
	c, _, err := d.Open(ctx, app.Opening{Subject: "rider/" + rider, Title: "Audit of " + rider, State: dossier.Open, By: h.principal("planner")})
	if err != nil {
		h.t.Fatal(err)
	}
	run, err := d.Start(ctx, app.Start{Case: c.ID, Agent: "manager", For: h.principal("second"), Input: cancelIn{rider}, Hold: true})
	if err != nil {
		h.t.Fatal(err)
	}
	if run, err = d.Drive(ctx, run.ID); err != nil {
		h.t.Fatal(err)
	}
	asked, err := d.Approvals(ctx, c.ID)
	if err != nil || len(asked) != 1 {
		h.t.Fatalf("%d approvals, %v; run %+v", len(asked), err, run)
	}
	return c, run, asked[0]
}

// An answer is a response with its body read.
type answer struct {
	*http.Response
	body []byte
	t    testing.TB
}

// do makes a request as a person; "" is nobody. Args are headers ("Name: value") or a
// body.
func (h *house) do(as, method, path string, args ...any) answer {
	h.t.Helper()
	var body io.Reader
	header := http.Header{}
	for _, a := range args {
		switch a := a.(type) {
		case string:
			k, v, _ := strings.Cut(a, ": ")
			header.Set(k, v)
		case []byte:
			body = bytes.NewReader(a)
		default:
			raw, err := json.Marshal(a)
			if err != nil {
				h.t.Fatal(err)
			}
			body = bytes.NewReader(raw)
			header.Set("Content-Type", "application/json")
		}
	}
	r := httptest.NewRequestWithContext(h.t.Context(), method, path, body)
	r.Header = header
	if as != "" {
		r.Header.Set("Authorization", "Bearer "+string(h.tokens[as]))
	}
	w := httptest.NewRecorder()
	h.h.ServeHTTP(w, r)
	res := w.Result()
	raw, err := io.ReadAll(res.Body)
	if err != nil {
		h.t.Fatal(err)
	}
	return answer{res, raw, h.t}
}

// want checks the status and decodes the body into v, if v is not nil.
func (a answer) want(status int, v any) answer {
	a.t.Helper()
	if a.StatusCode != status {
		a.t.Fatalf("got %d, want %d: %s", a.StatusCode, status, a.body)
	}
	if v != nil {
		if err := json.Unmarshal(a.body, v); err != nil {
			a.t.Fatalf("decode %s: %v", a.body, err)
		}
	}
	return a
}

// problem checks that the answer is a problem of this kind and returns its detail.
func (a answer) problem(status int, kind dossier.Kind) string {
	a.t.Helper()
	var p huma.ErrorModel
	a.want(status, &p)
	if got := a.Header.Get("Content-Type"); got != "application/problem+json" {
		a.t.Errorf("a problem is sent as %s", got)
	}
	if kind != "" && p.Type != problemType+string(kind) {
		a.t.Errorf("got type %s, want %s", p.Type, kind)
	}
	return p.Detail
}
