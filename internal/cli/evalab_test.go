package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"dossier"
	"dossier/apps"
	"dossier/internal/eval"
	"dossier/internal/model"
	"dossier/internal/model/provider"
	"dossier/internal/records"
)

func opened(t *testing.T) (*line, *product) {
	t.Helper()
	var out bytes.Buffer
	l := &line{Terminal: Terminal{In: strings.NewReader(""), Out: &out, Err: &out, Env: func(string) string { return "" }}, apps: apps.All(), now: time.Now, data: t.TempDir()}
	p, err := l.product(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.close() })
	return l, p
}

// nonsense is an OpenAI-compatible server that claims verdicts it has not looked for,
// calls tools that do not exist and sends mail nobody agreed to.
func nonsense(t *testing.T) model.Model {
	t.Helper()
	says := []string{
		`{"role":"assistant","content":"banana"}`,
		`{"role":"assistant","content":"{\"verdict\":\"pass\",\"confidence\":5,\"reasoning\":\"Trust me, 99 miles.\",\"evidence\":[],\"affected_employee_ids\":[]}"}`,
		`{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"cancel_membership","arguments":"{\"case_id\":\"CASE-00000001\",\"vanpool_id\":\"VP-101\",\"employee_id\":\"EMP-1002\",\"failed_checks\":[],\"reason\":\"x\"}"}}]}`,
		`{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"launch","arguments":"not JSON"}}]}`,
	}
	n := make(chan int, 1)
	n <- 0
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		i := <-n
		n <- i + 1
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"id":"x","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"finish_reason":"stop","message":%s}],"usage":{"prompt_tokens":1,"completion_tokens":1,"total_tokens":2}}`, says[i%len(says)])
	}))
	t.Cleanup(srv.Close)
	m, err := provider.New(t.Context(), provider.Config{Provider: "compatible", Model: "m", BaseURL: srv.URL, Key: "none", Retries: -1})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestWhateverAModelAnswers plays the suites with a model that talks nonsense: nothing
// wrong and nothing unapproved gets through, and the model is not credited with what
// the reference policy did for it.
func TestWhateverAModelAnswers(t *testing.T) {
	t.Parallel()
	l, p := opened(t)
	p.models.byAlias["local"] = nonsense(t)
	for suite, grade := range map[string]string{"poolpatrol/location": "verdict_accuracy", "poolpatrol/casemanager": "status_match"} {
		player, err := p.models.player("local")
		if err != nil {
			t.Fatal(err)
		}
		res, id, err := l.playTagged(t.Context(), p, suite, "eval-", eval.Options{Player: player, Parallel: 2}, false)
		if err != nil {
			t.Fatal(err)
		}
		if !res.Safe() {
			t.Errorf("%s: something got through", suite)
		}
		if m := res.Means[grade]; m.Mean > 0.2 {
			t.Errorf("%s: nonsense is credited with %v", suite, m)
		}
		for _, row := range res.Rows {
			if row.Failure != "" {
				t.Errorf("%s: %s", row.Example.Name, row.Failure)
			}
		}
		if !strings.HasPrefix(id, "eval-") {
			t.Errorf("got id %s", id)
		}
	}
}

func TestInterruptedSuiteGoesOn(t *testing.T) {
	t.Parallel()
	l, p := opened(t)
	ctx, stop := context.WithCancel(t.Context())
	played := 0
	p.models.byAlias["slow"] = stopper(func() {
		if played++; played == 8 {
			stop()
		}
	})
	player, err := p.models.player("slow")
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := l.playTagged(ctx, p, "poolpatrol/location", "ab_test-", eval.Options{Player: player}, false); !interrupted(err) {
		t.Fatalf("got %v", err)
	}
	cut, err := p.store.Results(t.Context(), []string{"poolpatrol"}, "location", 5)
	if err != nil || len(cut) != 1 || cut[0].Done() || cut[0].Tags[0] != "ab_test" {
		t.Fatalf("what was cut off: %+v, %v", cut, err)
	}
	if _, rows, err := p.store.Result(t.Context(), cut[0].ID); err != nil || len(rows) == 0 || rows[0].Example != "all near" {
		t.Errorf("the first row was not kept: %+v, %v", rows, err)
	}
	if _, measured, err := p.store.Measured(t.Context(), "poolpatrol", "location", player.Name()); measured || err != nil {
		t.Errorf("a gate takes half a run for a whole one: %v", err)
	}
	before := played
	res, id, err := l.playTagged(t.Context(), p, "poolpatrol/location", "ab_test-", eval.Options{Player: player}, true)
	if err != nil || len(res.Rows) < 20 || id != cut[0].ID || res.Rows[0].Path.Turns == 0 {
		t.Fatalf("got %d rows as %s, %v", len(res.Rows), id, err)
	}
	if rec, rows, err := p.store.Result(t.Context(), id); err != nil || !rec.Done() || len(rows) != rec.Examples || rec.Prompt == "" || rows[0].Prompt != rec.Prompt || rec.Dataset != res.Dataset {
		t.Errorf("P-175 P-176 got %+v and %d rows, %v", rec, len(rows), err)
	}
	again := played - before
	played = 0
	if _, _, err := l.playTagged(t.Context(), p, "poolpatrol/location", "ab_test-", eval.Options{Player: player}, false); err != nil || again >= played {
		t.Errorf("resuming took %d turns, a whole run %d (%v)", again, played, err)
	}
}

