package store_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"dossier"
	"dossier/internal/agent"
	"dossier/internal/app"
	"dossier/internal/store"
	"dossier/internal/store/storetest"
)

// BenchmarkStep records one durable step: bare, and with evidence and a finding. On
// SQLite a step waits for the disk ("full") as it does in production, or does not
// ("normal"), which shows what the disk costs.
func BenchmarkStep(b *testing.B) {
	for _, name := range []string{"sqlite-full", "sqlite-normal", "postgres"} {
		for _, facts := range []bool{false, true} {
			b.Run(fmt.Sprintf("%s/facts=%t", name, facts), func(b *testing.B) {
				var url string
				switch name {
				case "postgres":
					url = storetest.URL(b, name)
				default:
					url = "sqlite:" + filepath.Join(b.TempDir(), "d.db") + "?sync=" + name[len("sqlite-"):]
				}
				benchStep(b, url, facts)
			})
		}
	}
}

func benchStep(b *testing.B, url string, facts bool) {
	s, err := store.Open(b.Context(), store.Options{URL: url, Now: time.Now})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	cs, _, err := s.OpenCase(b.Context(), "a", app.Opening{Subject: "s", Title: "t", State: dossier.Open})
	if err != nil {
		b.Fatal(err)
	}
	run, err := s.InsertRun(b.Context(), dossier.Run{Case: cs.ID, App: "a", Agent: "x", For: dossier.SystemPrincipal}, nil, true)
	if err != nil {
		b.Fatal(err)
	}
	body := json.RawMessage(`{"text":"The shift of EMP-1006 does not fit the vanpool's."}`)
	i := 0
	for b.Loop() {
		i++
		e := agent.Entry{Step: dossier.Step{Seq: i, Kind: dossier.ModelTurn, Body: body}}
		if facts {
			e.Seen = []dossier.Evidence{storetest.Shift(i)}
			e.Found = []dossier.Finding{{Check: "shift", Verdict: dossier.Fail, By: "rule/shift@1", Reason: "Shifts differ."}}
		}
		if err := s.Record(b.Context(), agent.Move{Run: run.ID, Status: dossier.Ready, Entries: []agent.Entry{e}}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkOpen opens a store whose tables exist: the store's part of starting up.
func BenchmarkOpen(b *testing.B) {
	for _, name := range storetest.Databases {
		b.Run(name, func(b *testing.B) {
			url := storetest.URL(b, name)
			for b.Loop() {
				s, err := store.Open(b.Context(), store.Options{URL: url, Now: time.Now})
				if err != nil {
					b.Fatal(err)
				}
				s.Close()
			}
		})
	}
}
