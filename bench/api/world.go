package main

import (
	"context"
	"crypto/ed25519"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync/atomic"
	"testing/fstest"
	"time"

	"dossier"
	"dossier/internal/agent"
	"dossier/internal/api"
	"dossier/internal/app"
	"dossier/internal/approval"
	"dossier/internal/auth"
	"dossier/internal/ledger"
	"dossier/internal/store"
	"dossier/internal/tool"
)

// A world is a served product with many cases.
type world struct {
	url   string
	token auth.Secret
	cases []dossier.CaseID
	asked []dossier.Approval
	store *store.Store
	http  *http.Server
}

func (w *world) close() {
	_ = w.http.Close() // the process ends
	w.store.Close()
}

const decider dossier.Role = "decider"

type cancelIn struct {
	Rider string `json:"rider"`
}

var cancel = tool.Def[cancelIn, struct{}]{
	Name: "cancel", Doc: "Cancels a membership.", Effect: tool.Act, Roles: []dossier.Role{decider},
	Key: func(in cancelIn) string { return in.Rider },
	Run: func(context.Context, tool.Call, cancelIn) (tool.Output[struct{}], error) {
		return tool.Output[struct{}]{}, errors.New("nothing runs in a benchmark of the API")
	},
}.Tool()

// build fills a store and serves it.
func build(ctx context.Context, url string, cases, asked int) (*world, error) {
	st, err := store.Open(ctx, store.Options{URL: url, Now: time.Now})
	if err != nil {
		return nil, err
	}
	w := &world{store: st}
	if err := w.fill(ctx, cases); err != nil {
		return nil, fmt.Errorf("store cases: %w", err)
	}
	if err := w.askMany(ctx, min(asked, cases)); err != nil {
		return nil, fmt.Errorf("store approvals: %w", err)
	}
	return w, w.serve(ctx)
}

// fill stores cases with a piece of evidence and a finding each, many per transaction.
func (w *world) fill(ctx context.Context, cases int) error {
	const perTx = 500
	for from := 0; from < cases; from += perTx {
		err := w.store.Within(ctx, func(ctx context.Context) error {
			for i := from; i < min(from+perTx, cases); i++ {
				if err := w.one(ctx, i); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (w *world) one(ctx context.Context, i int) error {
	rider := fmt.Sprintf("RIDER-%d", i)
	c, _, err := w.store.OpenCase(ctx, "bench", app.Opening{Subject: "rider/" + rider, Title: "Audit of " + rider, State: dossier.Open, Stage: "audit"})
	if err != nil {
		return err
	}
	w.cases = append(w.cases, c.ID)
	e := dossier.NewEvidence("shift", dossier.Source{System: "roster", Locator: rider, Fetched: time.Now()}, cancelIn{rider}, "%s works nights", rider)
	e.Case, e.At = c.ID, time.Now()
	f := dossier.Finding{Case: c.ID, Check: "shift", Subject: rider, Verdict: dossier.Fail, Confidence: 90, By: "rule/shift@1", Reason: rider + " works nights.", At: time.Now()}
	_, _, err = w.store.RecordFacts(ctx, c.ID, []dossier.Evidence{e}, []dossier.Finding{f})
	return err
}

// askMany stores a run with a pending approval for the newest cases.
func (w *world) askMany(ctx context.Context, n int) error {
	for i := range n {
		id := w.cases[len(w.cases)-1-i]
		chain, _, err := w.store.Facts(ctx, id)
		if err != nil {
			return err
		}
		run, err := w.store.InsertRun(ctx, dossier.Run{Case: id, App: "bench", Agent: "manager", For: dossier.SystemPrincipal, Started: time.Now()}, nil, true)
		if err != nil {
			return err
		}
		a := dossier.Approval{
			ID: dossier.ApprovalID(fmt.Sprintf("ap-bench-%d", i)), Case: id, App: "bench", Run: run.ID, Call: "c1", Tool: "cancel",
			Args: json.RawMessage(`{"rider":"R"}`), Evidence: []dossier.EvidenceID{chain[0].ID}, Title: "Cancel.", Why: "It cannot be undone.",
			Roles: []dossier.Role{decider}, Verbs: []dossier.Verb{dossier.Approve, dossier.Reject}, Need: 1, For: "system",
			Status: dossier.Pending, Asked: time.Now(),
		}
		if a.Digest, err = agent.Digest(a, chain); err != nil {
			return err
		}
		step := dossier.Step{ID: agent.StepID(run.ID, 1), Run: run.ID, Seq: 1, Kind: dossier.Asked, Body: json.RawMessage(`{"call":"c1"}`), At: time.Now()}
		mv := agent.Move{Run: run.ID, Status: dossier.Paused, At: time.Now(), Entries: []agent.Entry{{Step: step}}, Approvals: []dossier.Approval{a}}
		if err := w.store.Record(ctx, mv); err != nil {
			return err
		}
		w.asked = append(w.asked, a)
	}
	return nil
}

// serve puts the API in front of the store, with one person who may decide.
func (w *world) serve(ctx context.Context) error {
	var ids atomic.Int64
	newID := func(prefix string) string { return fmt.Sprintf("%s%08x", prefix, ids.Add(1)) }
	au, err := auth.New(auth.Config{Store: w.store, Now: time.Now, NewID: newID, URL: "http://127.0.0.1", Roles: map[dossier.Role]string{decider: "Decides."}})
	if err != nil {
		return err
	}
	u, err := au.AddUser(ctx, auth.NewUser{Name: "bench", Roles: []dossier.Role{decider}})
	if err != nil {
		return err
	}
	if _, w.token, err = au.AddToken(ctx, dossier.Principal{ID: u.ID, Roles: u.Roles}, "bench", u.Roles, time.Time{}); err != nil {
		return err
	}
	pub, priv, err := ed25519.GenerateKey(nil)
	if err != nil {
		return err
	}
	kit := &app.Kit{Tools: []tool.Tool{cancel}}
	sign := func(m []byte) []byte { return ed25519.Sign(priv, m) }
	srv := api.New(api.Config{
		Records: w.store, Auth: au, Evals: w.store,
		Inbox:   &approval.Inbox{Store: w.store, Now: time.Now, Tool: func(_, name string) (tool.Tool, bool) { return kit.Tool(name) }},
		Ledger:  &ledger.Ledger{Store: w.store, Now: time.Now, Sign: sign, Key: pub},
		Apps:    []api.Installed{{App: app.App{ID: "bench", Title: "Bench", Doc: "Is measured.", Roles: map[dossier.Role]string{decider: "Decides."}}, Kit: kit}},
		Console: fstest.MapFS{"index.html": {}}, URL: "http://127.0.0.1", Version: "bench",
		Log: slog.New(slog.DiscardHandler), Now: time.Now, NewID: newID, Sign: sign, HTTP: http.DefaultClient,
	})
	ln, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	w.url = "http://" + ln.Addr().String()
	w.http = &http.Server{Handler: srv.Handler(), ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = w.http.Serve(ln) }() // ends with close
	return nil
}
