package netra

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"dossier"
	"dossier/apps/netra/book"
	"dossier/apps/netra/engine"
	"dossier/apps/netra/ingest"
	"dossier/internal/store/storetest"
	"dossier/internal/tool"
)

func TestAnalyze(t *testing.T) {
	t.Parallel()
	onBoth(t, nil, testAnalyze)
}

// What changes a record in a person's name does not run without one.
func TestNothingIsDecidedByNobody(t *testing.T) {
	t.Parallel()
	ran := false
	run := decided(&office{}, "done", func(context.Context, tool.Call, string, string) (string, string, error) {
		ran = true
		return "", "", nil
	})
	for _, c := range []tool.Call{{}, {Approved: &dossier.Decision{Verb: dossier.Approve}}} {
		if _, err := run(t.Context(), c, ""); !errors.Is(err, dossier.Forbidden) || ran {
			t.Errorf("%v, ran: %v", err, ran)
		}
	}
}

func testAnalyze(t *testing.T, p *product) {
	place, signals := engine.Example(p.Clock.Now())
	var lines []any
	for _, s := range signals {
		lines = append(lines, s)
	}
	var audit ingest.Audit
	if code, body := p.Call("POST", "/ingest", map[string]any{"reports": lines}, &audit); code != 200 || audit.Accepted != 3 {
		t.Fatalf("N-094 ingest answered %d: %s", code, body)
	}
	t.Run("N-043 N-044 N-094 golden over the wire", func(t *testing.T) {
		var s engine.Score
		code, body := p.Call("POST", "/analyze", map[string]string{"district": "Imphal West", "state": "Manipur"}, &s)
		if code != 200 || s.Composite != 13.67 || s.LayerScores != (engine.LayerScores{Cognitive: 1.53, Physical: 7.94}) || s.TimeWindow != "24h" {
			t.Errorf("answered %d: %s", code, body)
		}
		for _, field := range []string{`"score":13.67`, `"risk_level":"low"`, `"governance_disclaimer":"Derived from public open-source indicators. Decision support only."`, `"source_type":"public_open_source"`} {
			if !strings.Contains(body, field) {
				t.Errorf("the answer lacks %s", field)
			}
		}
	})
	t.Run("N-096 history stored with version", func(t *testing.T) {
		var h history
		p.Call("GET", "/risk-history/imphal%20west?state=Manipur", nil, &h)
		if len(h.Points) != 1 || h.Points[0].Score != 13.67 || h.Points[0].Version != engine.FormulaVersion || h.Disclaimer != engine.Disclaimer {
			t.Errorf("history %+v", h)
		}
	})
	t.Run("score endpoint and windows", func(t *testing.T) {
		var s engine.Score
		for _, w := range engine.Windows {
			if code, _ := p.Call("GET", "/risk-score/Imphal-West?window="+w.String(), nil, &s); code != 200 || s.TimeWindow != w.String() || s.District != place.District {
				t.Errorf("%s: %d %s", w, code, s.TimeWindow)
			}
		}
		if code, _ := p.Call("GET", "/risk-score/Imphal%20West?window=48h", nil, nil); code != 422 {
			t.Errorf("48h answered %d", code)
		}
		if code, body := p.Call("GET", "/risk-score/Gotham", nil, nil); code != 404 || !strings.Contains(body, "nknown district") {
			t.Errorf("an unknown district answered %d: %s", code, body)
		}
	})
	t.Run("N-098 districts for the map", func(t *testing.T) {
		var all standings
		p.Call("GET", "/districts", nil, &all)
		if len(all.Districts) != 133 || all.Disclaimer != engine.Disclaimer {
			t.Fatalf("%d districts", len(all.Districts))
		}
		for _, d := range all.Districts {
			if d.Place == place && (d.Score != 13.67 || d.TrendArrow != "→" || d.Floor != "SENIOR_REVIEW") {
				t.Errorf("got %+v", d)
			}
		}
	})
	t.Run("N-004 methodology", func(t *testing.T) {
		var m engine.Methodology
		if code, _ := p.Call("GET", "/methodology", nil, &m); code != 200 || m.Version != engine.FormulaVersion || len(m.Formulas) == 0 || m.Disclaimer != engine.Disclaimer {
			t.Errorf("answered %d, %+v", code, m)
		}
	})
	t.Run("signals with the words that decided", func(t *testing.T) {
		p.take("Bandh called on NH-37")
		var got signalsOut
		p.Call("GET", "/signals/Cachar", nil, &got)
		if list := got.Signals; len(list) != 1 || !strings.Contains(list[0].Why, "“bandh” is network") || list[0].Used != "rule" || list[0].ByModel != nil {
			t.Errorf("got %+v", got)
		}
	})
}

