package netra

import (
	"bytes"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"dossier"
	"dossier/apps/netra/engine"
	"dossier/apps/netra/ingest"
	"dossier/internal/app"
	"dossier/internal/app/apptest"
	"dossier/internal/store/storetest"
)

// A product is the app over a real store, with the office at hand that its tests look
// into.
type product struct {
	*apptest.Bench
	*office
	logs *lockedBuffer
	file string // of SQLite
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
			test(t, newProductOn(t, storetest.URL(t, database), nil, configure))
		})
	}
}

func newProduct(t testing.TB, configure func(*Config)) *product {
	return newProductOn(t, storetest.URL(t, "sqlite"), nil, configure)
}

func newProductOn(t testing.TB, url string, clock *storetest.Clock, configure func(*Config)) *product {
	t.Helper()
	return openProduct(t, apptest.Options{URL: url, Clock: clock}, configure)
}

func openProduct(t testing.TB, o apptest.Options, configure func(*Config)) *product {
	t.Helper()
	p := &product{logs: &lockedBuffer{}}
	if path, ok := strings.CutPrefix(o.URL, "sqlite:"); ok {
		p.file, _, _ = strings.Cut(path, "?")
	}
	var cfg Config
	o.Log = slog.New(slog.NewTextHandler(p.logs, &slog.HandlerOptions{Level: slog.LevelDebug}))
	o.Change = func(c app.Config) {
		if configure != nil {
			configure(c.(*Config))
		}
		cfg = *c.(*Config)
	}
	p.Bench = apptest.Open(t, App, o)
	p.As, p.office = anOfficer, newOffice(p.Env, cfg)
	return p
}

// report makes a report of Cachar, hours old.
func (p *product) report(hours float64, text string) ingest.Row {
	at := p.Clock.Now().Add(-time.Duration(hours * float64(time.Hour)))
	return ingest.Row{Line: 1, Report: ingest.Report{State: "Assam", District: "Cachar", Text: text, Timestamp: at.Format(time.RFC3339Nano),
		SourceURL: fmt.Sprintf("https://news.example.org/%d", len(text))}}
}

// take ingests reports of Cachar that are an hour old.
func (p *product) take(texts ...string) ingest.Audit {
	p.T.Helper()
	var rows []ingest.Row
	for i, text := range texts {
		r := p.report(1, text)
		r.Line = i + 1
		rows = append(rows, r)
	}
	a, err := p.ingestRows(p.T.Context(), rows, nil)
	if err != nil {
		p.T.Fatal(err)
	}
	return a
}

var cachar = engine.Place{State: "Assam", District: "Cachar"}

// escalated are reports that lift a district above 75.
var escalated = []string{"Gunfight leaves five dead at the border", "Total shutdown and coordinated blockade on the highway", "Communal tension after hate speech in the market"}
