// Command netra measures the district risk API over HTTP with many signals stored:
// requests per second, and how long the middle and the slowest hundredth take, for the
// score of a district, the list of all, its history, and a report that arrives.
//
// It starts the product's binary on each database it is given, sends it the signals and
// then asks from several clients at once, signed in as an officer. The rows are a
// Markdown table, for reading on a quiet machine.
//
//	go run ./bench/netra -signals 10000 bin/dossier sqlite:/tmp/bench.db 'postgres://…'
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"dossier/apps/netra/engine"
	"dossier/apps/netra/ingest"
	"dossier/bench/load"
)

func main() {
	signals := flag.Int("signals", 10_000, "signals to store first")
	load.Main("./bench/netra [-signals N] BINARY DATABASE...", 1, func(ctx context.Context, database string) (load.Target, error) {
		p, err := load.Serve(ctx, flag.Arg(0), database, "officer")
		if err != nil {
			return load.Target{}, err
		}
		b := bench{p, ingest.Places()}
		if err := b.fill(*signals); err != nil {
			p.Stop()
			return load.Target{}, fmt.Errorf("fill: %w", err)
		}
		return load.Target{Rows: *signals, Operations: b.operations(), Close: p.Stop}, nil
	})
}

type bench struct {
	*load.Product
	places []ingest.District
}

// signal makes the n-th signal, spread over districts and the last week. Four words of
// its own keep it from being taken for another report of a known event.
func (b bench) signal(n int, age time.Duration) engine.Signal {
	d := b.places[n*7919%len(b.places)]
	return engine.Signal{
		State: d.State, District: d.District, Timestamp: time.Now().Add(-age).UTC(), SourceType: engine.PublicSource,
		EventSummary: fmt.Sprintf("Bandh a%d b%d c%d d%d", n, n, n, n), RiskLayers: []engine.Layer{engine.Layers[n%3]},
		Polarity: engine.Escalatory, Severity: 1 + n%5,
	}
}

// fill sends signals in batches.
func (b bench) fill(signals int) error {
	const batch = 500
	for from := 0; from < signals; from += batch {
		var list []engine.Signal
		for n := from; n < min(from+batch, signals); n++ {
			list = append(list, b.signal(n, time.Duration(n%160)*time.Hour+time.Minute))
		}
		res, err := http.DefaultClient.Do(b.send(list...))
		if err != nil {
			return err
		}
		body, err := io.ReadAll(res.Body)
		_ = res.Body.Close()
		if err != nil || res.StatusCode != http.StatusOK {
			return fmt.Errorf("answered %d: %.200s", res.StatusCode, body)
		}
	}
	return nil
}

func (b bench) get(path string) *http.Request { return b.Ask(http.MethodGet, path, "", nil) }

func (b bench) send(reports ...engine.Signal) *http.Request {
	raw, err := json.Marshal(map[string][]engine.Signal{"reports": reports})
	if err != nil {
		panic(err.Error()) // signals always encode
	}
	return b.Ask(http.MethodPost, "/ingest", "application/json", raw)
}

// operations are what is measured, in order. Reports that arrive come last: they change
// what the others answer.
func (b bench) operations() []load.Operation {
	of := func(path, window string) func(int) *http.Request {
		return func(n int) *http.Request {
			d := b.places[n*7919%len(b.places)]
			return b.get(path + url.PathEscape(d.District) + "?window=" + window + "&state=" + url.QueryEscape(d.State))
		}
	}
	return []load.Operation{
		{Name: "/risk-score, 24 h", Request: of("/risk-score/", "24h"), Want: 200},
		{Name: "/risk-score, 7 d", Request: of("/risk-score/", "7d"), Want: 200},
		{Name: "/risk-history", Request: of("/risk-history/", "24h"), Want: 200},
		{Name: "/districts", Request: func(int) *http.Request { return b.get("/districts") }, Want: 200},
		{Name: "/ingest, one report", Request: func(n int) *http.Request {
			return b.send(b.signal(1_000_000+n, time.Minute))
		}, Want: 200},
	}
}