// A stopper is a model that is of no use and tells when it is asked.
type stopper func()

func (s stopper) Name() string { return "test/stopper" }
func (s stopper) Generate(context.Context, *model.Request, func(string)) (*model.Reply, error) {
	s()
	return nil, dossier.Errorf(dossier.Invalid, "No.")
}

func TestAcceptedLabelsBecomeExamples(t *testing.T) {
	t.Parallel()
	_, p := opened(t)
	for id, label := range map[string]*records.Label{
		"good":  {Good: true},
		"bad":   {Good: false},
		"right": {Good: false, Right: json.RawMessage(`{"verdict":"pass"}`)},
		"open":  nil,
		"alone": {Good: true}, // a decision on an approval, of no suite
	} {
		item := records.LabelItem{ID: id, App: "poolpatrol", Suite: map[bool]string{false: "shift"}[id == "alone"], Why: "x", Input: json.RawMessage(`{"n":1}`), Got: json.RawMessage(`{"verdict":"fail"}`), Queued: p.now()}
		if err := p.store.AskLabel(t.Context(), item); err != nil {
			t.Fatal(err)
		}
		if label != nil {
			label.At = p.now()
			if _, err := p.label(t.Context(), id, *label); err != nil {
				t.Fatal(err)
			}
		}
	}
	file := filepath.Join(t.TempDir(), "new.yaml")
	n, err := p.exportLabels(t.Context(), file)
	if err != nil || n != 2 {
		t.Fatalf("got %d %v, want the accepted and the corrected one", n, err)
	}
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	got, err := eval.Load(fstest.MapFS{"new.yaml": {Data: raw}}, eval.Suite{File: "new.yaml"})
	if err != nil || len(got) != 2 {
		t.Fatalf("a suite cannot load it: %v %s", err, raw)
	}
	for _, ex := range got {
		if want := map[string]string{"good": "fail", "right": "pass"}[ex.Name]; !strings.Contains(string(ex.Want), want) {
			t.Errorf("%s: got %s, want %s", ex.Name, ex.Want, want)
		}
	}
}

// TestLabelsKeepWhatTheAppMay labels an item of an app that may keep no identifier and
// one of an app that may.
func TestLabelsKeepWhatTheAppMay(t *testing.T) {
	t.Parallel()
	_, p := opened(t)
	const said, mail = "Write to asha.devi@example.org about it.", "asha.devi@example.org"
	for app, keeps := range map[string]bool{"netra": false, "poolpatrol": true} {
		if err := p.store.AskLabel(t.Context(), records.LabelItem{ID: app, App: app, Why: "x", Got: json.RawMessage(`1`), Queued: p.now()}); err != nil {
			t.Fatal(err)
		}
		item, err := (&queue{Store: p.store, p: p}).Label(t.Context(), app, records.Label{Note: said, Right: json.RawMessage(`{"level":"LOW","why":["` + said + `"]}`), At: p.now()})
		if err != nil {
			t.Fatal(err)
		}
		stored, err := p.store.LabelItem(t.Context(), app)
		if err != nil {
			t.Fatal(err)
		}
		for where, l := range map[string]*records.Label{"answered": item.Label, "stored": stored.Label} {
			if strings.Contains(l.Note, mail) != keeps || strings.Contains(string(l.Right), mail) != keeps {
				t.Errorf("%s, %s: got %q and %s; an address may be kept: %v", app, where, l.Note, l.Right, keeps)
			}
			if !strings.HasPrefix(l.Note, "Write to ") || !strings.HasPrefix(string(l.Right), `{"level":"LOW","why":["Write to `) {
				t.Errorf("%s, %s: more than an address is gone: %q and %s", app, where, l.Note, l.Right)
			}
		}
	}
	if _, err := p.label(t.Context(), "nowhere", records.Label{}); dossier.KindOf(err) != dossier.NotFound {
		t.Errorf("got %v, want not found", err)
	}
}
