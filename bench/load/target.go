package load

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"time"
)

// A Target is what is measured on one database.
type Target struct {
	Rows       int // stored first
	Operations []Operation
	Close      func()
}

// Main is the main function of a benchmark, which has defined the flags of its own. The
// arguments from the n-th on name databases; open makes the target of each. The rows are
// a Markdown table.
func Main(usage string, n int, open func(ctx context.Context, url string) (Target, error)) {
	clients := flag.Int("clients", 8, "clients at once")
	lasts := flag.Duration("for", 5*time.Second, "how long to measure each operation")
	flag.Parse()
	if flag.NArg() <= n {
		fmt.Fprintln(os.Stderr, "usage: go run", usage)
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	fmt.Print("| database | rows | operation | requests/s | p50 ms | p99 ms | refused |\n|---|---:|---|---:|---:|---:|---:|\n")
	for _, url := range flag.Args()[n:] {
		kind, _, _ := strings.Cut(url, ":") // the rest may hold a password
		if err := measure(ctx, kind, url, open, *clients, *lasts); err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n", kind, err)
			os.Exit(1)
		}
	}
}

// measure runs the operations of a target one after the other and prints a row for each.
func measure(ctx context.Context, kind, url string, open func(context.Context, string) (Target, error), clients int, lasts time.Duration) error {
	t, err := open(ctx, url)
	if err != nil {
		return err
	}
	defer t.Close()
	for _, op := range t.Operations {
		res, err := run(ctx, op, clients, lasts)
		if err != nil {
			return fmt.Errorf("%s: %w", op.Name, err)
		}
		fmt.Printf("| %s | %d | %s | %.0f | %.1f | %.1f | %d |\n", kind, t.Rows, op.Name, res.perSecond, ms(res.at(0.50)), ms(res.at(0.99)), res.refused)
	}
	return nil
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
