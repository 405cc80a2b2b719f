// Command waiting fills a database with cases that wait for a person, or measures how
// long short runs take from the queue to their answer.
//
// A waiting case has what a real one has: a run that paused at an act, an approval with
// a deadline, and a due date a week ahead. What they cost a server is read from the
// server's process, by scripts/bench.sh. A short run is two turns and one call, driven
// by eight workers; the seconds that all of them took are printed.
//
//	go run ./bench/waiting -cases 10000 sqlite:/tmp/w/dossier.db
//	go run ./bench/waiting -runs 1000 'postgres://…'
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"sync/atomic"
	"time"

	"dossier"
	"dossier/internal/agent"
	"dossier/internal/app"
	"dossier/internal/model"
	"dossier/internal/store"
	"dossier/internal/tool"
	"dossier/internal/work"
)

func main() {
	cases := flag.Int("cases", 0, "waiting cases to store")
	runs := flag.Int("runs", 0, "short runs to time")
	flag.Parse()
	if flag.NArg() != 1 {
		fmt.Fprintln(os.Stderr, "usage: go run ./bench/waiting [-cases N] [-runs N] DATABASE")
		os.Exit(2)
	}
	if err := measure(context.Background(), flag.Arg(0), *cases, *runs); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

type in struct {
	Name string `json:"name"`
}

var clerk = &agent.Agent{
	Name: "clerk", Doc: "Looks or acts once.", Prompt: "Do it.",
	Tools: []tool.Tool{
		tool.Def[in, in]{
			Name: "look", Doc: "Looks.", Effect: tool.Read,
			Run: func(_ context.Context, _ tool.Call, v in) (tool.Output[in], error) {
				return tool.Output[in]{Value: v}, nil
			},
		}.Tool(),
		tool.Def[in, in]{
			Name: "act", Doc: "Acts.", Effect: tool.Act, Key: func(v in) string { return v.Name },
			Policy: tool.Policy{Expires: 7 * 24 * time.Hour, Remind: 24 * time.Hour},
			Run: func(context.Context, tool.Call, in) (tool.Output[in], error) {
				return tool.Output[in]{}, errors.New("nothing acts in a benchmark")
			},
		}.Tool(),
	},
	Policy: func(_ context.Context, req *model.Request) (*model.Reply, error) {
		if _, done := req.Last("look"); done {
			return model.Say("done"), nil
		}
		var i in
		if err := req.Brief(&i, nil); err != nil {
			return nil, err
		}
		if i.Name != "look" {
			return req.Calling(model.Planned{Tool: "act", Args: i}), nil
		}
		return req.Calling(model.Planned{Tool: "look", Args: i}), nil
	},
}

func measure(ctx context.Context, url string, cases, runs int) error {
	st, err := store.Open(ctx, store.Options{URL: url, Now: time.Now})
	if err != nil {
		return err
	}
	defer st.Close()
	var ids atomic.Int64
	r := &agent.Runner{
		Log: st, Now: time.Now, Slog: slog.New(slog.DiscardHandler),
		NewID: func(prefix string) string { return fmt.Sprintf("%sbench%d", prefix, ids.Add(1)) },
		Agent: func(string, string) (*agent.Agent, bool) { return clerk, true },
	}
	for i := range cases {
		if err := wait(ctx, st, r, i); err != nil {
			return err
		}
	}
	if runs == 0 {
		return nil
	}
	took, err := drive(ctx, st, r, runs)
	fmt.Printf("%.2f\n", took.Seconds())
	return err
}

// start opens a case and queues a run in it, unless the caller drives it.
func start(ctx context.Context, st *store.Store, subject, name string, held bool) (dossier.Run, error) {
	c, _, err := st.OpenCase(ctx, "bench", app.Opening{Subject: subject, Title: "Waits", State: dossier.Open})
	if err != nil {
		return dossier.Run{}, err
	}
	input, err := json.Marshal(in{name})
	if err != nil {
		return dossier.Run{}, err
	}
	return st.InsertRun(ctx, dossier.Run{
		Case: c.ID, App: "bench", Agent: clerk.Name, For: dossier.SystemPrincipal, Status: dossier.Ready, Input: input, Started: time.Now(),
	}, nil, held)
}

// wait stores one case whose run waits for a person.
func wait(ctx context.Context, st *store.Store, r *agent.Runner, i int) error {
	run, err := start(ctx, st, fmt.Sprintf("matter/%d", i), fmt.Sprintf("deed-%d", i), true)
	if err != nil {
		return err
	}
	if run, err = r.Drive(ctx, run.ID); err != nil {
		return err
	}
	if run.Status != dossier.Paused {
		return fmt.Errorf("run %s is %s and does not wait", run.ID, run.Status)
	}
	return st.Work().Enqueue(ctx, work.Job{Kind: work.Due, App: "bench", Name: fmt.Sprintf("week-%d", i), At: time.Now().Add(7 * 24 * time.Hour)})
}

// drive queues short runs and lets eight workers bring them to their answers.
func drive(ctx context.Context, st *store.Store, r *agent.Runner, runs int) (time.Duration, error) {
	for i := range runs {
		if _, err := start(ctx, st, fmt.Sprintf("short/%d", i), "look", false); err != nil {
			return 0, err
		}
	}
	var left atomic.Int64
	left.Store(int64(runs))
	done := make(chan struct{})
	began := time.Now()
	err := st.Work().Start(ctx, 8, func(ctx context.Context, j work.Job) error {
		run, err := r.Drive(ctx, dossier.RunID(j.Name))
		if err == nil && run.Status == dossier.Done && left.Add(-1) == 0 {
			close(done)
		}
		return err
	})
	if err != nil {
		return 0, err
	}
	select {
	case <-done:
	case <-time.After(5 * time.Minute):
		err = fmt.Errorf("%d of %d runs did not end", left.Load(), runs)
	}
	took := time.Since(began)
	return took, errors.Join(err, st.Work().Stop(ctx))
}
