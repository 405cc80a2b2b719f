// Command api measures the API under load: how many requests it answers per second,
// and how long the middle and the slowest hundredth of them take, with many cases
// stored.
//
// It fills a fresh database, serves it on this machine over a real connection and
// sends requests from several clients at once. The rows are a Markdown table. It
// proves nothing about another machine; it shows whether a change made things slower.
//
//	go run ./bench/api -cases 100000 sqlite:/tmp/bench.db 'postgres://…'
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"time"

	"dossier/bench/load"
)

func main() {
	cases := flag.Int("cases", 100_000, "cases to store")
	asked := flag.Int("approvals", 5_000, "approvals to decide")
	clients := flag.Int("clients", 8, "clients at once")
	lasts := flag.Duration("for", 5*time.Second, "how long to measure each operation")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	fmt.Println("| database | cases | operation | requests/s | p50 ms | p99 ms | refused |")
	fmt.Println("|---|---:|---|---:|---:|---:|---:|")
	for _, url := range flag.Args() {
		if err := measure(ctx, url, *cases, *asked, *clients, *lasts); err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n", database(url), err)
			os.Exit(1)
		}
	}
}

// database is a URL's kind, which is all of it that may be printed.
func database(url string) string {
	kind, _, _ := strings.Cut(url, ":")
	return kind
}

func measure(ctx context.Context, url string, cases, asked, clients int, lasts time.Duration) error {
	w, err := build(ctx, url, cases, asked)
	if err != nil {
		return err
	}
	defer w.close()
	for _, op := range w.operations() {
		res, err := load.Run(ctx, op, clients, lasts)
		if err != nil {
			return fmt.Errorf("%s: %w", op.Name, err)
		}
		fmt.Printf("| %s | %d | %s | %.0f | %.1f | %.1f | %d |\n", database(url), cases, op.Name,
			res.PerSecond, ms(res.At(0.50)), ms(res.At(0.99)), res.Refused)
	}
	return nil
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
