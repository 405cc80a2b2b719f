package netra

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"dossier"
	"dossier/apps/netra/engine"
	"dossier/apps/netra/ingest"
	"dossier/internal/agent"
	"dossier/internal/app"
	"dossier/internal/approval"
	"dossier/internal/desk"
	"dossier/internal/model"
	"dossier/internal/store"
	"dossier/internal/store/storetest"
	"dossier/internal/tool"
	"dossier/internal/work"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"
)

// A product is the app over a real store, with a clock that tests move.
type product struct {
	*office
	t     testing.TB
	store *store.Store
	clock *storetest.Clock
	kit   *app.Kit
	inbox *approval.Inbox
	logs  *lockedBuffer
	mails []app.Message
	as    dossier.Principal
	http  http.Handler
}

type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

var (
	anOfficer = dossier.Principal{ID: "u-officer", Name: "Officer", Roles: []dossier.Role{officer}}
	aSenior   = dossier.Principal{ID: "u-senior", Name: "Senior", Roles: []dossier.Role{senior}}
)

// onBoth runs a test on SQLite, and on PostgreSQL where there is one.
func onBoth(t *testing.T, configure func(*Config), test func(*testing.T, *product)) {
	for _, database := range storetest.Databases {
		t.Run(database, func(t *testing.T) {
			t.Parallel()
			test(t, newProductOn(t, storetest.URL(t, database), storetest.NewClock(), configure))
		})
	}
}

func newProduct(t testing.TB, configure func(*Config)) *product {
	return newProductOn(t, storetest.URL(t, "sqlite"), storetest.NewClock(), configure)
}

func newProductOn(t testing.TB, url string, clock *storetest.Clock, configure func(*Config)) *product {
	t.Helper()
	cfg := defaults
	cfg.Poll = time.Nanosecond
	if configure != nil {
		configure(&cfg)
	}
	p := &product{t: t, store: storetest.OpenURL(t, url, clock), clock: clock, logs: &lockedBuffer{}, as: anOfficer}
	if err := p.store.Migrate(t.Context(), ID, files); err != nil {
		t.Fatal(err)
	}
	var n int
	newID := func(prefix string) string { n++; return fmt.Sprintf("%s%08x", prefix, n) }
	runner := &agent.Runner{Log: p.store, Now: clock.Now, NewID: newID, Slog: slog.New(slog.NewTextHandler(p.logs, &slog.HandlerOptions{Level: slog.LevelDebug})),
		Agent: func(_, name string) (*agent.Agent, bool) {
			for _, a := range p.kit.Agents {
				if a.Name == name {
					return a, true
				}
			}
			return nil, false
		},
		Model: func(_ string, a *agent.Agent) model.Model { return nil },
	}
	env := app.Env{Log: runner.Slog, Now: clock.Now, NewID: newID, HTTP: http.DefaultClient, DB: p.store.DB(), URL: "http://dossier.test",
		Desk: &desk.Desk{ID: ID, Store: p.store, Runner: runner, Now: clock.Now, NewID: newID}, Mail: p, Dir: t.TempDir()}
	kit, err := App.Build(env, &cfg)
	if err != nil {
		t.Fatal(err)
	}
	p.kit, p.office = kit, newOffice(env, cfg)
	p.inbox = &approval.Inbox{Store: p.store, Now: clock.Now, Tool: func(_, name string) (tool.Tool, bool) { return kit.Tool(name) }}
	p.serve()
	return p
}

// Send implements app.Mail.
func (p *product) Send(_ context.Context, _ string, m app.Message) (app.Receipt, error) {
	p.mails = append(p.mails, m)
	return app.Receipt{Via: "test"}, nil
}

// serve puts the routes of the office behind a mux that asks nobody who they are.
func (p *product) serve() {
	mux := http.NewServeMux()
	api := humago.New(mux, huma.DefaultConfig("test", "1"))
	p.routes(app.NewRouter(ID, api, p, nil))
	p.http = mux
}

// Guard, Problem and Principal implement app.Wrapper.
func (p *product) Guard(op *huma.Operation, roles []dossier.Role) {
	if len(roles) == 0 {
		p.t.Errorf("%s is open to anyone signed in", op.OperationID)
	}
}

func (p *product) Problem(_ context.Context, err error) error {
	fmt.Fprintln(p.logs, err)
	status := map[dossier.Kind]int{dossier.Invalid: 422, dossier.NotFound: 404, dossier.Conflict: 409, dossier.Forbidden: 403}[dossier.KindOf(err)]
	if status == 0 {
		status = 500
	}
	return huma.NewError(status, dossier.Message(err))
}

func (p *product) Principal(context.Context) dossier.Principal { return p.as }

// call does a request and decodes the answer into out, if there is one.
func (p *product) call(method, path string, body any, out any) (int, string) {
	p.t.Helper()
	var in io.Reader
	switch b := body.(type) {
	case nil:
	case string:
		in = strings.NewReader(b)
	default:
		raw, err := json.Marshal(b)
		if err != nil {
			p.t.Fatal(err)
		}
		in = bytes.NewReader(raw)
	}
	req := httptest.NewRequestWithContext(p.t.Context(), method, path, in)
	req.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	p.http.ServeHTTP(w, req)
	if out != nil {
		if err := json.Unmarshal(w.Body.Bytes(), out); err != nil {
			p.t.Fatalf("%s %s answered %d: %s", method, path, w.Code, w.Body)
		}
	}
	return w.Code, w.Body.String()
}

// settle does the work that is due now: jobs, then runs that can go on.
func (p *product) settle() {
	p.t.Helper()
	ctx := p.t.Context()
	if _, err := p.store.Work().RunDue(ctx, p.clock.Now(), func(ctx context.Context, j work.Job) error {
		if job, ok := p.kit.Jobs[j.Name]; ok {
			return job(ctx, j.Args)
		}
		return nil
	}); err != nil {
		p.t.Fatal(err)
	}
	cases, err := p.env.Desk.Cases(ctx, app.CaseFilter{States: []dossier.State{dossier.Preliminary, dossier.Open, dossier.Waiting}})
	if err != nil {
		p.t.Fatal(err)
	}
	for _, c := range cases {
		runs, err := p.env.Desk.Runs(ctx, c.ID)
		if err != nil {
			p.t.Fatal(err)
		}
		for _, r := range runs {
			if r.Status == dossier.Ready {
				if _, err := p.env.Desk.Drive(ctx, r.ID); err != nil {
					p.t.Fatal(err)
				}
			}
		}
	}
}

// report makes a report of Cachar, hours old.
func (p *product) report(hours float64, text string) ingest.Row {
	at := p.clock.Now().Add(-time.Duration(hours * float64(time.Hour)))
	return ingest.Row{Line: 1, Report: ingest.Report{State: "Assam", District: "Cachar", Text: text, Timestamp: at.Format(time.RFC3339Nano),
		SourceURL: fmt.Sprintf("https://news.example.org/%d", len(text))}}
}

// take ingests reports of Cachar that are an hour old.
func (p *product) take(texts ...string) ingest.Audit {
	p.t.Helper()
	var rows []ingest.Row
	for i, text := range texts {
		r := p.report(1, text)
		r.Line = i + 1
		rows = append(rows, r)
	}
	a, err := p.ingestRows(p.t.Context(), rows, nil)
	if err != nil {
		p.t.Fatal(err)
	}
	return a
}

var cachar = engine.Place{State: "Assam", District: "Cachar"}

// escalated are reports that lift a district above 75.
var escalated = []string{"Gunfight leaves five dead at the border", "Total shutdown and coordinated blockade on the highway", "Communal tension after hate speech in the market"}
