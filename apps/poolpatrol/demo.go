package poolpatrol

import (
	"context"
	"errors"
	"fmt"

	"dossier"
	"dossier/apps/poolpatrol/demo"
	"dossier/apps/poolpatrol/patrol"
	"dossier/apps/poolpatrol/roster"
	"dossier/internal/app"
)

// loadDemo loads the demo's records, audits every van and plays the replies that take
// each case where its scene wants it. A programme that has vans is left alone.
func (s *server) loadDemo(ctx context.Context) error {
	vans, err := s.patrol.Roster.Vanpools(ctx)
	if err != nil || len(vans) > 0 {
		return err
	}
	book := demo.Book(roster.DayOf(s.env.Now()))
	if err := s.patrol.Roster.Save(ctx, book); err != nil {
		return err
	}
	for _, v := range book.Vanpools {
		if _, err := s.patrol.Audit(ctx, patrol.Order{Vanpool: v.ID, For: dossier.SystemPrincipal, Straight: v.ID == "VP-110"}); err != nil {
			return fmt.Errorf("audit %s: %w", v.ID, err)
		}
	}
	return s.playReplies(ctx)
}

// playReplies has riders of the demo write back.
func (s *server) playReplies(ctx context.Context) error {
	for _, turn := range []struct{ rider, text string }{
		{"EMP-1021", "Hi, I switched to the day shift two weeks ago and have updated it in the portal."},
		{"EMP-1026", "I moved to days last month."},
		{"EMP-1031", "This is wrong. I have worked days for six years and I am frustrated that I have to prove it."},
		{"EMP-1041", "I updated my profile this morning."},
		{"EMP-1041", "I have corrected it again, please update."},
		{"EMP-1041", "It is fixed in the portal now."},
		{"EMP-1051", "How is the distance measured, and who sees my answer?"},
		{"EMP-1056", "All good here, thanks!"},
	} {
		if turn.rider == "EMP-1021" { // the one whose records are put right
			if _, err := s.env.DB.Exec(ctx, `UPDATE poolpatrol_employees SET shift = $1 WHERE id = $2`, "SH-DAY", turn.rider); err != nil {
				return err
			}
		}
		open, err := s.patrol.Book.OpenWith(ctx, turn.rider)
		if err != nil {
			return err
		}
		if len(open) == 0 {
			continue
		}
		if _, err := s.patrol.ReplyAs(ctx, open[0].ID, turn.text); err != nil && !errors.Is(err, dossier.NotFound) {
			return fmt.Errorf("reply of %s: %w", turn.rider, err)
		}
	}
	return s.env.Desk.Publish(ctx, app.Event{Kind: "demo.loaded", Text: "The demo programme is in place."})
}
