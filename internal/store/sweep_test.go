package store_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"dossier"
	"dossier/internal/store"
	"dossier/internal/store/storetest"
)

// TestTheDeadAreFoundBehindABacklog: runs that wait for a busy process do not hide one
// whose process is gone.
func TestTheDeadAreFoundBehindABacklog(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *store.Store, c *storetest.Clock) {
		cs := storetest.OpenCase(t, s, "vanpool/VP-101")
		err := s.Within(t.Context(), func(ctx context.Context) error {
			for i := range 700 {
				run := dossier.Run{ID: dossier.RunID(fmt.Sprintf("run-%04d", i)), Case: cs.ID, App: cs.App, Agent: "a", Input: json.RawMessage(`{}`)}
				if _, err := s.InsertRun(ctx, run, nil, true); err != nil {
					return err
				}
			}
			_, err := s.DB().Exec(ctx, "UPDATE runs SET moved_by = 'gone' WHERE id = 'run-0699'")
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		jobs, err := s.Sweep(t.Context(), c.Add(10*time.Second))
		if err != nil || len(jobs) != 1 || jobs[0].Name != "run-0699" {
			t.Errorf("taken over: %d jobs, %v", len(jobs), err)
		}
		if jobs, err = s.Sweep(t.Context(), c.Add(5*time.Minute)); err != nil || len(jobs) != 500 {
			t.Errorf("lying still: %d jobs, %v", len(jobs), err)
		}
	})
}

// TestFactsThatCannotBeStoredAsTheyAre: a character that one database does not take is
// replaced in what people read of a fact, and the chain holds.
func TestFactsThatCannotBeStoredAsTheyAre(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *store.Store, _ *storetest.Clock) {
		cs := storetest.OpenCase(t, s, "vanpool/VP-101")
		e := dossier.NewEvidence("mail", dossier.Source{System: "inbox", Locator: "a\x00b"}, map[string]string{"text": "x\x00y"}, "He wrote: x\x00y\xff.")
		f := dossier.Finding{Check: "reply", Subject: "a\x00b", Verdict: dossier.Pass, By: "agent/a", Reason: "x\x00y\xff"}
		if _, _, err := s.RecordFacts(t.Context(), cs.ID, []dossier.Evidence{e}, []dossier.Finding{f}); err != nil {
			t.Fatal(err)
		}
		seen, found, err := s.Facts(t.Context(), cs.ID)
		if err != nil || dossier.VerifyChain(seen) != nil || len(found) != 1 {
			t.Fatal(seen, found, err)
		}
		if seen[0].Summary != "He wrote: x\uFFFDy\uFFFD." || seen[0].Source.Locator != "a\uFFFDb" || found[0].Reason != "x\uFFFDy\uFFFD" {
			t.Errorf("%+v %+v", seen[0], found[0])
		}
	})
}
