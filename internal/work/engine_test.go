package work_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"dossier"
	"dossier/internal/app"
	"dossier/internal/store"
	"dossier/internal/store/storetest"
	"dossier/internal/work"
)

// TestMain plays a second process when a test starts this binary as one: it takes the
// run it is given and never ends it.
func TestMain(m *testing.M) {
	url := os.Getenv("DOSSIER_TEST_PROCESS")
	if url == "" {
		os.Exit(m.Run())
	}
	s, err := store.Open(context.Background(), store.Options{URL: url, Now: time.Now})
	if err == nil {
		err = s.Work().Start(context.Background(), 1, func(_ context.Context, j work.Job) error {
			fmt.Println(j.Name)
			select {}
		})
	}
	if err != nil {
		fmt.Println(err)
		return
	}
	select {}
}

// TestTakeover kills a process that is advancing a run; another one goes on with it.
func TestTakeover(t *testing.T) {
	t.Parallel()
	url := storetest.URL(t, "postgres")
	s, err := store.Open(t.Context(), store.Options{URL: url, Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	cs := storetest.OpenCase(t, s, "vanpool/VP-101")
	run := storetest.StartRun(t, s, cs)
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), "DOSSIER_TEST_PROCESS="+url)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || line != string(run.ID)+"\n" {
		t.Fatalf("the other process says %q %v", line, err)
	}
	got := make(chan string, 10)
	start(t, s, func(_ context.Context, j work.Job) error {
		got <- j.Name
		return nil
	})
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	if name := receive(t, got); name != string(run.ID) {
		t.Errorf("went on with %q", name)
	}
}

// TestStopWaits checks that a job that is being done is done to its end, and cut short
// once the patience of whoever stops is over.
func TestStopWaits(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *store.Store) {
		begun, finish := make(chan struct{}, 2), make(chan struct{})
		ended := make(chan error, 2)
		if err := s.Work().Start(t.Context(), 2, func(ctx context.Context, j work.Job) error {
			begun <- struct{}{}
			select {
			case <-finish:
				ended <- nil
				return nil
			case <-ctx.Done():
				ended <- ctx.Err()
				return ctx.Err()
			}
		}); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"quick", "slow"} {
			if err := s.Work().Enqueue(t.Context(), work.Job{Kind: work.Trigger, App: "a", Name: name}); err != nil {
				t.Fatal(err)
			}
			receive(t, begun)
		}
		ctx, giveUp := context.WithCancel(t.Context())
		stopped := make(chan struct{})
		go func() {
			_ = s.Work().Stop(ctx)
			close(stopped)
		}()
		finish <- struct{}{}
		if err := receive(t, ended); err != nil {
			t.Errorf("the quick job was cut short: %v", err)
		}
		select {
		case <-stopped:
			t.Error("the engine stopped before the slow job ended")
		default:
		}
		giveUp()
		if err := receive(t, ended); err == nil {
			t.Error("the slow job was not cut short")
		}
		receive(t, stopped)
	})
}

// each runs a test on every database, with the clock on the wall: River has no other.
func each(t *testing.T, test func(t *testing.T, s *store.Store)) {
	t.Helper()
	for _, name := range storetest.Databases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, err := store.Open(t.Context(), store.Options{URL: storetest.URL(t, name), Now: time.Now})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(s.Close)
			test(t, s)
		})
	}
}

func start(t *testing.T, s *store.Store, h work.Handler) {
	t.Helper()
	if err := s.Work().Start(t.Context(), 4, h); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Work().Stop(context.Background()); err != nil {
			t.Error(err)
		}
	})
}

// receive returns the next value of a channel and fails if none comes for long.
func receive[T any](t *testing.T, ch <-chan T) T {
	t.Helper()
	select {
	case v := <-ch:
		return v
	case <-time.After(2 * time.Minute):
		t.Fatal("nothing came")
		panic("unreachable")
	}
}

