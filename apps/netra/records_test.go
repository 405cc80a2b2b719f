package netra

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"dossier/apps/netra/engine"
	"dossier/apps/netra/ingest"
	"dossier/apps/netra/trial"

	"github.com/google/go-cmp/cmp"
)

func TestFoldingN093(t *testing.T) {
	t.Parallel()
	onBoth(t, nil, testFolding)
}

func testFolding(t *testing.T, p *product) {
	first := p.report(3, "Arms cache recovered near border area")
	second := p.report(2, "Arms cache recovered near the border area, police said")
	if _, err := p.ingestRows(t.Context(), []ingest.Row{first}, nil); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		audit, err := p.ingestRows(t.Context(), []ingest.Row{second}, nil)
		if err != nil || audit.Folded != 1 {
			t.Fatalf("folded %d, %v", audit.Folded, err)
		}
	}
	list, err := p.book.Signals(t.Context(), cachar, p.Clock.Now().Add(-24*time.Hour), p.Clock.Now())
	if err != nil || len(list) != 1 || list[0].Sources != 2 {
		t.Errorf("N-093 stored %+v, %v", list, err)
	}
	if s, err := p.board.Score(t.Context(), cachar, engine.Day, p.Clock.Now()); err != nil || s.SignalCount != 1 || s.Top[0].Sources != 2 {
		t.Errorf("the board shows %+v, %v", s.Top, err)
	}
	// The event is as old as its first report.
	if audit, err := p.ingestRows(t.Context(), []ingest.Row{p.report(5, "Arms cache recovered near border area")}, nil); err != nil || audit.Folded != 1 {
		t.Fatalf("folded %d, %v", audit.Folded, err)
	}
	list, err = p.book.Signals(t.Context(), cachar, p.Clock.Now().Add(-24*time.Hour), p.Clock.Now())
	if want := p.Clock.Now().Add(-5 * time.Hour); err != nil || len(list) != 1 || !list[0].Timestamp.Equal(want) {
		t.Errorf("dated %v, want %v, %v", list[0].Timestamp, want, err)
	}
}

// What a file says of events does not depend on the order of its lines: an event that is
// reported every day is not folded into its first day, whichever comes first.
func TestFoldingInAnyOrder(t *testing.T) {
	t.Parallel()
	for name, reverse := range map[string]bool{"oldest first": false, "newest first, as in feeds": true} {
		for _, oneByOne := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, one by one: %v", name, oneByOne), func(t *testing.T) {
				t.Parallel()
				p := newProduct(t, nil)
				var rows []ingest.Row
				for day := 6; day >= 0; day-- {
					rows = append(rows, p.report(float64(day)*20+1, "Economic blockade on the national highway enters another day"))
				}
				if reverse {
					slices.Reverse(rows)
				}
				batches := [][]ingest.Row{rows}
				if oneByOne {
					batches = slices.Collect(slices.Chunk(rows, 1))
				}
				for _, b := range batches {
					if _, err := p.ingestRows(t.Context(), b, nil); err != nil {
						t.Fatal(err)
					}
				}
				list, err := p.book.Signals(t.Context(), cachar, p.Clock.Now().Add(-engine.Week.Duration()), p.Clock.Now())
				if err != nil || len(list) != 4 {
					t.Fatalf("N-093 %d events of seven reports, 20 hours apart, %v", len(list), err)
				}
				if age := p.Clock.Now().Sub(list[0].Timestamp); !oneByOne && age != time.Hour {
					t.Errorf("N-093 the newest event of the file is %s old", age)
				}
				if s, err := p.board.Score(t.Context(), cachar, engine.Day, p.Clock.Now()); err != nil || s.SignalCount == 0 {
					t.Errorf("N-093 the blockade that goes on is not in the last day, %v", err)
				}
			})
		}
	}
}

// A graver report of a known event is not lost by folding.
func TestFoldingKeepsTheGraverReport(t *testing.T) {
	t.Parallel()
	onBoth(t, nil, func(t *testing.T, p *product) {
		const first, later = "Protest rally at the market over land survey", "Protest rally at the market over land survey turns violent, two killed"
		p.take(first)
		for _, text := range []string{later, first} {
			if a := p.take(text); a.Folded != 1 {
				t.Fatalf("N-093 folded %d", a.Folded)
			}
			list, err := p.book.Accounts(t.Context(), cachar, p.Clock.Now().Add(-24*time.Hour), p.Clock.Now(), 10)
			if err != nil || len(list) != 1 || list[0].Signal.Severity != 5 || list[0].Signal.EventSummary != later ||
				!slices.Contains(list[0].Signal.RiskLayers, engine.Physical) || !strings.Contains(list[0].Why, "killed") || list[0].Signal.Sources != 2 {
				t.Errorf("N-093 stored %+v, %v", list, err)
			}
		}
		if s, err := p.board.Score(t.Context(), cachar, engine.Day, p.Clock.Now()); err != nil || s.LayerScores.Physical == 0 {
			t.Errorf("the score shows %+v, %v", s.LayerScores, err)
		}
	})
}

