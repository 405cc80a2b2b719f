package storetest

import (
	"encoding/json"
	"errors"
	"sync"
	"testing"
	"time"

	"dossier"
	"dossier/internal/agent"
	"dossier/internal/records"
	"dossier/internal/store"

	"github.com/google/go-cmp/cmp"
)

func testRequests(t *testing.T, s *store.Store, c *Clock) {
	ctx := t.Context()
	r := records.Request{By: "ann", Key: "k", Digest: "d", At: c.Now()}
	fresh, errs := 0, make([]error, 8)
	var mu sync.Mutex
	var wg sync.WaitGroup
	for i := range errs { // answered once, however often it is sent
		wg.Go(func() {
			_, found, err := s.BeginRequest(ctx, r)
			mu.Lock()
			defer mu.Unlock()
			errs[i] = err
			if err == nil && !found {
				fresh++
			}
		})
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil && !errors.Is(err, dossier.Conflict) {
			t.Error(err)
		}
	}
	if fresh != 1 {
		t.Errorf("%d were let through", fresh)
	}
	want := records.Answer{Status: 201, Type: "application/pdf", Body: []byte{0, 255, '"'}}
	if err := s.FinishRequest(ctx, "ann", "k", want); err != nil {
		t.Fatal(err)
	}
	got, found, err := s.BeginRequest(ctx, r)
	if diff := cmp.Diff(want, got); err != nil || !found || diff != "" {
		t.Errorf("%v %v %s", found, err, diff)
	}
	if _, found, err := s.BeginRequest(ctx, records.Request{By: "bob", Key: "k", Digest: "x", At: c.Now()}); err != nil || found {
		t.Errorf("another principal: %v %v", found, err)
	}
	r.Digest = "other"
	if _, _, err := s.BeginRequest(ctx, r); !errors.Is(err, dossier.Conflict) {
		t.Errorf("another request under the same key: %v", err)
	}
	if err := s.ForgetRequest(ctx, "ann", "k"); err != nil {
		t.Fatal(err)
	}
	if _, found, err := s.BeginRequest(ctx, r); err != nil || found {
		t.Errorf("after forgetting: %v %v", found, err)
	}
	if err := s.DropRequests(ctx, c.Now().Add(time.Second)); err != nil {
		t.Fatal(err)
	}
	r.Digest = "third"
	if _, found, err := s.BeginRequest(ctx, r); err != nil || found {
		t.Errorf("after dropping: %v %v", found, err)
	}
}