func TestEnqueueJoinsTheTransaction(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *store.Store) {
		ctx := t.Context()
		got := make(chan string, 10)
		start(t, s, func(_ context.Context, j work.Job) error {
			got <- j.Name
			return nil
		})
		boom := errors.New("boom")
		for range 8 { // more than there are places: an undone job must give its place back
			err := s.Within(ctx, func(ctx context.Context) error {
				if err := s.Work().Enqueue(ctx, work.Job{Kind: work.Trigger, App: "a", Name: "undone"}); err != nil {
					return err
				}
				return boom
			})
			if !errors.Is(err, boom) {
				t.Fatal(err)
			}
		}
		err := s.Within(ctx, func(ctx context.Context) error {
			if err := s.Work().Enqueue(ctx, work.Job{Kind: work.Trigger, App: "a", Name: "done"}); err != nil {
				return err
			}
			select {
			case name := <-got:
				return fmt.Errorf("%s ran before the commit", name)
			default:
				return nil
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		if name := receive(t, got); name != "done" {
			t.Errorf("ran %q", name)
		}
	})
}

func TestFailedJobIsTriedAgain(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *store.Store) {
		var n atomic.Int32
		done := make(chan int32, 10)
		start(t, s, func(context.Context, work.Job) error {
			switch i := n.Add(1); i {
			case 1:
				return errors.New("not yet")
			case 2:
				panic("nor now")
			default:
				done <- i
				return nil
			}
		})
		if err := s.Work().Enqueue(t.Context(), work.Job{Kind: work.Trigger, App: "a", Name: "x"}); err != nil {
			t.Fatal(err)
		}
		if i := receive(t, done); i != 3 {
			t.Errorf("it took %d tries", i)
		}
	})
}

// TestOneAtATime checks that jobs about one run never overlap, that none is lost, and
// that Hold keeps them out.
func TestOneAtATime(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *store.Store) {
		ctx := t.Context()
		var inside, overlaps, seen atomic.Int32
		var state atomic.Int32 // what a handler must see at last
		looked := make(chan int32, 200)
		start(t, s, func(context.Context, work.Job) error {
			if inside.Add(1) > 1 {
				overlaps.Add(1)
			}
			v := state.Load()
			inside.Add(-1)
			seen.Store(v)
			looked <- v
			return nil
		})
		release, err := s.Work().Hold(ctx, work.RunKey("run-1"))
		if err != nil {
			t.Fatal(err)
		}
		inside.Add(1) // the holder is inside
		for i := range 20 {
			state.Store(int32(i + 1))
			if err := s.Work().Enqueue(ctx, work.Job{Kind: work.Run, App: "a", Name: "run-1"}); err != nil {
				t.Fatal(err)
			}
		}
		inside.Add(-1)
		release()
		for receive(t, looked) != 20 {
		}
		if overlaps.Load() != 0 {
			t.Errorf("%d overlapped", overlaps.Load())
		}
	})
}

func TestDueWorkRuns(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *store.Store) {
		got := make(chan work.Job, 10)
		start(t, s, func(_ context.Context, j work.Job) error {
			got <- j
			return nil
		})
		if err := s.Later(t.Context(), "netra", "rescore", json.RawMessage(`{"n":1}`), time.Now(), ""); err != nil {
			t.Fatal(err)
		}
		j := receive(t, got)
		if j.Kind != work.Due || j.App != "netra" || j.Name != "rescore" || string(j.Args) != `{"n":1}` {
			t.Errorf("got %+v", j)
		}
	})
}

// TestStartGoesOn checks that runs that were ready when a process ended go on when the
// next one starts.
func TestStartGoesOn(t *testing.T) {
	t.Parallel()
	c := storetest.NewClock()
	url := storetest.URL(t, "sqlite")
	first := storetest.OpenURL(t, url, c)
	cs, _, err := first.OpenCase(t.Context(), "poolpatrol", app.Opening{Subject: "v", Title: "V", State: dossier.Open})
	if err != nil {
		t.Fatal(err)
	}
	run, err := first.InsertRun(t.Context(), dossier.Run{Case: cs.ID, App: cs.App, Agent: "a", For: dossier.SystemPrincipal}, nil, true)
	if err != nil {
		t.Fatal(err)
	}
	first.Close()
	second := storetest.OpenURL(t, url, c)
	got := make(chan work.Job, 10)
	start(t, second, func(_ context.Context, j work.Job) error {
		got <- j
		return nil
	})
	if j := receive(t, got); j.Kind != work.Run || j.Name != string(run.ID) {
		t.Errorf("got %+v", j)
	}
}

