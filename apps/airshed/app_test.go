package airshed

import (
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"dossier"
	"dossier/apps/airshed/book"
	"dossier/apps/airshed/sample"
	"dossier/internal/app"
	"dossier/internal/app/apptest"
	"dossier/internal/tool"
)

var then = time.Date(2025, 11, 14, 8, 30, 0, 0, time.UTC)

func TestApp(t *testing.T) {
	t.Parallel()
	apptest.Run(t, App)
}

// A bench is the app over a real store, with the app's own parts at hand.
type bench struct {
	*apptest.Bench
	*airshed
}

func open(t *testing.T, change func(*Config), log *slog.Logger) *bench {
	t.Helper()
	return openOn(t, "sqlite", change, log)
}

func openOn(t *testing.T, database string, change func(*Config), log *slog.Logger) *bench {
	t.Helper()
	cfg := defaults()
	cfg.RetryBackoffBaseSeconds = 0
	if change != nil {
		change(&cfg)
	}
	b := apptest.Open(t, App, apptest.Options{Database: database, At: then, Log: log, Change: func(c app.Config) { *c.(*Config) = cfg }})
	a, err := newAirshed(b.Env, cfg)
	if err != nil {
		t.Fatal(err)
	}
	return &bench{b, a}
}

// upload puts a day into the lake, as the ingester does.
func (b *bench) upload(day sample.Day) {
	b.T.Helper()
	raw, err := json.Marshal(day.Snapshot())
	if err != nil {
		b.T.Fatal(err)
	}
	b.put("data/sensor_"+day.At.Format("20060102_150405")+".json", raw)
}

func (b *bench) put(key string, raw []byte) {
	b.T.Helper()
	if _, err := b.lake.Put(b.T.Context(), key, "application/json", raw); err != nil {
		b.T.Fatal(err)
	}
	// File systems stamp with the machine's clock; the newest must be the last put.
	name := filepath.Join(b.airshed.Dir, "lake", filepath.FromSlash(key))
	at := b.Clock.Now()
	if err := os.Chtimes(name, at, at); err != nil {
		b.T.Fatal(err)
	}
}

// fire is what the ingester's event does.
func (b *bench) fire() {
	b.T.Helper()
	if err := b.Fire(b.T.Context(), "uploaded", nil); err != nil {
		b.T.Fatal(err)
	}
	b.Settle()
}

func (b *bench) cases() []dossier.Case {
	b.T.Helper()
	out, err := b.Bench.Desk.Cases(b.T.Context(), app.CaseFilter{})
	if err != nil {
		b.T.Fatal(err)
	}
	return out
}

// alipur is a day on which only Alipur is in a surge.
func alipur() sample.Day {
	d := sample.November(then)
	d.AQI = map[string]float64{"Alipur": 450, "Anand Vihar": 200, "Dwarka": 200}
	return d
}

func (b *bench) approveAll() int {
	n := 0
	for {
		waiting := b.Pending()
		if len(waiting) == 0 {
			return n
		}
		b.Decide(waiting[0].ID, dossier.Decision{Verb: dossier.Approve, At: b.Clock.Now()})
		n++
	}
}

func TestRulesAreRegistered(t *testing.T) {
	t.Parallel()
	var names []string
	for _, r := range App.Rules {
		names = append(names, r.Name+"@"+r.Version)
	}
	if got := strings.Join(names, " "); got != "surge@1 fires@1 wind@1 confidence@1 citations@1 surge@2 fires@2 wind@2 confidence@2 citations@2" {
		t.Error(got)
	}
}

func TestAgentA009(t *testing.T) {
	t.Parallel()
	a, err := (&airshed{cfg: defaults()}).agent()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Legal Analyst and Evidence Correlator", "# Goal", "# Backstory"} {
		if !strings.Contains(a.Prompt, want) {
			t.Errorf("the prompt lacks %q", want)
		}
	}
	if a.Limits.Wall != 10*time.Minute {
		t.Error(a.Limits.Wall)
	}
}

// The same texts of SQL on both databases, from the surge to the filed report.
func TestBothDatabases(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"sqlite", "postgres"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := openOn(t, name, nil, nil)
			if err := b.pastSeasons(t.Context(), then); err != nil {
				t.Fatal(err)
			}
			b.upload(sample.November(then))
			for range 2 {
				if _, err := b.sweep(t.Context(), "test"); err != nil {
					t.Fatal(err)
				}
			}
			b.Settle()
			b.approveAll()
			reports, err := b.book.Reports(t.Context(), 10)
			if err != nil || len(reports) != 4 || reports[0].Status != book.Filed || reports[1].Status != book.Filed {
				t.Fatalf("%d reports, %v", len(reports), err)
			}
			for _, c := range b.cases() {
				b.Verify(c.ID)
			}
		})
	}
}

// call is a call of a tool by hand.
func call(id dossier.CaseID, now time.Time) tool.Call {
	return tool.Call{Case: id, App: "airshed", For: dossier.SystemPrincipal, Now: now, Key: "test"}
}