// TestDisclaimerN058N072N073 asks every operation and every command of the app: each
// answer about districts says what it is, in text and in JSON.
func TestDisclaimerN058N072N073(t *testing.T) {
	t.Parallel()
	p := newProduct(t, nil)
	p.As.Roles = []dossier.Role{officer, senior}
	p.take("Bandh called on NH-37")
	report := map[string]any{"reports": []any{map[string]string{"state": "Assam", "district": "Cachar", "text": "Arms cache recovered", "timestamp": "2026-03-02T10:00:00Z"}}}
	asked := []struct {
		method, path string
		body         any
	}{
		{"POST", "/analyze", analyzeIn{District: "Cachar", State: "Assam"}}, {"POST", "/ingest", report}, {"GET", "/risk-score/Cachar", nil},
		{"GET", "/risk-history/Cachar", nil}, {"GET", "/districts", nil}, {"GET", "/signals/Cachar", nil}, {"GET", "/methodology", nil},
		{"POST", "/review", reviewIn{District: "Cachar", FalseAlarm: new(false)}}, {"GET", "/review", nil},
		{"POST", "/weights", weightChange{LayerWeights: map[engine.Layer]float64{engine.Physical: 1.2}, Why: "A test"}}, {"GET", "/weights", nil}, {"GET", "/retention", nil},
	}
	for _, a := range asked {
		if code, body := p.Call(a.method, a.path, a.body, nil); code != 200 || !strings.Contains(body, `"governance_disclaimer":"`+engine.Disclaimer+`"`) {
			t.Errorf("%s %s answered %d without it: %s", a.method, a.path, code, body)
		}
	}
	file := filepath.Join(t.TempDir(), "in.csv")
	if err := os.WriteFile(file, []byte("state,district,text,timestamp\nAssam,Cachar,Bandh called,2026-03-02T11:00:00Z\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"ingest", file}, {"score", "--district", "Cachar"}, {"score", "--example"}, {"batch"}, {"watch", "--rounds", "1"}, {"methodology"}, {"backtest"}, {"retention"}} {
		for _, asJSON := range []bool{false, true} {
			c := &terminal{t: t, product: p, json: asJSON}
			if out := c.must(args...); !strings.Contains(out, engine.Disclaimer) {
				t.Errorf("%v (JSON: %v) prints no disclaimer: %s", args, asJSON, out)
			}
		}
	}
}

func TestWeightsN018(t *testing.T) {
	t.Parallel()
	onBoth(t, nil, testWeights)
}

func testWeights(t *testing.T, p *product) {
	ctx := t.Context()
	p.take("Bandh called on NH-37", "Arms cache recovered near border area")
	var prop book.Proposal
	p.As = dossier.Principal{ID: "u-both", Name: "Both", Roles: []dossier.Role{officer, senior}}
	if code, body := p.Call("POST", "/weights", weightChange{LayerWeights: map[engine.Layer]float64{engine.Physical: 1.5}, Why: "Arms matter more"}, &prop); code != 200 {
		t.Fatalf("answered %d: %s", code, body)
	}
	if prop.Status != "proposed" || !strings.Contains(string(prop.BackTest), `"mean_after"`) {
		t.Fatalf("proposal %+v", prop)
	}
	if e, _ := p.board.Engine(ctx, p.Clock.Now()); e.Version() != engine.FormulaVersion {
		t.Fatal("N-018 a proposal changed the weights")
	}
	p.Settle()
	asked, err := p.Env.Desk.Approvals(ctx, prop.Case)
	if err != nil || len(asked) != 1 || !strings.Contains(asked[0].Why, "back-test") {
		t.Fatalf("approvals %+v, %v", asked, err)
	}
	if _, err := p.Inbox.Decide(ctx, asked[0].ID, asked[0].Digest, dossier.Decision{Verb: dossier.Approve, By: p.As}); !errors.Is(err, dossier.Forbidden) {
		t.Errorf("the proposer approved: %v", err)
	}
	if _, err := p.Inbox.Decide(ctx, asked[0].ID, asked[0].Digest, dossier.Decision{Verb: dossier.Approve, By: aSenior}); err != nil {
		t.Fatal(err)
	}
	p.Settle()
	p.Clock.Add(time.Second)
	e, err := p.board.Engine(ctx, p.Clock.Now())
	if err != nil || e.Version() != prop.Version || e.Params().LayerWeights[engine.Physical] != 1.5 {
		t.Errorf("N-018 in force is %s, want %s (%v)", e.Version(), prop.Version, err)
	}
	if got, err := p.book.Proposal(ctx, prop.ID); err != nil || got.Status != "adopted" || got.DecidedBy != aSenior.ID || got.Proposer != p.As.ID {
		t.Errorf("N-018 the record names %q as proposer and %q as decider, %v", got.Proposer, got.DecidedBy, err)
	}
	for want, wrong := range map[string]weightChange{
		"must be given, 1.0 to 1.6": {Geo: map[engine.Tag]float64{engine.Border: 3}, Why: "A test"},
		"Say why":                   {Geo: map[engine.Tag]float64{engine.Border: 1.6}},
		"changes nothing":           {Why: "A test"},
	} {
		if code, body := p.Call("POST", "/weights", wrong, nil); code != 422 || !strings.Contains(body, want) {
			t.Errorf("%+v answered %d: %s", wrong, code, body)
		}
	}
}

func TestRetentionN092(t *testing.T) {
	t.Parallel()
	onBoth(t, nil, testRetention)
}

func testRetention(t *testing.T, p *product) {
	texts := func(when int) (out []string) {
		for i := range 40 {
			x := fmt.Sprintf("%dx%d", when, i)
			out = append(out, "Bandh at crossing"+x+" gate"+x+" bridge"+x+" bend"+x) // told apart by their words
		}
		return out
	}
	count := func(when int) (n int) {
		for _, table := range storetest.Dump(t, p.Store) {
			n += strings.Count(table, fmt.Sprintf("crossing%dx", when))
		}
		return n
	}
	p.take(texts(1)...)
	p.Clock.Add(89 * 24 * time.Hour)
	p.take(texts(2)...)
	if count(1) == 0 {
		t.Fatal("the signals are in no table, so nothing is tested")
	}
	p.Clock.Add(2 * 24 * time.Hour)
	a, err := p.forget(t.Context())
	if err != nil || a.Removed != 40 || a.Remaining != 0 || len(a.Digest) != 64 {
		t.Fatalf("N-092 archive %+v, %v", a, err)
	}
	if n := count(1); n != 0 {
		t.Errorf("N-092 what was removed stands in the tables %d times", n)
	}
	if count(2) == 0 {
		t.Error("N-092 what was to stay is gone")
	}
	if file := p.file; file != "" {
		if n := inFiles(t, file, "crossing1x"); n != 0 {
			t.Errorf("N-092 what was removed stands in the database's files %d times", n)
		}
		if inFiles(t, file, "crossing2x") == 0 {
			t.Error("N-092 what was to stay is not in the files, so nothing was tested")
		}
	}
	list, err := p.book.Archives(t.Context(), 10)
	if err != nil || len(list) != 1 || list[0].Digest != a.Digest || list[0].Counts[0].Signals != 40 {
		t.Errorf("proofs %+v, %v", list, err)
	}
	if again, err := p.forget(t.Context()); err != nil || again.Removed != 0 {
		t.Errorf("removed %d again, %v", again.Removed, err)
	}
	// A feed that still lists what was removed does not bring it back.
	p.cfg.Feeds = []string{feedServer(t, fmt.Sprintf(`<rss version="2.0"><channel><title>t</title><item><title>%s in Cachar</title><link>https://news.example.org/1</link><pubDate>%s</pubDate></item></channel></rss>`,
		texts(1)[0], p.Clock.Now().Add(-91*24*time.Hour).Format(time.RFC1123Z)))}
	if err := p.pollFeeds(t.Context()); err != nil || count(1) != 0 || !strings.Contains(p.logs.String(), "rejected=1") {
		t.Errorf("N-092 it came back %d times, %v: %s", count(1), err, p.logs.String())
	}
}

// inFiles counts a text in the files of a SQLite database.
func inFiles(t *testing.T, file, text string) (n int) {
	t.Helper()
	for _, name := range []string{file, file + "-wal"} {
		raw, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		n += bytes.Count(raw, []byte(text))
	}
	return n
}

// TestTwoProcessesN086N095 has one process hold districts in memory while another
// writes. Nothing is polled within the test: the other process is told.
func TestTwoProcessesN086N095(t *testing.T) {
	t.Parallel()
	for _, database := range storetest.Databases {
		t.Run(database, func(t *testing.T) {
			t.Parallel()
			url, clock := storetest.URL(t, database), storetest.NewClock()
			rare := func(c *Config) { c.Poll = 1000 * time.Hour }
			a, b := newProductOn(t, url, clock, rare), newProductOn(t, url, clock, rare)
			signals := func(p *product) int {
				clock.Add(3 * time.Second) // past the time that a computed score is given again
				s, err := p.board.Score(t.Context(), cachar, engine.Day, clock.Now())
				if err != nil {
					t.Fatal(err)
				}
				return s.SignalCount
			}
			for i, text := range []string{"Bandh called on NH-37", "Arms cache recovered near border area", "Protest rally at the market"} {
				if n := signals(b); n != i {
					t.Fatalf("%d signals before report %d", n, i+1)
				}
				a.take(text)
				if n := signals(a); n != i+1 {
					t.Errorf("N-086 whoever wrote sees %d signals after report %d", n, i+1)
				}
				eventually(t, "N-086 N-095 the other process does not see it", func() bool { return signals(b) == i+1 })
			}
			was, _ := b.board.Engine(t.Context(), clock.Now())
			next := weightChange{LayerWeights: map[engine.Layer]float64{engine.Physical: 1.5}}.over(was.Params())
			if err := a.book.SaveProposal(t.Context(), book.Proposal{ID: "WGT-1", Version: next.Version(), Params: next}); err != nil {
				t.Fatal(err)
			}
			if err := a.book.Decide(t.Context(), "WGT-1", "adopted", "u-senior", clock.Now()); err != nil {
				t.Fatal(err)
			}
			eventually(t, "N-095 the other process scores with the old weights", func() bool {
				e, err := b.board.Engine(t.Context(), clock.Now())
				return err == nil && e.Version() == next.Version()
			})
		})
	}
}

// eventually waits until ok holds.
func eventually(t *testing.T, otherwise string, ok func() bool) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	late := time.After(2 * time.Minute)
	for !ok() {
		select {
		case <-tick.C:
		case <-late:
			t.Fatal(otherwise)
		}
	}
}

