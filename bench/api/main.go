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

	"dossier/bench/load"
)

func main() {
	cases := flag.Int("cases", 100_000, "cases to store")
	asked := flag.Int("approvals", 5_000, "approvals to decide")
	load.Main("./bench/api [-cases N] [-approvals N] DATABASE...", 0, func(ctx context.Context, url string) (load.Target, error) {
		w, err := build(ctx, url, *cases, *asked)
		if err != nil {
			return load.Target{}, err
		}
		return load.Target{Rows: *cases, Operations: w.operations(), Close: w.close}, nil
	})
}
