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

	"dossier/bench/load"
)

func main() {
	passes := flag.Int("passes", 1_000_000, "passes to store first")
	load.Main("./bench/gatepass [-passes N] BINARY DATABASE...", 1, func(ctx context.Context, url string) (load.Target, error) {
		p, err := start(ctx, flag.Arg(0), url, *passes)
		if err != nil {
			return load.Target{}, err
		}
		return load.Target{Rows: *passes, Operations: p.operations(), Close: p.Stop}, nil
	})
}
