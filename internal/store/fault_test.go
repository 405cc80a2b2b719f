package store_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"dossier"
	"dossier/internal/agent"
	"dossier/internal/store"
	"dossier/internal/store/storetest"
	"dossier/internal/work"
)

// TestMain plays a second process when a test starts this binary as one.
func TestMain(m *testing.M) {
	if url := os.Getenv("DOSSIER_TEST_PROCESS"); url != "" {
		other(url)
		return
	}
	os.Exit(m.Run())
}

// other begins an act, tells its name and its run, and waits to be killed.
func other(url string) {
	ctx := context.Background()
	s, err := store.Open(ctx, store.Options{URL: url, Now: time.Now})
	if err != nil {
		fmt.Println("error", err)
		return
	}
	run := dossier.RunID(os.Getenv("DOSSIER_TEST_RUN"))
	err = s.Record(ctx, agent.Move{
		Run: run, Status: dossier.Ready, Entries: []agent.Entry{{Step: storetest.Step(2, dossier.Begun)}},
		Begin: &agent.Act{App: "poolpatrol", Key: "cancel/EMP-1006", Run: run, Call: "c1"},
	})
	if err != nil {
		fmt.Println("error", err)
		return
	}
	fmt.Println(s.Instance())
	select {}
}

// TestKilledProcess kills a process in the middle of an act: what it recorded stays,
// it is seen as dead at once, its run is taken over and its act is not begun again.
func TestKilledProcess(t *testing.T) {
	t.Parallel()
	for _, name := range storetest.Databases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url := storetest.URL(t, name)
			s, err := store.Open(t.Context(), store.Options{URL: url, Now: time.Now})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(s.Close)
			killedProcess(t, s, url)
		})
	}
}

func killedProcess(t *testing.T, s *store.Store, url string) {
	ctx := t.Context()
	run := storetest.StartRun(t, s, storetest.OpenCase(t, s, "vanpool/VP-101"))
	cmd := exec.CommandContext(ctx, os.Args[0])
	cmd.Env = append(os.Environ(), "DOSSIER_TEST_PROCESS="+url, "DOSSIER_TEST_RUN="+string(run.ID))
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	name, err := bufio.NewReader(out).ReadString('\n')
	if name = strings.TrimSpace(name); err != nil || strings.HasPrefix(name, "error") {
		t.Fatal(name, err)
	}
	if alive, err := s.Alive(ctx, name); err != nil || !alive {
		t.Fatalf("the other process is alive: %v %v", alive, err)
	}
	if jobs, err := s.Sweep(ctx, time.Now().Add(5*time.Second)); err != nil || len(jobs) != 0 {
		t.Fatalf("taken from a process that is at it: %+v %v", jobs, err)
	}
	if err := cmd.Process.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	dead := false
	for deadline := time.Now().Add(2 * time.Minute); !dead && time.Now().Before(deadline); {
		alive, err := s.Alive(ctx, name)
		if err != nil {
			t.Fatal(err)
		}
		dead = !alive
	}
	if !dead {
		t.Fatal("a killed process is taken for alive")
	}
	act, err := s.Act(ctx, "poolpatrol", "cancel/EMP-1006")
	if err != nil || act.State != agent.ActBegun || act.By != name || act.Run != run.ID {
		t.Fatalf("the act: %+v %v", act, err)
	}
	jobs, err := s.Sweep(ctx, time.Now().Add(5*time.Second))
	if err != nil || len(jobs) != 1 || jobs[0].Kind != work.Run || jobs[0].Name != string(run.ID) {
		t.Errorf("taken over: %+v %v", jobs, err)
	}
	if jobs, err := s.Sweep(ctx, time.Now().Add(5*time.Second)); err != nil || len(jobs) != 0 {
		t.Errorf("taken over twice: %+v %v", jobs, err)
	}
	err = s.Record(ctx, agent.Move{
		Run: run.ID, Status: dossier.Ready, Entries: []agent.Entry{{Step: storetest.Step(3, dossier.Begun)}},
		Begin: &agent.Act{App: "poolpatrol", Key: "cancel/EMP-1006", Run: run.ID, Call: "c2"},
	})
	if !errors.Is(err, dossier.Conflict) {
		t.Errorf("an act begun again by another call: %v", err)
	}
}

