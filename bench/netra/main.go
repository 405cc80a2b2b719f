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
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/signal"
	"strings"
	"time"

	"dossier/apps/netra/engine"
	"dossier/apps/netra/ingest"
	"dossier/bench/load"
)

func main() {
	signals := flag.Int("signals", 10_000, "signals to store first")
	clients := flag.Int("clients", 8, "clients at once")
	lasts := flag.Duration("for", 5*time.Second, "how long to measure each operation")
	flag.Parse()
	if flag.NArg() < 2 {
		fmt.Fprintln(os.Stderr, "usage: go run ./bench/netra [-signals N] BINARY DATABASE...")
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	fmt.Print(load.Head)
	for _, database := range flag.Args()[1:] {
		kind, _, _ := strings.Cut(database, ":") // the rest may hold a password
		if err := measure(ctx, flag.Arg(0), database, kind, *signals, *clients, *lasts); err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n", kind, err)
			os.Exit(1)
		}
	}
}

func measure(ctx context.Context, binary, database, kind string, signals, clients int, lasts time.Duration) error {
	p, err := load.Serve(ctx, binary, database, "officer")
	if err != nil {
		return err
	}
	defer p.Stop()
	b := bench{p, ingest.Places()}
	if err := b.fill(signals); err != nil {
		return fmt.Errorf("fill: %w", err)
	}
	return load.Measure(ctx, kind, signals, b.operations(), clients, lasts)
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
		res, err := http.DefaultClient.Do(b.ask(http.MethodPost, "/ingest", list))
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

func (b bench) ask(method, path string, reports []engine.Signal) *http.Request {
	var body io.Reader
	if reports != nil {
		raw, err := json.Marshal(map[string][]engine.Signal{"reports": reports})
		if err != nil {
			panic(err.Error()) // signals always encode
		}
		body = bytes.NewReader(raw)
	}
	r, err := http.NewRequest(method, b.URL+path, body)
	if err != nil {
		panic(fmt.Sprintf("request %s: %v", path, err)) // the paths below are well formed
	}
	r.Header.Set("Cookie", b.Cookie)
	r.Header.Set("Content-Type", "application/json")
	return r
}

// operations are what is measured, in order. Reports that arrive come last: they change
// what the others answer.
func (b bench) operations() []load.Operation {
	of := func(path, window string) func(int) *http.Request {
		return func(n int) *http.Request {
			d := b.places[n*7919%len(b.places)]
			return b.ask(http.MethodGet, path+url.PathEscape(d.District)+"?window="+window+"&state="+url.QueryEscape(d.State), nil)
		}
	}
	return []load.Operation{
		{Name: "/risk-score, 24 h", Request: of("/risk-score/", "24h"), Want: 200},
		{Name: "/risk-score, 7 d", Request: of("/risk-score/", "7d"), Want: 200},
		{Name: "/risk-history", Request: of("/risk-history/", "24h"), Want: 200},
		{Name: "/districts", Request: func(int) *http.Request { return b.ask(http.MethodGet, "/districts", nil) }, Want: 200},
		{Name: "/ingest, one report", Request: func(n int) *http.Request {
			return b.ask(http.MethodPost, "/ingest", []engine.Signal{b.signal(1_000_000+n, time.Minute)})
		}, Want: 200},
	}
}
