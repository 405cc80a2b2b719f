package scratch_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"dossier"
	"dossier/internal/agent"
	"dossier/internal/app"
	"dossier/internal/db"
	"dossier/internal/eval"
	"dossier/internal/model"
	"dossier/internal/scratch"
	"dossier/internal/tool"
)

type settings struct{ Most int }

// Validate implements app.Config.
func (settings) Validate() error { return nil }

type noteIn struct {
	Text string `json:"text"`
}

type noteOut struct {
	Notes int `json:"notes"`
	Most  int `json:"most"`
}

const clerk dossier.Role = "clerk"

// notes is an app with one table, a tool that writes to it, one that must be approved,
// and an agent that talks.
var notes = app.Define(app.Def[settings]{
	ID: "notes", Title: "Notes", Doc: "Keeps notes.", Roles: map[dossier.Role]string{clerk: "keeps them"}, Default: settings{Most: 3},
	Files: fstest.MapFS{"migrations/0001_notes.sql": {Data: []byte("CREATE TABLE notes_note (text TEXT NOT NULL);\n")}},
	Build: func(env app.Env, cfg settings) (*app.Kit, error) {
		write := func(ctx context.Context, _ tool.Call, in noteIn) (out tool.Output[noteOut], err error) {
			if _, err := env.DB.Exec(ctx, "INSERT INTO notes_note (text) VALUES ($1)", in.Text); err != nil {
				return out, err
			}
			out.Value.Most = cfg.Most
			return out, env.DB.QueryRow(ctx, "SELECT COUNT(*) FROM notes_note").Scan(&out.Value.Notes)
		}
		roles := []dossier.Role{clerk}
		return &app.Kit{Agents: []*agent.Agent{{
			Name: "desk", Doc: "Takes notes.", Prompt: "Take notes.", Model: "fast", Chat: true, Policy: obey,
			Tools: []tool.Tool{
				tool.Def[noteIn, noteOut]{Name: "note", Doc: "Notes.", Roles: roles, Effect: tool.Write, Run: write}.Tool(),
				tool.Def[noteIn, noteOut]{
					Name: "shout", Doc: "Tells everyone.", Roles: roles, Effect: tool.Act,
					Key: func(in noteIn) string { return in.Text }, Run: write,
				}.Tool(),
			},
		}}}, nil
	},
})

// obey calls the tool that the person names first and then repeats what came back.
func obey(_ context.Context, req *model.Request) (*model.Reply, error) {
	said, ok := req.Messages[len(req.Messages)-1].Parts[0].(model.Text)
	if !ok {
		return model.Say("Done."), nil
	}
	name, text, _ := strings.Cut(string(said), " ")
	return req.Calling(model.Planned{Tool: name, Args: noteIn{text}}), nil
}

func open(t *testing.T, m *scratch.Maker, o app.ScratchOptions) (*app.Scratch, eval.Stage) {
	t.Helper()
	s, err := m.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	c, _, err := s.Env.Desk.Open(t.Context(), app.Opening{Subject: "notes", Title: "Notes"})
	if err != nil {
		t.Fatal(err)
	}
	st := s.Stage
	st.Case, st.For = c.ID, dossier.Principal{ID: "ann", Name: "Ann", Roles: []dossier.Role{clerk}}
	return s, st
}

func count(t *testing.T, d db.DB) (n int) {
	t.Helper()
	if err := d.QueryRow(t.Context(), "SELECT COUNT(*) FROM notes_note").Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

func TestScratch(t *testing.T) {
	t.Parallel()
	maker := &scratch.Maker{App: notes, Config: notes.Default()}
	t.Run("a conversation over real rows", func(t *testing.T) {
		t.Parallel()
		s, st := open(t, maker, app.ScratchOptions{})
		st.Says = []string{"note milk", "note bread", "shout fire"}
		tr, err := eval.PlayAgent(t.Context(), st, "desk", json.RawMessage(`{}`), eval.Player{})
		if err != nil {
			t.Fatal(err)
		}
		p, err := tr.Path()
		if err != nil || len(p.Calls) != 3 || string(p.Calls[1].Value) != `{"notes":2,"most":3}` || !p.Calls[2].Asked || p.Calls[2].Failed {
			t.Fatalf("got %.600s, %v", fmt.Sprintf("%+v", p), err)
		}
		if len(tr.Approvals) != 1 || tr.Approvals[0].Status != dossier.Approved || string(tr.Answer) != `"Done."` || count(t, s.Env.DB) != 3 {
			t.Errorf("got %+v, %s, %d rows", tr.Approvals, tr.Answer, count(t, s.Env.DB))
		}
	})
	t.Run("a person says no", func(t *testing.T) {
		t.Parallel()
		s, st := open(t, maker, app.ScratchOptions{})
		st.Says = []string{"shout fire"}
		st.Decide = func(dossier.Approval) dossier.Decision {
			return dossier.Decision{Verb: dossier.Reject, Note: "there is none"}
		}
		tr, err := eval.PlayAgent(t.Context(), st, "desk", json.RawMessage(`{}`), eval.Player{})
		if err != nil {
			t.Fatal(err)
		}
		if len(tr.Approvals) != 1 || tr.Approvals[0].Status != dossier.Rejected || count(t, s.Env.DB) != 0 {
			t.Errorf("got %+v, %d rows", tr.Approvals, count(t, s.Env.DB))
		}
	})
	t.Run("copies know nothing of each other", func(t *testing.T) {
		t.Parallel()
		day := time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)
		one, st := open(t, maker, app.ScratchOptions{Now: day, Change: func(c app.Config) { c.(*settings).Most = 9 }})
		two, _ := open(t, maker, app.ScratchOptions{})
		st.Says = []string{"note milk"}
		tr, err := eval.PlayAgent(t.Context(), st, "desk", json.RawMessage(`{}`), eval.Player{})
		if err != nil {
			t.Fatal(err)
		}
		if p, err := tr.Path(); err != nil || string(p.Calls[0].Value) != `{"notes":1,"most":9}` || !tr.Steps[0].At.Equal(day) {
			t.Errorf("got %+v, %v, first step at %v", p, err, tr.Steps[0].At)
		}
		if count(t, one.Env.DB) != 1 || count(t, two.Env.DB) != 0 || maker.Config.(*settings).Most != 3 {
			t.Error("a copy changed another, or the product's configuration")
		}
	})
	t.Run("nothing is reached and nothing is mailed", func(t *testing.T) {
		t.Parallel()
		s, _ := open(t, maker, app.ScratchOptions{})
		if _, err := s.Env.HTTP.Get("http://192.0.2.1/"); err == nil || !strings.Contains(err.Error(), "reaches no address") { //nolint:noctx // it must fail at once
			t.Errorf("got %v", err)
		}
		r, err := s.Env.Mail.Send(t.Context(), "key", app.Message{To: []string{"a@example.org"}})
		if err != nil || r.Via != "nowhere" {
			t.Errorf("got %+v, %v", r, err)
		}
	})
}
