package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// An operation is what one client does again and again.
type operation struct {
	name string
	// request makes the n-th request, or returns nil when there is nothing left to do.
	request func(n int) *http.Request
	want    int // status
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

// load sends requests from several clients until the time is up or there are none.
func load(ctx context.Context, op operation, clients int, lasts time.Duration) (result, error) {
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
				r := op.request(int(next.Add(1)) - 1)
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
				if status != op.want {
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

func (w *world) get(path string) *http.Request {
	return w.ask(http.MethodGet, path, nil)
}

func (w *world) ask(method, path string, body []byte) *http.Request {
	r, err := http.NewRequest(method, w.url+path, bytes.NewReader(body))
	if err != nil {
		panic(fmt.Sprintf("request %s: %v", path, err)) // the paths below are well formed
	}
	r.Header.Set("Authorization", "Bearer "+string(w.token))
	r.Header.Set("Content-Type", "application/json")
	return r
}

// operations are what is measured, in order. Deciding comes last: it changes things.
func (w *world) operations() []operation {
	some := func(n int) string { return string(w.cases[(n*7919)%len(w.cases)]) }
	return []operation{
		{"list cases", func(int) *http.Request { return w.get("/api/v1/cases?limit=50") }, 200},
		{"list open cases of an app", func(int) *http.Request { return w.get("/api/v1/cases?app=bench&state=open&limit=50") }, 200},
		{"search cases", func(n int) *http.Request {
			return w.get(fmt.Sprintf("/api/v1/cases?q=RIDER-%d&limit=50", (n*7919)%len(w.cases)))
		}, 200},
		{"open case", func(n int) *http.Request { return w.get("/api/v1/cases/" + some(n)) }, 200},
		{"case evidence", func(n int) *http.Request { return w.get("/api/v1/cases/" + some(n) + "/evidence") }, 200},
		{"inbox", func(int) *http.Request { return w.get("/api/v1/approvals?limit=50") }, 200},
		{"decide", func(n int) *http.Request {
			if n >= len(w.asked) {
				return nil
			}
			a := w.asked[n]
			return w.ask(http.MethodPost, "/api/v1/approvals/"+string(a.ID)+"/decision", fmt.Appendf(nil, `{"verb":"approve","digest":%q}`, a.Digest))
		}, 200},
	}
}