// TestWalkThroughWeeks plays four weeks of an app's schedule with a clock that is set
// forward.
func TestWalkThroughWeeks(t *testing.T) {
	t.Parallel()
	for _, name := range storetest.Databases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, c := storetest.Open(t, name)
			ctx := t.Context()
			e := s.Work()
			if err := e.Every("airshed", "poll", "0 6 * * *"); err != nil {
				t.Fatal(err)
			}
			if err := e.Every("airshed", "bad", "61 * * * *"); !errors.Is(err, dossier.Invalid) {
				t.Errorf("a bad schedule: %v", err)
			}
			if err := e.Ticks(ctx, c.Now()); err != nil {
				t.Fatal(err)
			}
			for i := range 3 { // the last one counts
				if err := s.Later(ctx, "airshed", "remind", json.RawMessage(`{}`), c.Now().Add(time.Duration(i+1)*24*time.Hour), "k"); err != nil {
					t.Fatal(err)
				}
			}
			var order []string
			h := func(ctx context.Context, j work.Job) error {
				order = append(order, j.Kind+"/"+j.Name)
				if j.Name == "remind" && len(order) < 10 {
					return s.Later(ctx, "airshed", "remind", nil, c.Now().Add(24*time.Hour), "k")
				}
				return nil
			}
			total := 0
			for range 28 {
				n, err := e.RunDue(ctx, c.Add(24*time.Hour), h)
				if err != nil {
					t.Fatal(err)
				}
				total += n
			}
			polls, reminders := 0, 0
			for _, o := range order {
				switch o {
				case "trigger/poll":
					polls++
				case "due/remind":
					reminders++
				}
			}
			if polls != 28 || reminders < 3 || total != len(order) {
				t.Errorf("%d polls, %d reminders, %d in all: %v", polls, reminders, total, order)
			}
		})
	}
}

func TestFailedDueWorkIsKept(t *testing.T) {
	t.Parallel()
	s, c := storetest.Open(t, "sqlite")
	if err := s.Later(t.Context(), "a", "x", nil, c.Now(), ""); err != nil {
		t.Fatal(err)
	}
	_, err := s.Work().RunDue(t.Context(), c.Now(), func(context.Context, work.Job) error { return errors.New("no roster") })
	if err == nil {
		t.Fatal("the failure was swallowed")
	}
	rows, err := s.DueRows(t.Context(), "a")
	if err != nil || len(rows) != 1 || rows[0].State != "failed" || rows[0].Error != "no roster" {
		t.Errorf("%+v %v", rows, err)
	}
}

// TestProcessesShare checks that two processes on one database share its work, and
// that each job is done once: no job ends before both have begun one, so that an idle
// process that takes nothing from a busy one's queue is a test that never ends.
func TestProcessesShare(t *testing.T) {
	t.Parallel()
	url := storetest.URL(t, "postgres")
	var mu sync.Mutex
	did := map[string]int{}
	all := make(chan struct{})
	const jobs = 60
	var stores [2]*store.Store
	for i := range stores {
		s, err := store.Open(t.Context(), store.Options{URL: url, Now: time.Now})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(s.Close)
		stores[i] = s
	}
	var begun [2]chan struct{}
	var first [2]sync.Once
	for i := range begun {
		begun[i] = make(chan struct{})
	}
	for i, s := range stores {
		if err := s.Work().Start(t.Context(), 2, func(ctx context.Context, j work.Job) error {
			first[i].Do(func() { close(begun[i]) })
			select {
			case <-begun[1-i]:
			case <-ctx.Done():
				return ctx.Err()
			}
			mu.Lock()
			defer mu.Unlock()
			did[j.Name]++
			if len(did) == jobs {
				select {
				case <-all:
				default:
					close(all)
				}
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = s.Work().Stop(context.Background()) })
	}
	for i := range jobs {
		if err := stores[0].Work().Enqueue(t.Context(), work.Job{Kind: work.Trigger, App: "a", Name: fmt.Sprint(i)}); err != nil {
			t.Fatal(err)
		}
	}
	receive(t, all)
	mu.Lock()
	defer mu.Unlock()
	for name, n := range did {
		if n != 1 {
			t.Errorf("job %s was done %d times", name, n)
		}
	}
}

// BenchmarkJob is the way from a commit that queues a job to its handler and back.
func BenchmarkJob(b *testing.B) {
	for _, name := range storetest.Databases {
		b.Run(name, func(b *testing.B) {
			s, err := store.Open(b.Context(), store.Options{URL: storetest.URL(b, name), Now: time.Now})
			if err != nil {
				b.Fatal(err)
			}
			defer s.Close()
			got := make(chan struct{})
			if err := s.Work().Start(b.Context(), 4, func(context.Context, work.Job) error {
				got <- struct{}{}
				return nil
			}); err != nil {
				b.Fatal(err)
			}
			defer func() { _ = s.Work().Stop(context.Background()) }()
			for b.Loop() {
				if err := s.Work().Enqueue(b.Context(), work.Job{Kind: work.Trigger, App: "a", Name: "x"}); err != nil {
					b.Fatal(err)
				}
				<-got
			}
		})
	}
}
