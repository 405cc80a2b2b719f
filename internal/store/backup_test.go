package store_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"dossier"
	"dossier/internal/agent"
	"dossier/internal/records"
	"dossier/internal/store"
	"dossier/internal/store/storetest"

	"github.com/google/go-cmp/cmp"
)

var appFiles = fstest.MapFS{"migrations/0001_a.sql": file(
	"CREATE TABLE netra_nodes (id TEXT PRIMARY KEY, parent TEXT REFERENCES netra_nodes (id), weight DOUBLE PRECISION, note TEXT)")}

// image is everything about a case that a backup must keep.
type image struct {
	Case      dossier.Case
	Seen      []dossier.Evidence
	Found     []dossier.Finding
	Run       dossier.Run
	Steps     []dossier.Step
	Approvals []dossier.Approval
	Timeline  []records.Event
}

func imageOf(t *testing.T, s *store.Store, id dossier.CaseID, run dossier.RunID) (im image) {
	t.Helper()
	ctx := t.Context()
	var errs [5]error
	im.Case, errs[0] = s.Case(ctx, id)
	im.Seen, im.Found, errs[1] = s.Facts(ctx, id)
	im.Run, im.Steps, errs[2] = s.Load(ctx, run)
	im.Approvals, errs[3] = s.ApprovalsOf(ctx, id)
	im.Timeline, errs[4] = s.Timeline(ctx, id, 0, 1000)
	if err := errors.Join(errs[:]...); err != nil {
		t.Fatal(err)
	}
	return im
}

// TestBackup backs up each database while work goes on, and restores the backup into
// each.
func TestBackup(t *testing.T) {
	t.Parallel()
	for _, from := range storetest.Databases {
		for _, to := range storetest.Databases {
			t.Run(from+" to "+to, func(t *testing.T) {
				t.Parallel()
				backup(t, from, to)
			})
		}
	}
}

func backup(t *testing.T, from, to string) {
	ctx := t.Context()
	s, c := storetest.Open(t, from)
	if err := s.Migrate(ctx, "netra", appFiles); err != nil {
		t.Fatal(err)
	}
	cs := storetest.OpenCase(t, s, "vanpool/VP-101")
	run := storetest.StartRun(t, s, cs)
	if err := s.Record(ctx, agent.Move{
		Run: run.ID, Status: dossier.Paused, At: c.Now(), Approvals: []dossier.Approval{storetest.Ask()},
		Entries: []agent.Entry{{Step: storetest.Step(2, dossier.Asked), Seen: []dossier.Evidence{storetest.Shift(1)},
			Found: []dossier.Finding{{Check: "shift", Verdict: dossier.Pass, By: "rule/shift@1", Figures: json.RawMessage(`{"gap":1.50}`)}}}},
	}); err != nil {
		t.Fatal(err)
	}
	if err := s.Later(ctx, "netra", "rescore", nil, c.Now().Add(time.Hour), "k"); err != nil {
		t.Fatal(err)
	}
	for _, q := range []string{ // a child before its parent, in the order of ids
		"INSERT INTO netra_nodes (id, parent, weight, note) VALUES ('b', NULL, 3, 'ü \"quoted\"')",
		"INSERT INTO netra_nodes (id, parent, weight, note) VALUES ('a', 'b', 0.1, NULL)",
	} {
		if _, err := s.DB().Exec(ctx, q); err != nil {
			t.Fatal(err)
		}
	}
	want := imageOf(t, s, cs.ID, run.ID)
	file := filepath.Join(t.TempDir(), "backup")
	busy, stop := context.WithCancel(ctx)
	var wg sync.WaitGroup
	other := storetest.OpenCase(t, s, "vanpool/other")
	wg.Go(func() { // other cases go on meanwhile
		for i := 0; busy.Err() == nil; i++ {
			if _, _, err := s.RecordFacts(ctx, other.ID, []dossier.Evidence{storetest.Shift(i)}, nil); err != nil {
				t.Error(err)
			}
		}
	})
	err := s.Backup(ctx, file)
	stop()
	wg.Wait()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Backup(ctx, file); !errors.Is(err, dossier.Conflict) {
		t.Errorf("an existing file was overwritten: %v", err)
	}
	restored(t, to, file, want)
}

func restored(t *testing.T, to, file string, want image) {
	ctx := t.Context()
	s, c := storetest.Open(t, to)
	if err := s.Restore(ctx, file); !errors.Is(err, dossier.Conflict) {
		t.Errorf("restored without the app's tables: %v", err)
	}
	if err := s.Migrate(ctx, "netra", appFiles); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	cut := file + ".cut"
	if err := os.WriteFile(cut, whole[:len(whole)*2/3], 0o600); err != nil {
		t.Fatal(err)
	}
	if err := s.Restore(ctx, cut); err == nil || dossier.KindOf(err) == dossier.Internal {
		t.Errorf("a backup that was cut short was restored: %v", err)
	}
	if _, err := s.Case(ctx, want.Case.ID); !errors.Is(err, dossier.NotFound) {
		t.Errorf("half of a backup was restored: %v", err)
	}
	if err := s.Restore(ctx, file); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, imageOf(t, s, want.Case.ID, want.Run.ID)); diff != "" {
		t.Errorf("after the restore (-want +got):\n%s", diff)
	}
	var weight float64
	var parent string
	if err := s.DB().QueryRow(ctx, "SELECT weight, parent FROM netra_nodes WHERE id = 'a'").Scan(&weight, &parent); err != nil || weight != 0.1 || parent != "b" {
		t.Errorf("the app's row: %v %q %v", weight, parent, err)
	}
	if _, err := s.DB().Exec(ctx, "INSERT INTO netra_nodes (id, parent) VALUES ('x', 'nobody')"); !errors.Is(err, dossier.Conflict) {
		t.Errorf("references are no longer checked: %v", err)
	}
	if err := s.Restore(ctx, file); !errors.Is(err, dossier.Conflict) {
		t.Errorf("restored over what is there: %v", err)
	}
	last, err := s.LastEvent(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Publish(ctx, records.Event{Kind: "test", Text: "after"}); err != nil {
		t.Fatal(err)
	}
	if es, err := s.Events(ctx, last, 10); err != nil || len(es) != 1 || es[0].Text != "after" {
		t.Errorf("events after the restore: %+v %v", es, err)
	}
	if rows, err := s.DueRows(ctx, "netra"); err != nil || len(rows) != 1 || !rows[0].At.Equal(c.Now().Add(time.Hour)) {
		t.Errorf("due: %+v %v", rows, err)
	}
}

func TestRestoreRefuses(t *testing.T) {
	t.Parallel()
	s, _ := storetest.Open(t, "sqlite")
	name := filepath.Join(t.TempDir(), "notes.txt")
	if err := os.WriteFile(name, bytes.Repeat([]byte("not a backup "), 10), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := s.Restore(t.Context(), name); !errors.Is(err, dossier.Invalid) {
		t.Errorf("some other file: %v", err)
	}
	if err := s.Restore(t.Context(), name+".none"); !errors.Is(err, dossier.NotFound) {
		t.Errorf("no file: %v", err)
	}
}
