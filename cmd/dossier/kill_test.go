package main

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"dossier"
	"dossier/apps/poolpatrol"
	"dossier/internal/ledger"
	"dossier/internal/records"
	"dossier/internal/store"
	"dossier/internal/store/storetest"
)

// TestKill runs the slice (audit, ask, decide, act) in real processes and kills them
// with SIGKILL at random moments. Whatever was acknowledged must be there afterwards,
// nothing may be done twice, and every ledger must verify.
//
// DOSSIER_KILLS sets how many processes are killed on each database.
func TestKill(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("kills many processes")
	}
	kills := 200
	if n, err := strconv.Atoi(os.Getenv("DOSSIER_KILLS")); err == nil {
		kills = n
	}
	for _, name := range storetest.Databases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHarness(t, name)
			h.must("demo")
			h.open()
			for h.killed < kills {
				h.round()
			}
			h.finish()
			h.check()
			t.Logf("%d processes killed, %d ended before; %d decisions acknowledged", h.killed, h.survived, len(h.decided))
		})
	}
}

// A harness starts the program, kills it and remembers what it acknowledged.
type harness struct {
	t        *testing.T
	dir      string
	url      string
	rng      *rand.Rand
	killed   int
	survived int
	typical  time.Duration // how long a command takes when left alone
	decided  map[dossier.ApprovalID]dossier.Verb
	vans     []string
	store    *store.Store // looks on from outside
}

func newHarness(t *testing.T, database string) *harness {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	h := &harness{
		t: t, dir: t.TempDir(), url: storetest.URL(t, database), rng: rand.New(rand.NewPCG(seed, 1)),
		typical: 600 * time.Millisecond, decided: map[dossier.ApprovalID]dossier.Verb{},
	}
	for i := 102; i <= 112; i++ {
		h.vans = append(h.vans, fmt.Sprintf("VP-%d", i))
	}
	return h
}

func (h *harness) command(args ...string) *exec.Cmd {
	args = append([]string{"--data", h.dir, "--set", "store.url=" + h.url, "--json"}, args...)
	cmd := exec.CommandContext(h.t.Context(), os.Args[0], args...)
	cmd.Env = append(os.Environ(), asProgram+"=1", "DOSSIER_LOG_LEVEL=error")
	return cmd
}

// must runs a command to its end.
func (h *harness) must(args ...string) []byte {
	h.t.Helper()
	var out, errs bytes.Buffer
	cmd := h.command(args...)
	cmd.Stdout, cmd.Stderr = &out, &errs
	began := time.Now()
	if err := cmd.Run(); err != nil {
		h.t.Fatalf("dossier %s: %v\n%s%s", strings.Join(args, " "), err, out.Bytes(), errs.Bytes())
	}
	h.learn(time.Since(began))
	return out.Bytes()
}

// learn follows how long commands take here, so that most are killed before their end.
func (h *harness) learn(d time.Duration) {
	if d < 5*time.Second {
		h.typical = (3*h.typical + d) / 4
	}
}

// round starts one command and kills it at a random moment.
func (h *harness) round() {
	args, done := h.choose()
	var out bytes.Buffer
	cmd := h.command(args...)
	cmd.Stdout = &out
	if err := cmd.Start(); err != nil {
		h.t.Fatal(err)
	}
	began := time.Now()
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	// The moment is drawn from a little more than a whole run, so that every part of
	// it is hit and some runs end by themselves.
	moment := time.Duration(h.rng.Int64N(int64(h.typical) * 11 / 10))
	select {
	case err := <-ended:
		h.survived++
		h.learn(time.Since(began))
		if err == nil && done != nil {
			done()
		}
	case <-time.After(moment):
		_ = cmd.Process.Kill()
		if err := <-ended; err == nil {
			h.survived++
			if done != nil {
				done()
			}
			return
		}
		h.killed++
	}
}

// choose picks what the next process does, and what must hold if it says that it did.
func (h *harness) choose() (args []string, done func()) {
	pending := h.pending()
	if len(pending) > 0 && h.rng.IntN(3) > 0 {
		a := pending[h.rng.IntN(len(pending))]
		verb := dossier.Approve
		switch {
		case strings.HasPrefix(a.Title, "Did this happen?"):
			verb = dossier.Respond // a person looked: the harness counts removals itself
		case h.rng.IntN(4) == 0:
			verb = dossier.Reject
		}
		return []string{"inbox", string(verb), string(a.ID), "--note", "harness"}, func() { h.decided[a.ID] = verb }
	}
	if h.rng.IntN(4) == 0 {
		return []string{"work", "--once"}, nil
	}
	van := h.vans[h.rng.IntN(len(h.vans))]
	return []string{"poolpatrol", "audit", van, "--again", "--stage", "pre_cancel"}, nil
}

