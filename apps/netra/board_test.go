package netra

import (
	"context"
	"strings"
	"testing"
	"time"

	"dossier/apps/netra/board"
	"dossier/apps/netra/book"
	"dossier/apps/netra/engine"
	"dossier/internal/db"
)

// interrupted lets something else happen right before a query about arrivals.
type interrupted struct {
	db.DB
	meanwhile func()
}

func (d *interrupted) Query(ctx context.Context, query string, args ...any) (db.Rows, error) {
	if do := d.meanwhile; do != nil && strings.Contains(query, "seq >") {
		d.meanwhile = nil
		do()
	}
	return d.DB.Query(ctx, query, args...)
}

// A report that arrives while the board takes up others counts once.
func TestArrivalDuringALookCountsOnceN086(t *testing.T) {
	t.Parallel()
	onBoth(t, nil, func(t *testing.T, p *product) {
		rows := &interrupted{DB: p.Env.DB}
		b := &board.Board{Book: &book.Book{DB: rows, Notices: p.Env.Notices, NewID: p.Env.NewID}, Base: p.cfg.params(), Poll: time.Second}
		rows.meanwhile = func() { p.take("Arms cache recovered near border area") }
		p.take("Bandh called on NH-37")
		for range 3 {
			p.Clock.Add(time.Minute)
			s, err := b.Score(t.Context(), cachar, engine.Day, p.Clock.Now())
			if err != nil || s.SignalCount > 2 {
				t.Fatalf("N-086 %d signals of 2, %v", s.SignalCount, err)
			}
		}
		if s, err := b.Score(t.Context(), cachar, engine.Day, p.Clock.Now()); err != nil || s.SignalCount != 2 {
			t.Errorf("N-086 %d signals of 2, %v", s.SignalCount, err)
		}
	})
}
