// Package load sends requests from several clients at once and tells how many were
// answered a second and how long they took. The benchmarks of the API and of the apps'
// own endpoints share it; it proves nothing about another machine.
package load

import (
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// An Operation is what one client does again and again.
type Operation struct {
	Name string
	// Request makes the n-th request, or returns nil when there is nothing left to do.
	Request func(n int) *http.Request
	Want    int // status
}

// A result is how long requests took.
type result struct {
	took      []time.Duration // rising
	perSecond float64
	refused   int // answered with another status
}

// at returns the time under which a share of the requests took.
func (r result) at(share float64) time.Duration {
	if len(r.took) == 0 {
		return 0
	}
	return r.took[min(len(r.took)-1, int(share*float64(len(r.took))))]
}

var client = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64}}

// run sends requests from several clients until the time is up or there are none.
func run(ctx context.Context, op Operation, clients int, lasts time.Duration) (result, error) {
	ctx, cancel := context.WithTimeout(ctx, lasts)
	defer cancel()
	var next, refused atomic.Int64
	took := make([][]time.Duration, clients)
	errs := make([]error, clients)
	start := time.Now()
	var wg sync.WaitGroup
	for c := range clients {
		wg.Go(func() {
			for ctx.Err() == nil {
				r := op.Request(int(next.Add(1)) - 1)
				if r == nil {
					return
				}
				began := time.Now()
				status, err := send(r.WithContext(ctx))
				if err != nil {
					if !errors.Is(err, context.DeadlineExceeded) {
						errs[c] = err
					}
					return
				}
				took[c] = append(took[c], time.Since(began))
				if status != op.Want {
					refused.Add(1)
				}
			}
		})
	}
	wg.Wait()
	elapsed := time.Since(start)
	all := slices.Sorted(slices.Values(slices.Concat(took...)))
	return result{all, float64(len(all)) / elapsed.Seconds(), int(refused.Load())}, errors.Join(errs...)
}

func send(r *http.Request) (int, error) {
	res, err := client.Do(r)
	if err != nil {
		return 0, err
	}
	defer func() { _ = res.Body.Close() }()
	_, err = io.Copy(io.Discard, res.Body)
	return res.StatusCode, err
}