// What a model said of a first report is not used for the words of a graver one, and
// what is gone asks for no model.
func TestProposalOfWordsThatAreGone(t *testing.T) {
	t.Parallel()
	p := newProduct(t, nil)
	p.take("Protest rally at the market over land survey")
	first, err := p.book.Signals(t.Context(), cachar, p.Clock.Now().Add(-24*time.Hour), p.Clock.Now())
	if err != nil || len(first) != 1 {
		t.Fatalf("stored %+v, %v", first, err)
	}
	p.take("Protest rally at the market over land survey turns violent, two killed")
	calm := ingest.Classification{Layers: []engine.Layer{engine.Cognitive}, Polarity: engine.Neutral, Severity: 1, By: "model"}
	if err := p.book.Propose(t.Context(), first[0], calm, true); err != nil {
		t.Fatal(err)
	}
	if a, err := p.book.Account(t.Context(), first[0].ID); err != nil || a.Used != "rule" || a.Signal.Severity != 5 || a.ByModel != nil {
		t.Errorf("N-088 stored %+v, %v", a, err)
	}
	if err := p.classify(t.Context(), json.RawMessage(`{"signal":"SIG-gone"}`)); err != nil {
		t.Errorf("N-088 a removed signal gives %v", err)
	}
}

func TestReviews(t *testing.T) {
	t.Parallel()
	onBoth(t, nil, testReviews)
}

func testReviews(t *testing.T, p *product) {
	if code, _ := p.Call("POST", "/review", reviewIn{District: "Cachar", FalseAlarm: new(true)}, nil); code != 404 {
		t.Errorf("a review without a score answered %d", code)
	}
	p.take("Bandh called on NH-37")
	was, err := p.board.Engine(t.Context(), p.Clock.Now())
	if err != nil {
		t.Fatal(err)
	}
	if code, body := p.Call("POST", "/review", reviewIn{District: "Cachar", FalseAlarm: new(true), Note: "Old news, call 98765 43210"}, nil); code != 200 || !strings.Contains(body, "[phone]") {
		t.Fatalf("answered %d: %s", code, body)
	}
	p.As = aSenior
	p.Call("POST", "/review", reviewIn{District: "Cachar", FalseAlarm: new(false)}, nil)
	var out reviewsOut
	p.Call("GET", "/review", nil, &out)
	if len(out.Rates) != 1 || out.Rates[0].Reviewed != 2 || out.Rates[0].FalseAlarms != 1 || out.Rates[0].Rate != 0.5 || out.Rates[0].Band != "BASELINE" {
		t.Errorf("rates %+v", out.Rates)
	}
	if e, err := p.board.Engine(t.Context(), p.Clock.Now()); err != nil || e.Version() != was.Version() {
		t.Errorf("a review changed the weights: %v", err)
	}
	for _, body := range []string{`{"district":"Cachar"}`, `{"district":"Cachar","falseAlarm":true}`, `{"district":"Cachar","false_alarm":null}`, `{"district":"Cachar","false_alarm":true,"score_timestamp":"yesterday"}`} {
		if code, answer := p.Call("POST", "/review", json.RawMessage(body), nil); code != 422 {
			t.Errorf("%s answered %d: %s", body, code, answer)
		}
	}
}

// A review is of the score that the officer looked at, whatever was stored since.
func TestReviewIsOfWhatWasSeen(t *testing.T) {
	t.Parallel()
	p := newProduct(t, nil)
	p.take(escalated...)
	var seen engine.Score
	if code, body := p.Call("GET", "/risk-score/Cachar", nil, &seen); code != 200 || seen.Threshold.Label != "CRITICAL" {
		t.Fatalf("answered %d: %s", code, body)
	}
	p.Clock.Add(30 * time.Hour)
	if err := p.scoreAll(t.Context()); err != nil {
		t.Fatal(err)
	}
	var said reviewOut
	p.Call("POST", "/review", reviewIn{District: "Cachar", FalseAlarm: new(true), Seen: seen.Timestamp.Format(time.RFC3339Nano)}, &said)
	if said.Band != "CRITICAL" || said.Score != seen.Composite {
		t.Errorf("the review is of %.2f %s", said.Score, said.Band)
	}
	p.Call("POST", "/review", reviewIn{District: "Cachar", FalseAlarm: new(false)}, &said)
	if said.Band != "BASELINE" {
		t.Errorf("without a time it is of %.2f %s", said.Score, said.Band)
	}
}

// A back-test counts what reviewed crossings would have become, and nothing else: a
// score that did not cross is no alarm, and one whose signals were removed is unknown.
func TestTrialJudgesReviewedCrossings(t *testing.T) {
	t.Parallel()
	p := newProduct(t, nil)
	judged := func() trial.BackTest {
		t.Helper()
		e, err := p.board.Engine(t.Context(), p.Clock.Now())
		if err != nil {
			t.Fatal(err)
		}
		b, err := p.backTest(t.Context(), weightChange{LayerWeights: map[engine.Layer]float64{engine.Physical: 1.5}}.over(e.Params()), 14, p.Clock.Now())
		if err != nil {
			t.Fatal(err)
		}
		return trial.BackTest{FalseKept: b.FalseKept, FalseGone: b.FalseGone, TrueKept: b.TrueKept, TrueLost: b.TrueLost, Unjudged: b.Unjudged}
	}
	review := func(alarm bool) {
		t.Helper()
		if code, body := p.Call("POST", "/review", reviewIn{District: "Cachar", FalseAlarm: &alarm}, nil); code != 200 {
			t.Fatal(body)
		}
	}
	p.take("Bandh called on NH-37")
	review(false) // it was right to be calm
	if got := judged(); !cmp.Equal(got, trial.BackTest{}) {
		t.Errorf("a confirmed BASELINE counts: %+v", got)
	}
	p.Clock.Add(time.Hour)
	p.take(escalated...)
	review(false)
	if got := judged(); !cmp.Equal(got, trial.BackTest{TrueKept: 1}) {
		t.Errorf("a confirmed crossing: %+v", got)
	}
	p.Clock.Add(91 * 24 * time.Hour)
	if _, err := p.forget(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := judged(); !cmp.Equal(got, trial.BackTest{Unjudged: 1}) {
		t.Errorf("after retention: %+v", got)
	}
}