func TestDemo(t *testing.T) {
	t.Parallel()
	onBoth(t, nil, testDemo)
}

func testDemo(t *testing.T, p *product) {
	for range 2 {
		if err := p.demo(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	all, err := p.standings(t.Context(), engine.Day)
	if err != nil {
		t.Fatal(err)
	}
	bands := map[string]int{}
	for _, d := range all.Districts {
		bands[d.Threshold.Label]++
	}
	if bands["MONITORING"] == 0 || bands["CRITICAL"]+bands["SENIOR_REVIEW"] == 0 {
		t.Errorf("the demo shows only %v", bands)
	}
	mark, _ := p.book.Mark(t.Context())
	p.Clock.Add(beat * 3)
	p.Settle()
	if now, _ := p.book.Mark(t.Context()); now == mark {
		t.Error("nothing arrived")
	}
}

func TestFeeds(t *testing.T) {
	t.Parallel()
	p := newProduct(t, nil)
	srv := feedServer(t, fmt.Sprintf(`<rss version="2.0"><channel><title>t</title><item><title>Bandh in Cachar</title><link>https://news.example.org/1</link><pubDate>%s</pubDate></item></channel></rss>`,
		p.Clock.Now().Add(-time.Hour).Format(time.RFC1123Z)))
	p.cfg.Feeds = []string{srv + "/missing", srv}
	if err := p.pollFeeds(t.Context()); err != nil { // else the job would be done again, and the good feed read again
		t.Errorf("the missing feed gives %v", err)
	}
	if log := p.logs.String(); !strings.Contains(log, `msg="feed not read" feed=`+srv+"/missing") || strings.Count(log, `msg="feed not read"`) != 1 {
		t.Errorf("the log says %s", log)
	}
	if s, err := p.board.Score(t.Context(), cachar, engine.Day, p.Clock.Now()); err != nil || s.SignalCount != 1 {
		t.Errorf("%d signals, %v", s.SignalCount, err)
	}
}