func testWebhooks(t *testing.T, s *store.Store, c *Clock) {
	ctx := t.Context()
	w := records.Webhook{ID: "wh-1", URL: "https://example.org", Kinds: []string{"approval.*"}, Apps: []string{"netra"}, By: "ann", Created: c.Now(), Enabled: true}
	if err := s.CreateWebhook(ctx, w); err != nil {
		t.Fatal(err)
	}
	claim := func() error {
		var err error
		w, err = s.ClaimWebhook(ctx, c.Now(), c.Now().Add(time.Minute))
		return err
	}
	if err := claim(); !errors.Is(err, dossier.NotFound) {
		t.Errorf("nothing has happened: %v", err)
	}
	if err := s.Publish(ctx, records.Event{Kind: "x", Text: "Something happened."}); err != nil {
		t.Fatal(err)
	}
	if err := claim(); err != nil || w.ID != "wh-1" || w.Kinds[0] != "approval.*" || !w.Next.Equal(c.Now().Add(time.Minute)) {
		t.Fatalf("%+v %v", w, err)
	}
	if err := claim(); !errors.Is(err, dossier.NotFound) {
		t.Errorf("claimed twice: %v", err)
	}
	c.Add(time.Minute)
	if err := claim(); err != nil {
		t.Errorf("the claim did not run out: %v", err)
	}
	last, err := s.LastEvent(ctx)
	if err != nil {
		t.Fatal(err)
	}
	claimed := w
	want, err := s.ChangeWebhook(ctx, "wh-1", 1, func(w *records.Webhook) error { w.URL = "https://new.test/hook"; return nil })
	if err != nil || want.Version != 2 {
		t.Errorf("%+v %v", want, err)
	}
	untouched := func(*records.Webhook) error { t.Error("changed what was changed meanwhile"); return nil }
	if _, err := s.ChangeWebhook(ctx, "wh-1", 1, untouched); !errors.Is(err, dossier.Conflict) {
		t.Errorf("the second change: %v", err)
	}
	if _, err := s.ChangeWebhook(ctx, "wh-2", 1, untouched); !errors.Is(err, dossier.NotFound) {
		t.Errorf("a webhook that is not there: %v", err)
	}
	refused := errors.New("refused")
	if _, err := s.ChangeWebhook(ctx, "wh-1", 2, func(w *records.Webhook) error { w.URL = ""; return refused }); !errors.Is(err, refused) {
		t.Errorf("a change that is refused: %v", err)
	}
	saved := func(what string, sent int64, enabled bool, version int) {
		t.Helper()
		claimed.Sent, claimed.Next, claimed.LastNote, claimed.Enabled = sent, time.Time{}, what, enabled
		if err := s.SaveDelivery(ctx, claimed); err != nil {
			t.Fatal(err)
		}
		want.Sent, want.Next, want.LastNote, want.Enabled, want.Version = last, time.Time{}, what, enabled, version
		got, err := s.Webhook(ctx, "wh-1")
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%s: %v (-want +got)\n%s", what, err, diff)
		}
	}
	saved("told; the new address stays", last, true, 2)
	saved("nobody goes back", last-1, true, 2)
	saved("switched off", last, false, 3)
	if want, err = s.ChangeWebhook(ctx, "wh-1", 3, func(w *records.Webhook) error { w.Enabled = true; return nil }); err != nil {
		t.Fatal(err)
	}
	saved("on again", last, true, 4)
	if err := claim(); !errors.Is(err, dossier.NotFound) {
		t.Errorf("all was told: %v", err)
	}
	if err := s.DeleteWebhook(ctx, "wh-1"); err != nil {
		t.Fatal(err)
	}
	if err := s.DeleteWebhook(ctx, "wh-1"); !errors.Is(err, dossier.NotFound) {
		t.Errorf("deleted twice: %v", err)
	}
	if all, err := s.Webhooks(ctx); err != nil || len(all) != 0 {
		t.Errorf("%+v %v", all, err)
	}
}

func testEvals(t *testing.T, s *store.Store, c *Clock) {
	ctx := t.Context()
	res := records.EvalResult{
		ID: "ev-1", App: "poolpatrol", Suite: "shift", Player: "reference", Started: c.Now(), Examples: 1,
		Means: map[string]float64{"verdict": 0.5}, Gates: map[string]float64{"verdict": 1},
	}
	rows := []records.EvalRow{{Example: "one", Got: json.RawMessage(`{"a":1}`), Grades: []records.EvalGrade{{Name: "verdict", Score: 0.5}}, Ms: 1.5}}
	if err := s.SaveResult(ctx, res, rows); err != nil {
		t.Fatal(err)
	}
	got, gotRows, err := s.Result(ctx, "ev-1")
	if diff := cmp.Diff(res, got) + cmp.Diff(rows, gotRows); err != nil || diff != "" {
		t.Errorf("%v %s", err, diff)
	}
	if all, err := s.Results(ctx, []string{"poolpatrol"}, "shift", 5); err != nil || len(all) != 1 {
		t.Errorf("%+v %v", all, err)
	}
	if none, err := s.Results(ctx, []string{"netra"}, "", 5); err != nil || len(none) != 0 {
		t.Errorf("%+v %v", none, err)
	}
	testEvalRows(t, s, c)
	item := records.LabelItem{ID: "lab-1", App: "poolpatrol", Why: "low confidence", Got: json.RawMessage(`1`), Queued: c.Now()}
	for range 2 { // asked once
		if err := s.AskLabel(ctx, item); err != nil {
			t.Fatal(err)
		}
	}
	if open, err := s.Unlabelled(ctx, nil, 5); err != nil || cmp.Diff([]records.LabelItem{item}, open) != "" {
		t.Errorf("%+v %v", open, err)
	}
	l := records.Label{Good: true, Note: "right", By: dossier.Principal{ID: "ann", Name: "Ann"}, At: c.Now(), Apps: []string{"netra"}}
	if _, err := s.Label(ctx, "lab-1", l); !errors.Is(err, dossier.NotFound) {
		t.Errorf("an app the person may not see: %v", err)
	}
	l.Apps = nil
	if got, err := s.Label(ctx, "lab-1", l); err != nil || got.Label == nil || got.Label.Note != "right" {
		t.Errorf("%+v %v", got, err)
	}
	if _, err := s.Label(ctx, "lab-1", l); !errors.Is(err, dossier.Conflict) {
		t.Errorf("labelled twice: %v", err)
	}
	if done, err := s.Labelled(ctx, []string{"poolpatrol"}, 5); err != nil || len(done) != 1 || !done[0].Label.Good {
		t.Errorf("%+v %v", done, err)
	}
}