func (h *harness) open() {
	s, err := store.Open(h.t.Context(), store.Options{URL: h.url, Now: time.Now, Dir: h.dir})
	if err != nil {
		h.t.Fatal(err)
	}
	h.t.Cleanup(s.Close)
	h.store = s
}

func (h *harness) pending() []dossier.Approval {
	all, err := h.store.ListApprovals(h.t.Context(), records.ApprovalQuery{
		Apps: []string{"poolpatrol"}, Statuses: []dossier.ApprovalStatus{dossier.Pending}, Now: time.Now(), Limit: 100,
	})
	if err != nil {
		h.t.Fatal(err)
	}
	return all
}

// finish lets everything that was interrupted come to rest, answering what is asked
// about acts in doubt.
func (h *harness) finish() {
	for range 20 {
		h.must("work", "--once")
		doubts := slices.DeleteFunc(h.pending(), func(a dossier.Approval) bool {
			return !strings.HasPrefix(a.Title, "Did this happen?")
		})
		if len(doubts) == 0 {
			return
		}
		for _, a := range doubts {
			h.must("inbox", "respond", string(a.ID), "--note", "harness")
			h.decided[a.ID] = dossier.Respond
		}
	}
	h.t.Fatal("acts stay in doubt")
}

// check asserts that nothing was lost and nothing happened twice.
func (h *harness) check() {
	ctx, s := h.t.Context(), h.store
	for id, verb := range h.decided {
		a, err := s.Approval(ctx, id)
		if err != nil {
			h.t.Errorf("a decision that was acknowledged is gone: %v", err)
			continue
		}
		if n := len(a.Decisions); n != 1 || a.Decisions[0].Verb != verb {
			h.t.Errorf("approval %s: %d decisions (%+v), want one: %s", id, n, a.Decisions, verb)
		}
	}
	h.checkRuns(ctx, s)
	h.checkOnce(ctx, s, "removals", "SELECT vanpool || '/' || employee FROM poolpatrol_removals")
	h.checkOnce(ctx, s, "mails", "SELECT send_key FROM mail")
	h.checkOnce(ctx, s, "acts", "SELECT app || '/' || act_key FROM acts")
	cases, err := s.Cases(ctx, records.CaseQuery{
		Apps:   []string{"poolpatrol"},
		States: []dossier.State{dossier.Preliminary, dossier.Open, dossier.Waiting, dossier.Closed, dossier.Cleared}, Limit: 10_000,
	})
	if err != nil || len(cases) == 0 {
		h.t.Fatalf("%d cases: %v", len(cases), err)
	}
	for _, c := range cases {
		h.checkLedger(ctx, c)
	}
}

// checkLedger asserts that a case's chain holds, that its approvals are bound to it and
// that its findings follow from its evidence.
func (h *harness) checkLedger(ctx context.Context, c dossier.Case) {
	key := ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize))
	l := &ledger.Ledger{
		Store: h.store, Now: time.Now, Key: key.Public().(ed25519.PublicKey),
		Sign: func(text []byte) []byte { return ed25519.Sign(key, text) },
	}
	b, err := l.Export(ctx, c.ID)
	if err != nil {
		h.t.Fatal(err)
	}
	if r := ledger.Verify(b, "", poolpatrol.App.Rules); !r.OK {
		h.t.Errorf("case %s does not verify: %q", c.ID, r.Problems)
	}
}

// checkRuns asserts that steps have no gaps and that nothing that could move is left.
func (h *harness) checkRuns(ctx context.Context, s *store.Store) {
	runs, err := s.Runs(ctx, records.RunQuery{Apps: []string{"poolpatrol"}, Limit: 100_000})
	if err != nil {
		h.t.Fatal(err)
	}
	for _, r := range runs {
		if r.Status == dossier.Ready {
			h.t.Errorf("run %s was left ready", r.ID)
		}
		_, steps, err := s.Load(ctx, r.ID)
		if err != nil {
			h.t.Fatal(err)
		}
		for i, st := range steps {
			if st.Seq != i+1 {
				h.t.Errorf("run %s: step %d stands at place %d", r.ID, st.Seq, i+1)
			}
		}
		if r.Status == dossier.Failed {
			h.t.Errorf("run %s failed: %s", r.ID, r.Failure)
		}
	}
}

// checkOnce asserts that no value of a query stands twice.
func (h *harness) checkOnce(ctx context.Context, s *store.Store, what, query string) {
	rows, err := s.DB().Query(ctx, query)
	if err != nil {
		h.t.Fatalf("%s: %v", what, err)
	}
	defer rows.Close()
	seen := map[string]bool{}
	for rows.Next() {
		var v string
		if err := rows.Scan(&v); err != nil {
			h.t.Fatal(err)
		}
		if seen[v] {
			h.t.Errorf("%s: %s happened twice", what, v)
		}
		seen[v] = true
	}
	if err := rows.Err(); err != nil {
		h.t.Fatal(err)
	}
}
