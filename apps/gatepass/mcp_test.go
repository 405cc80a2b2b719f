package gatepass_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"dossier"
	"dossier/apps/gatepass"
	"dossier/internal/agent"
	"dossier/internal/app"
	"dossier/internal/app/apptest"
	"dossier/internal/mcp"
	"dossier/internal/model"
)

// assistant connects another assistant to the app's tools, for who.
func assistant(b *apptest.Bench, who dossier.Principal) *sdk.ClientSession {
	b.T.Helper()
	here, there := sdk.NewInMemoryTransports()
	server, err := tools(b).For(who).Connect(b.T.Context(), here, nil)
	if err != nil {
		b.T.Fatal(err)
	}
	b.T.Cleanup(func() { _ = server.Close() })
	c, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil).Connect(b.T.Context(), there, nil)
	if err != nil {
		b.T.Fatal(err)
	}
	b.T.Cleanup(func() { _ = c.Close() })
	return c
}

func tools(b *apptest.Bench) *mcp.Server {
	b.Kit.Agents = append(b.Kit.Agents, mcp.Agent(b.Kit))
	return &mcp.Server{Version: "1", NewID: apptest.NewID, Apps: []mcp.App{{
		ID: "gatepass", Title: "Gate Pass", Kit: b.Kit, Desk: b.Desk,
		Steps: func(ctx context.Context, run dossier.RunID) ([]dossier.Step, error) {
			_, steps, err := b.Store.Load(ctx, run)
			return steps, err
		},
	}}}
}

func use(b *apptest.Bench, c *sdk.ClientSession, name string, args map[string]any) (string, *sdk.CallToolResult) {
	b.T.Helper()
	res, err := c.CallTool(b.T.Context(), &sdk.CallToolParams{Name: name, Arguments: args})
	if err != nil {
		return err.Error(), nil
	}
	return res.Content[0].(*sdk.TextContent).Text, res
}

func TestMCP(t *testing.T) {
	t.Parallel()
	b := apptest.Open(t, gatepass.App, apptest.Options{At: monday})
	for desk, want := range map[string]int{"hr": 7, "admin": 10, "gate": 6} {
		list, err := assistant(b, people[desk]).ListTools(t.Context(), nil)
		if err != nil || len(list.Tools) != want+1 {
			t.Errorf("G-161 %s is served %d tools (%v), want %d and result", desk, len(list.Tools), err, want)
		}
	}
	b.Runner.Model = func(_ string, a *agent.Agent) model.Model {
		if a.Model != "" {
			t.Errorf("a model chooses the calls of %s over again", a.Name)
		}
		return nil
	}
	h, a := assistant(b, hr), assistant(b, admin)
	said, res := use(b, h, "create_gate_pass", map[string]any{"person_name": "Ravi Kumar", "description": "bank", "is_returnable": true})
	if res == nil || res.IsError || !strings.Contains(said, "GP-2026-0001") {
		t.Fatalf("create: %s", said)
	}
	if said, res := use(b, h, "create_gate_pass", map[string]any{"person_name": "Ravi Kumar", "description": "bank"}); res == nil || !res.IsError || !strings.Contains(said, "is_returnable") {
		t.Errorf("a missing argument: %s", said)
	}
	if said, res := use(b, h, "approve_gate_pass", map[string]any{"pass_number": "GP-2026-0001", "name": "x"}); res != nil && !res.IsError {
		t.Errorf("G-161 HR approves: %s", said)
	}
	_, res = use(b, h, "get_qr_code", map[string]any{"pass_number": "GP-2026-0001"})
	if img, ok := res.Content[len(res.Content)-1].(*sdk.ImageContent); !ok || img.MIMEType != "image/png" {
		t.Errorf("G-153 the QR code is no picture: %+v", res.Content)
	}
	// What lasts waits for a person, though the desk's own assistant does it at once.
	for _, c := range []struct{ tool, before, after string }{
		{"approve_gate_pass", `"status":"pending"`, `"status":"approved"`},
		{"delete_gate_pass", `"status":"approved"`, `"status":"deleted"`},
	} {
		said, _ = use(b, a, c.tool, map[string]any{"pass_number": "GP-2026-0001", "name": "Meera Iyer"})
		if !strings.Contains(said, "waits for a person") || !strings.Contains(said, "run-") {
			t.Fatalf("%s does not wait: %s", c.tool, said)
		}
		if said, _ := use(b, h, "get_gate_pass_details", map[string]any{"pass_id": "GP-2026-0001"}); !strings.Contains(said, c.before) {
			t.Errorf("%s was done unasked: %s", c.tool, said)
		}
		run := strings.TrimSuffix(said[strings.LastIndex(said, "run-"):], ".")
		if said, res := use(b, h, "result", map[string]any{"run": run}); !res.IsError {
			t.Errorf("HR sees the admin's call: %s", said)
		}
		b.Decide(b.Pending()[0].ID, dossier.Decision{Verb: dossier.Approve, By: admin})
		if n := shown(b, dossier.Waiting); n != 1 {
			t.Errorf("%d calls wait in the list of cases, want 1", n)
		}
		if said, _ := use(b, a, "result", map[string]any{"run": run}); !strings.Contains(said, c.after) {
			t.Errorf("%s after the approval: %s", c.tool, said)
		}
		if n := shown(b, dossier.Open, dossier.Waiting); n != 0 {
			t.Errorf("%d calls are still open after the outcome was fetched", n)
		}
	}
}

// shown counts the calls among the cases in some states.
func shown(b *apptest.Bench, states ...dossier.State) (n int) {
	b.T.Helper()
	cases, err := b.Desk.Cases(b.T.Context(), app.CaseFilter{States: states})
	if err != nil {
		b.T.Fatal(err)
	}
	for _, c := range cases {
		if strings.HasPrefix(c.Subject, "mcp/") {
			n++
		}
	}
	return n
}

func TestMCPOverHTTP(t *testing.T) {
	t.Parallel()
	b := apptest.Open(t, gatepass.App, apptest.Options{At: monday})
	s := httptest.NewServer(tools(b).Handler(func(r *http.Request) (dossier.Principal, error) {
		if r.Header.Get("Authorization") != "Bearer good" {
			return dossier.Principal{}, dossier.Errorf(dossier.NotSignedIn, "Send an API token as a bearer.")
		}
		return gate, nil
	}))
	t.Cleanup(s.Close)
	connect := func(token string) (*sdk.ClientSession, error) {
		return sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), &sdk.StreamableClientTransport{
			Endpoint: s.URL, HTTPClient: &http.Client{Transport: bearer(token)}, MaxRetries: -1, DisableStandaloneSSE: true,
		}, nil)
	}
	if _, err := connect("bad"); err == nil {
		t.Error("a bad token is let in")
	}
	c, err := connect("good")
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	list, err := c.ListTools(t.Context(), nil)
	if err != nil || len(list.Tools) != 7 {
		t.Errorf("tools over HTTP: %v %v", list, err)
	}
	if said, res := use(b, c, "get_gate_pass_by_number_gate", map[string]any{"pass_number": "GP-2026-0099"}); res == nil || !strings.Contains(said, "could not find GP-2026-0099") {
		t.Errorf("G-095 %s", said)
	}
}

type bearer string

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(b))
	return http.DefaultTransport.RoundTrip(r)
}
