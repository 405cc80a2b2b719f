package book

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"

	"dossier/apps/netra/engine"
	"dossier/internal/db"
)

// An Archive is the proof of one deletion: what was removed, that nothing of it is
// left, and the daily counts that stay. It holds no text of any signal.
type Archive struct {
	ID        string     `json:"id"`
	At        time.Time  `json:"at"`
	Before    time.Time  `json:"before"`    // signals older than this were removed
	Removed   int        `json:"removed"`   // how many
	Remaining int        `json:"remaining"` // signals older than Before, counted after the removal
	Digest    string     `json:"digest"`    // SHA-256 over the removed ids in order, one per line
	Counts    []DayCount `json:"counts"`
}

// A DayCount is how many signals a district had on a day.
type DayCount struct {
	engine.Place
	Day     string `json:"day"`
	Signals int    `json:"signals"`
}

// Forget removes the signals older than a time and records the proof, in one
// transaction, and clears them out of the database's files. Nothing to remove records
// nothing.
func (b *Book) Forget(ctx context.Context, before, now time.Time) (out Archive, err error) {
	if out, err = b.remove(ctx, before, now); err != nil {
		return out, err
	}
	return out, b.DB.Scrub(ctx, "netra_signals", "netra_sources")
}

func (b *Book) remove(ctx context.Context, before, now time.Time) (out Archive, err error) {
	err = b.DB.InTx(ctx, func(ctx context.Context) error {
		out = Archive{ID: b.NewID("ARC-"), At: now, Before: before}
		if err := b.census(ctx, &out); err != nil || out.Removed == 0 {
			return err
		}
		edge := before.UnixMicro()
		if _, err := b.DB.Exec(ctx, `DELETE FROM netra_sources WHERE signal IN (SELECT id FROM netra_signals WHERE at < $1)`, edge); err != nil {
			return fmt.Errorf("delete sources: %w", err)
		}
		if _, err := b.DB.Exec(ctx, `DELETE FROM netra_signals WHERE at < $1`, edge); err != nil {
			return fmt.Errorf("delete signals: %w", err)
		}
		if err := b.DB.QueryRow(ctx, `SELECT COUNT(*) FROM netra_signals WHERE at < $1`, edge).Scan(&out.Remaining); err != nil {
			return fmt.Errorf("count what is left: %w", err)
		}
		counts, err := json.Marshal(out.Counts)
		if err != nil {
			return fmt.Errorf("encode counts: %w", err)
		}
		if _, err := b.DB.Exec(ctx, `INSERT INTO netra_archives (id, at, before_at, removed, remaining, digest, counts) VALUES ($1, $2, $3, $4, $5, $6, $7)`,
			out.ID, now.UnixMicro(), edge, out.Removed, out.Remaining, out.Digest, string(counts)); err != nil {
			return fmt.Errorf("record archive: %w", err)
		}
		return b.touch(ctx)
	})
	return out, err
}

// census counts and digests what is about to go.
func (b *Book) census(ctx context.Context, a *Archive) error {
	type row struct {
		id string
		p  engine.Place
		at int64
	}
	rows, err := b.DB.Query(ctx, `SELECT id, state, district, at FROM netra_signals WHERE at < $1 ORDER BY state, district, at, id`, a.Before.UnixMicro())
	list, err := db.Collect(rows, err, func(r db.Row) (x row, err error) {
		err = r.Scan(&x.id, &x.p.State, &x.p.District, &x.at)
		return x, err
	})
	if err != nil {
		return fmt.Errorf("list what goes: %w", err)
	}
	sum := sha256.New()
	for _, x := range list {
		fmt.Fprintln(sum, x.id)
		day := micro(x.at).Format(time.DateOnly)
		if n := len(a.Counts); n > 0 && a.Counts[n-1].Place == x.p && a.Counts[n-1].Day == day {
			a.Counts[n-1].Signals++
		} else {
			a.Counts = append(a.Counts, DayCount{x.p, day, 1})
		}
	}
	a.Removed, a.Digest = len(list), hex.EncodeToString(sum.Sum(nil))
	return nil
}

// KeptFrom returns the time from which on no signal was ever removed for its age; the zero
// time if none ever was.
func (b *Book) KeptFrom(ctx context.Context) (time.Time, error) {
	var edge int64
	if err := b.DB.QueryRow(ctx, `SELECT COALESCE(MAX(before_at), 0) FROM netra_archives`).Scan(&edge); err != nil {
		return time.Time{}, fmt.Errorf("look for what was removed: %w", err)
	}
	if edge == 0 {
		return time.Time{}, nil
	}
	return micro(edge), nil
}

// Archives returns the newest proofs.
func (b *Book) Archives(ctx context.Context, limit int) ([]Archive, error) {
	rows, err := b.DB.Query(ctx, `SELECT id, at, before_at, removed, remaining, digest, counts FROM netra_archives ORDER BY at DESC LIMIT $1`, limit)
	return db.Collect(rows, err, func(row db.Row) (a Archive, err error) {
		var at, before int64
		var counts string
		if err := row.Scan(&a.ID, &at, &before, &a.Removed, &a.Remaining, &a.Digest, &counts); err != nil {
			return a, err
		}
		a.At, a.Before = micro(at), micro(before)
		return a, json.Unmarshal([]byte(counts), &a.Counts)
	})
}