// half reports what a failed Record left behind.
func half(t *testing.T, s *store.Store, run dossier.RunID, id dossier.CaseID, steps int) {
	t.Helper()
	_, got, err := s.Load(t.Context(), run)
	seen, _, err2 := s.Facts(t.Context(), id)
	if err != nil || err2 != nil || len(got) != steps || len(seen) != steps-1 {
		t.Errorf("%d steps and %d entries, want %d and %d: %v %v", len(got), len(seen), steps, steps-1, err, err2)
	}
	if err := dossier.VerifyChain(seen); err != nil {
		t.Error(err)
	}
}

func big(n, size int) agent.Move {
	e := storetest.Shift(n)
	e.Data = json.RawMessage(`{"text":"` + strings.Repeat("x", size) + `"}`)
	return agent.Move{Status: dossier.Ready, Entries: []agent.Entry{{Step: storetest.Step(n, dossier.Returned), Seen: []dossier.Evidence{e}}}}
}

func record(t *testing.T, s *store.Store, run dossier.RunID, m agent.Move) error {
	t.Helper()
	m.Run = run
	return s.Record(t.Context(), m)
}

// fillUp records until the disk is full, checks that nothing is half-written, and that
// all goes on once there is room.
func fillUp(t *testing.T, s *store.Store, makeRoom func()) {
	cs := storetest.OpenCase(t, s, "vanpool/VP-101")
	run := storetest.StartRun(t, s, cs)
	n := 2
	var err error
	for ; n < 1000 && err == nil; n++ {
		err = record(t, s, run.ID, big(n, 20_000))
	}
	if !errors.Is(err, dossier.Unavailable) || !strings.Contains(dossier.Message(err), "disk is full") {
		t.Fatalf("after %d steps: %v", n, err)
	}
	half(t, s, run.ID, cs.ID, n-2)
	makeRoom()
	if err := record(t, s, run.ID, big(n-1, 20_000)); err != nil {
		t.Errorf("after there was room: %v", err)
	}
	half(t, s, run.ID, cs.ID, n-1)
}

func TestFullDisk(t *testing.T) {
	t.Parallel()
	s, _ := storetest.Open(t, "sqlite")
	if _, err := s.DB().Exec(t.Context(), "PRAGMA max_page_count = 300"); err != nil {
		t.Fatal(err)
	}
	fillUp(t, s, func() {
		if _, err := s.DB().Exec(t.Context(), "PRAGMA max_page_count = 100000"); err != nil {
			t.Fatal(err)
		}
	})
}

// tmpfs mounts a small disk, where that is allowed.
func tmpfs(t *testing.T, size string) string {
	t.Helper()
	dir := t.TempDir()
	if out, err := exec.CommandContext(t.Context(), "mount", "-t", "tmpfs", "-o", "size="+size, "tmpfs", dir).CombinedOutput(); err != nil {
		t.Skipf("no disk to fill: %v %s", err, out)
	}
	t.Cleanup(func() {
		if out, err := exec.CommandContext(context.Background(), "umount", "-l", dir).CombinedOutput(); err != nil {
			t.Errorf("umount: %v %s", err, out)
		}
	})
	return dir
}

