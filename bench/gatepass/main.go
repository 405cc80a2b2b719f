// Command gatepass measures the Gate Pass API over HTTP with many passes stored:
// requests per second, and how long the middle and the slowest hundredth take, for
// creating, approving, scanning with a photo, listing and searching.
//
// It fills each database it is given, starts the product's binary on it and sends
// requests from several clients at once, signed in as one person with every role. The
// rows are a Markdown table, for reading on a quiet machine.
//
//	go run ./bench/gatepass -passes 1000000 bin/dossier sqlite:/tmp/bench.db 'postgres://…'
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
	passes := flag.Int("passes", 1_000_000, "passes to store first")
	clients := flag.Int("clients", 8, "clients at once")
	lasts := flag.Duration("for", 5*time.Second, "how long to measure each operation")
	flag.Parse()
	if flag.NArg() < 2 {
		fmt.Fprintln(os.Stderr, "usage: go run ./bench/gatepass [-passes N] BINARY DATABASE...")
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	fmt.Print(load.Head)
	for _, url := range flag.Args()[1:] {
		if err := measure(ctx, flag.Arg(0), url, *passes, *clients, *lasts); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}

func measure(ctx context.Context, binary, url string, passes, clients int, lasts time.Duration) error {
	kind, _, _ := strings.Cut(url, ":") // the rest may hold a password
	p, err := start(ctx, binary, url, passes)
	if err != nil {
		return fmt.Errorf("%s: %w", kind, err)
	}
	defer p.Stop()
	return load.Measure(ctx, kind, passes, p.operations(), clients, lasts)
}
