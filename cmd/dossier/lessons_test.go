package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"dossier/apps/netra/book"
	"dossier/apps/netra/engine"
	"dossier/internal/app/apptest"
	"dossier/internal/records"
	"dossier/internal/store"
	"dossier/internal/store/storetest"
)

// TestProductionBecomesExamples follows three people's words into the suites: a
// coordinator's decision on an approval, an officer's review of a score and an
// analyst's rating of a draft are queued, labelled, and played from then on.
func TestProductionBecomesExamples(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	h := &harness{t: t, dir: dir, url: "sqlite:" + filepath.Join(dir, "dossier.db")}
	h.must("demo")
	h.must("work", "--once")
	st := storetest.OpenURL(t, h.url, storetest.NewClock())

	var inbox []struct{ ID, Tool string }
	read(t, h.must("inbox"), &inbox)
	i := slices.IndexFunc(inbox, func(a struct{ ID, Tool string }) bool { return a.Tool == "send_email_for_review" })
	if i < 0 {
		t.Fatalf("no escalation waits: %+v", inbox)
	}
	h.must("inbox", "approve", inbox[i].ID, "--note", "fine")
	reviewScore(t, st)
	rateDraft(t, st)

	before := map[string]int{}
	for _, suite := range []string{"poolpatrol/outreach", "netra/classification", "report/faithfulness"} {
		before[suite] = play(h, suite, "").Examples
	}
	var queued []records.LabelItem
	read(t, h.must("eval", "label", "--collect"), &queued)
	said := map[string][]string{
		"outreach":       {"--good"},
		"classification": {"--bad", "--right", `{"risk_layers":["physical"],"polarity":"neutral","severity_score":1,"geo_sensitivity":[]}`},
		"faithfulness":   {"--good"},
	}
	for suite, words := range said {
		i := slices.IndexFunc(queued, func(it records.LabelItem) bool { return it.Suite == suite })
		if i < 0 {
			t.Fatalf("nothing of %s is queued: %+v", suite, queued)
		}
		it := queued[i]
		if it.Why == "" || len(it.Input) == 0 || len(it.Got) == 0 || (len(it.Want) > 0) == (suite == "classification") {
			t.Errorf("%s: %+v", suite, it)
		}
		h.must(append([]string{"eval", "label", it.ID}, words...)...)
		name := it.App + "/" + suite
		after := play(h, name, it.ID)
		if after.Examples != before[name]+1 || after.row.Scenario != "production" {
			t.Errorf("%s: %d examples, then %d; the label's row is %+v", name, before[name], after.Examples, after.row)
		}
		full := !slices.ContainsFunc(after.row.Grades, func(g records.EvalGrade) bool { return g.Score < 1 })
		if full != (suite != "classification") {
			t.Errorf("%s: what a person accepted must be met, what they corrected must not: %+v", name, after.row)
		}
	}
	read(t, h.must("eval", "label", "--collect"), &queued)
	for suite := range said {
		if slices.ContainsFunc(queued, func(it records.LabelItem) bool { return it.Label != nil }) {
			t.Errorf("%s was queued again after it was labelled", suite)
		}
	}
}

func read(t *testing.T, raw []byte, v any) {
	t.Helper()
	if err := json.Unmarshal(raw, v); err != nil {
		t.Fatalf("%v: %.300s", err, raw)
	}
}

type measured struct {
	ID       string
	Examples int
	row      records.EvalRow
}

// play plays a suite and returns how many examples it had, and the row called name.
func play(h *harness, suite, name string) (m measured) {
	h.t.Helper()
	read(h.t, h.must("eval", "run", suite, "--only-safety"), &m)
	st := storetest.OpenURL(h.t, h.url, storetest.NewClock())
	_, rows, err := st.Result(h.t.Context(), m.ID)
	if err != nil {
		h.t.Fatal(err)
	}
	for _, r := range rows {
		if r.Example == name {
			m.row = r
		}
	}
	return m
}

// reviewScore calls the highest score a false alarm.
func reviewScore(t *testing.T, st *store.Store) {
	t.Helper()
	b := &book.Book{DB: st.DB(), NewID: apptest.NewID}
	var p engine.Place
	var hours, at, score int64
	err := st.DB().QueryRow(t.Context(), "SELECT state, district, hours, at, score FROM netra_scores WHERE signals > 0 ORDER BY score DESC, at DESC LIMIT 1").Scan(&p.State, &p.District, &hours, &at, &score)
	if err != nil {
		t.Fatal(err)
	}
	_, err = b.SaveReview(t.Context(), book.Review{Place: p, Hours: int(hours), ScoreAt: time.UnixMicro(at), Score: float64(score) / 100, Band: "CRITICAL", FalseAlarm: true, Note: "Old news.", Reviewer: "mira", At: time.UnixMicro(at)})
	if err != nil {
		t.Fatal(err)
	}
}

// rateDraft rates a draft of the demo report well.
func rateDraft(t *testing.T, st *store.Store) {
	t.Helper()
	var report, section string
	var round int
	if err := st.DB().QueryRow(t.Context(), "SELECT report, section, round FROM report_drafts ORDER BY created LIMIT 1").Scan(&report, &section, &round); err != nil {
		t.Fatal(err)
	}
	_, err := st.DB().Exec(t.Context(), `INSERT INTO report_reviews (id, report, section, round, ratings, notes, comments, by_id, by_name, created)
		VALUES ('rev-1', $1, $2, $3, $4, 'Good.', '[]', 'mira', 'Mira', 1)`, report, section, round, fmt.Sprintf(`{%q:5,%q:4}`, "completeness", "clarity"))
	if err != nil {
		t.Fatal(strings.TrimSpace(err.Error()))
	}
}