func TestFullDiskForReal(t *testing.T) {
	t.Parallel()
	dir := tmpfs(t, "4m")
	ballast := filepath.Join(dir, "ballast")
	if err := os.WriteFile(ballast, make([]byte, 1<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	s := storetest.OpenURL(t, "sqlite:"+filepath.Join(dir, "d.db"), storetest.NewClock())
	fillUp(t, s, func() {
		if err := os.Remove(ballast); err != nil {
			t.Fatal(err)
		}
	})
}

func TestReadOnlyDisk(t *testing.T) {
	t.Parallel()
	dir := tmpfs(t, "8m")
	s := storetest.OpenURL(t, "sqlite:"+filepath.Join(dir, "d.db"), storetest.NewClock())
	cs := storetest.OpenCase(t, s, "vanpool/VP-101")
	run := storetest.StartRun(t, s, cs)
	remount := func(how string) {
		t.Helper()
		if out, err := exec.CommandContext(t.Context(), "mount", "-o", "remount,"+how, dir).CombinedOutput(); err != nil {
			t.Skipf("remount: %v %s", err, out)
		}
	}
	s.Close()
	remount("ro")
	_, err := store.Open(t.Context(), store.Options{URL: "sqlite:" + filepath.Join(dir, "d.db"), Now: time.Now})
	if !errors.Is(err, dossier.Unavailable) {
		t.Errorf("opened on a read-only disk: %v", err)
	}
	remount("rw")
	again := storetest.OpenURL(t, "sqlite:"+filepath.Join(dir, "d.db"), storetest.NewClock())
	half(t, again, run.ID, cs.ID, 1)
}

// TestReadOnlyDatabase turns the database read-only under a running product.
func TestReadOnlyDatabase(t *testing.T) {
	t.Parallel()
	for name, switches := range map[string][2]string{
		"sqlite": {"PRAGMA query_only = 1", "PRAGMA query_only = 0"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, _ := storetest.Open(t, name)
			cs := storetest.OpenCase(t, s, "vanpool/VP-101")
			run := storetest.StartRun(t, s, cs)
			set := func(q string) {
				if _, err := s.DB().Exec(t.Context(), q); err != nil {
					t.Fatal(err)
				}
			}
			set(switches[0])
			if err := record(t, s, run.ID, big(2, 10)); !errors.Is(err, dossier.Unavailable) {
				t.Errorf("recorded: %v", err)
			}
			half(t, s, run.ID, cs.ID, 1)
			set(switches[1])
			if err := record(t, s, run.ID, big(2, 10)); err != nil {
				t.Errorf("writable again: %v", err)
			}
		})
	}
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		url := storetest.URL(t, "postgres")
		s := storetest.OpenURL(t, url, storetest.NewClock())
		s.Close()
		_, err := store.Open(t.Context(), store.Options{URL: url + "&default_transaction_read_only=on", Now: time.Now})
		if !errors.Is(err, dossier.Unavailable) {
			t.Errorf("opened a standby: %v", err)
		}
	})
}

// TestDatabaseGone stops PostgreSQL under a running product and starts it again.
func TestDatabaseGone(t *testing.T) {
	t.Parallel()
	if os.Getenv("DOSSIER_TEST_POSTGRES") == "" {
		t.Skip("DOSSIER_TEST_POSTGRES is not set")
	}
	dir, err := os.MkdirTemp("/tmp", "dossier-pg-")
	if err != nil {
		t.Fatal(err)
	}
	script := func(ctx context.Context, args ...string) string {
		cmd := exec.CommandContext(ctx, "../../scripts/postgres.sh", args...)
		cmd.Stderr = os.Stderr
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%v: %v", args, err)
		}
		return strings.TrimSpace(string(out))
	}
	t.Cleanup(func() {
		script(context.Background(), "stop", dir, "immediate")
		_ = os.RemoveAll(dir)
	})
	s := storetest.OpenURL(t, script(t.Context(), "start", dir), storetest.NewClock())
	cs := storetest.OpenCase(t, s, "vanpool/VP-101")
	run := storetest.StartRun(t, s, cs)
	did := make(chan string, 100)
	if err := s.Work().Start(t.Context(), 2, func(_ context.Context, j work.Job) error {
		did <- j.Name
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Work().Stop(context.Background()) })
	script(t.Context(), "stop", dir)
	for range 3 {
		err := record(t, s, run.ID, big(2, 10))
		if !errors.Is(err, dossier.Unavailable) {
			t.Errorf("recorded: %v", err)
		}
		if _, err := s.Case(t.Context(), cs.ID); !errors.Is(err, dossier.Unavailable) {
			t.Errorf("read: %v", err)
		}
	}
	url := script(t.Context(), "start", dir)
	if err := record(t, s, run.ID, big(2, 10)); err != nil {
		t.Errorf("after it came back: %v", err)
	}
	half(t, s, run.ID, cs.ID, 2)
	other := storetest.OpenURL(t, url, storetest.NewClock())
	alive := false
	for deadline := time.Now().Add(2 * time.Minute); !alive && time.Now().Before(deadline); {
		if alive, err = other.Alive(t.Context(), s.Instance()); err != nil {
			t.Fatal(err)
		}
	}
	if !alive {
		t.Error("the process is taken for dead since the database came back")
	}
	// What another process queues is done here again, too.
	if err := other.Work().Enqueue(t.Context(), work.Job{Kind: work.Trigger, App: "a", Name: "after"}); err != nil {
		t.Fatal(err)
	}
	for late := time.After(2 * time.Minute); ; {
		select {
		case name := <-did:
			if name == "after" {
				return
			}
		case <-late:
			t.Fatal("no work is done since the database came back")
		}
	}
}