// testEvalRows stores the rows of a run as they are done, out of order and one twice.
func testEvalRows(t *testing.T, s *store.Store, c *Clock) {
	t.Helper()
	ctx := t.Context()
	res := records.EvalResult{ID: "ev-2", App: "poolpatrol", Suite: "location", Player: "m", Prompt: "abc", Dataset: "def", Started: c.Now(), Means: map[string]float64{}, Gates: map[string]float64{}}
	if err := s.BeginResult(ctx, res); err != nil {
		t.Fatal(err)
	}
	row := func(name string) records.EvalRow {
		return records.EvalRow{
			Example: name, Grades: []records.EvalGrade{{Name: "v", Score: 1, Safety: true}}, Cost: 0.25, Prompt: "abc",
			Path: &records.EvalPath{Turns: 2, Answered: true, Shape: "optimal", Calls: []records.EvalCall{{Tool: "look", Turn: 1, Args: json.RawMessage(`{}`), Came: true}}},
		}
	}
	for _, r := range []struct {
		seq  int
		name string
	}{{2, "two"}, {1, "one"}, {2, "other"}} {
		if err := s.KeepRow(ctx, "ev-2", r.seq, row(r.name)); err != nil {
			t.Fatal(err)
		}
	}
	got, rows, err := s.Result(ctx, "ev-2")
	if diff := cmp.Diff([]records.EvalRow{row("one"), row("two")}, rows); err != nil || diff != "" || got.Done() {
		t.Errorf("%v done %v %s", err, got.Done(), diff)
	}
	res.Ended, res.Examples, res.Passed = c.Now(), 2, true
	if err := s.FinishResult(ctx, res); err != nil {
		t.Fatal(err)
	}
	if got, _, err := s.Result(ctx, "ev-2"); err != nil || !got.Done() || cmp.Diff(res, got) != "" {
		t.Errorf("%v %s", err, cmp.Diff(res, got))
	}
	if err := s.KeepRow(ctx, "none", 1, row("x")); err == nil {
		t.Error("a row of no run was kept")
	}
	res.ID = "none"
	if err := s.FinishResult(ctx, res); !errors.Is(err, dossier.NotFound) {
		t.Errorf("no such run: %v", err)
	}
}

func testSettings(t *testing.T, s *store.Store, _ *Clock) {
	ctx := t.Context()
	if _, err := s.Setting(ctx, "key"); !errors.Is(err, dossier.NotFound) {
		t.Errorf("unset: %v", err)
	}
	got := make([]string, 8)
	var wg sync.WaitGroup
	for i := range got { // all use the key that was first
		wg.Go(func() {
			v, err := s.FirstSetting(ctx, "key", string(rune('a'+i)))
			if err != nil {
				t.Error(err)
			}
			got[i] = v
		})
	}
	wg.Wait()
	for _, v := range got {
		if v != got[0] || v == "" {
			t.Errorf("several keys: %v", got)
		}
	}
	if err := s.SetSetting(ctx, "key", "z"); err != nil {
		t.Fatal(err)
	}
	if v, err := s.Setting(ctx, "key"); err != nil || v != "z" {
		t.Errorf("%q %v", v, err)
	}
}

// testMoveOfAnotherCase holds that what a run sees goes to the chain of its own case.
func testMoveOfAnotherCase(t *testing.T, s *store.Store, _ *Clock) {
	ctx := t.Context()
	run := StartRun(t, s, OpenCase(t, s, "vanpool/VP-101"))
	other := OpenCase(t, s, "vanpool/VP-102")
	err := s.Record(ctx, agent.Move{
		Run: run.ID, Case: other.ID, Status: dossier.Ready,
		Entries: []agent.Entry{{Step: Step(2, dossier.Returned), Seen: []dossier.Evidence{Shift(1)}}},
	})
	seen, _, _ := s.Facts(ctx, other.ID)
	if err == nil || len(seen) != 0 {
		t.Errorf("a move of %s with facts for %s: %v, %d entries", run.Case, other.ID, err, len(seen))
	}
}
