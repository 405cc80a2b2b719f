package netra

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"dossier"
	"dossier/apps/netra/board"
	"dossier/apps/netra/book"
	"dossier/apps/netra/engine"
	"dossier/apps/netra/ingest"
	"dossier/internal/app"
)

// An office is the app at work: records, the board over them and the core's desk.
type office struct {
	env   app.Env
	cfg   Config
	book  *book.Book
	board *board.Board
}

func newOffice(env app.Env, cfg Config) *office {
	b := &book.Book{DB: env.DB, Notices: env.Notices, NewID: env.NewID}
	return &office{env: env, cfg: cfg, book: b, board: &board.Board{Book: b, Base: cfg.params(), Poll: cfg.Poll, Hot: cfg.Hot}}
}

// places are the districts of the table.
func places() []engine.Place {
	var out []engine.Place
	for _, d := range ingest.Places() {
		out = append(out, d.Place)
	}
	return out
}

// locate finds a district by name. Without a state the name must be that of one
// district only.
func locate(state, district string) (engine.Place, error) {
	if strings.TrimSpace(district) == "" {
		return engine.Place{}, dossier.Errorf(dossier.Invalid, "Say which district.")
	}
	if state == "" {
		d, err := ingest.FindDistrict(district)
		if err != nil {
			return engine.Place{}, dossier.Errorf(dossier.NotFound, "%s", sentence(err))
		}
		return d.Place, nil
	}
	d, err := ingest.Locate(state, district)
	if err != nil {
		return engine.Place{}, dossier.Errorf(dossier.NotFound, "%s", sentence(err))
	}
	return d.Place, nil
}

// sentence turns a reason into a sentence.
func sentence(err error) string {
	s := []rune(err.Error())
	if len(s) > 0 && s[0] >= 'a' && s[0] <= 'z' {
		s[0] -= 'a' - 'A'
	}
	if strings.ContainsAny(string(s[max(0, len(s)-1):]), ".?!") {
		return string(s)
	}
	return string(s) + "."
}

func window(text string) (engine.Window, error) {
	w, err := engine.ParseWindow(text)
	if err != nil {
		return 0, dossier.Errorf(dossier.Invalid, "%s", sentence(err))
	}
	return w, nil
}

// ingestRows stores what can be accepted of rows, scores the districts that changed
// and looks for crossings. The audit says what became of every row.
func (o *office) ingestRows(ctx context.Context, rows []ingest.Row, rejects []ingest.Reject) (ingest.Audit, error) {
	now := o.env.Now()
	accepted, audit := ingest.AcceptAll(rows, rejects, now)
	if len(accepted) == 0 {
		return audit, nil
	}
	taken, err := o.book.Take(ctx, accepted, now)
	if err != nil {
		return audit, err
	}
	audit.Folded = taken.Folded
	for _, p := range taken.Places {
		if err := o.watch(ctx, p); err != nil {
			return audit, err
		}
	}
	if o.cfg.ModelClass != "off" {
		for _, s := range taken.Signals {
			if err := o.env.Desk.Later(ctx, jobClassify, classifyArgs{s.ID}, now, "classify/"+s.ID); err != nil {
				return audit, err
			}
		}
	}
	return audit, nil
}

// watch scores a district over every window, stores the scores and follows up on a
// crossing of the 24-hour score. Whoever watches a district holds it: the signals are
// read after the one before has followed up, so that a crossing is neither followed up
// twice nor judged from signals that are no longer all.
func (o *office) watch(ctx context.Context, p engine.Place) error {
	return o.env.DB.InTx(ctx, func(ctx context.Context) error {
		before, err := o.book.Hold(ctx, p)
		if err != nil {
			return err
		}
		e, err := o.book.InForce(ctx, o.cfg.params())
		if err != nil {
			return err
		}
		now := o.env.Now()
		signals, err := o.book.Signals(ctx, p, now.Add(-engine.Week.Duration()), now)
		if err != nil {
			return err
		}
		for _, w := range engine.Windows {
			s, err := e.Compute(p, signals, w, now)
			if err != nil {
				return err
			}
			if err := o.book.SaveScore(ctx, &s); err != nil {
				return err
			}
			if w == engine.Day {
				if err := o.follow(ctx, before, s); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// scoreAll scores every district that has signals, had a score above 0 or has a case
// that is not settled. It is the hourly work: time alone lowers scores.
func (o *office) scoreAll(ctx context.Context) error {
	look, err := o.book.Above(ctx)
	if err != nil {
		return err
	}
	live, err := o.env.Desk.Cases(ctx, app.CaseFilter{States: []dossier.State{dossier.Open, dossier.Waiting}})
	if err != nil {
		return err
	}
	about := map[string]bool{}
	for _, c := range live {
		about[c.Subject] = true
	}
	for _, p := range places() {
		s, err := o.board.Score(ctx, p, engine.Week, o.env.Now())
		if err != nil {
			return err
		}
		if s.SignalCount == 0 && !look[p] && !about[subject(p, engine.Day)] {
			continue
		}
		if err := o.watch(ctx, p); err != nil {
			return err
		}
	}
	return nil
}

// forget removes signals past the retention and leaves the proof.
func (o *office) forget(ctx context.Context) (book.Archive, error) {
	now := o.env.Now()
	a, err := o.book.Forget(ctx, now.Add(-o.cfg.Retain), now)
	if err != nil {
		return a, err
	}
	if a.Removed == 0 {
		return a, nil
	}
	raw, err := json.Marshal(a)
	if err != nil {
		return a, fmt.Errorf("encode archive: %w", err)
	}
	return a, o.env.Desk.Publish(ctx, app.Event{Kind: "signals.removed", Data: raw,
		Text: fmt.Sprintf("%d signals older than %s were removed; %d are left.", a.Removed, a.Before.Format(time.DateOnly), a.Remaining)})
}

// maxFeed is how much of a feed is read, in bytes.
const maxFeed = 8 << 20

// pollFeeds reads every configured feed. One that cannot be read does not keep the
// others back and is tried again at the next poll: to fail for it would be to read the
// others again too.
func (o *office) pollFeeds(ctx context.Context) error {
	var failed error
	for _, feed := range o.cfg.Feeds {
		switch err := o.pollFeed(ctx, feed); {
		case errors.Is(err, dossier.Unavailable):
			o.env.Log.WarnContext(ctx, "feed not read", "feed", feed, "error", err)
		case err != nil:
			failed = errors.Join(failed, err)
		}
	}
	return failed
}

func (o *office) pollFeed(ctx context.Context, feed string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, feed, nil)
	if err != nil {
		return fmt.Errorf("feed %s: %w", feed, err)
	}
	res, err := o.env.HTTP.Do(req)
	if err != nil {
		return dossier.Errorf(dossier.Unavailable, "The feed %s did not answer.", feed).Because(err)
	}
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode != http.StatusOK {
		return dossier.Errorf(dossier.Unavailable, "The feed %s answered %s.", feed, res.Status)
	}
	rows, rejects, err := ingest.ReadFeed(io.LimitReader(res.Body, maxFeed), o.env.Now().Add(-o.cfg.Retain))
	if err != nil {
		return dossier.Errorf(dossier.Unavailable, "The feed %s cannot be read: %v.", feed, err)
	}
	audit, err := o.ingestRows(ctx, rows, rejects)
	o.env.Log.InfoContext(ctx, "feed read", "feed", feed, "read", audit.Read, "accepted", audit.Accepted, "folded", audit.Folded, "rejected", len(audit.Rejected))
	return err
}
