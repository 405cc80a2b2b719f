package poolpatrol

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"dossier"
	"dossier/apps/poolpatrol/demo"
	"dossier/apps/poolpatrol/patrol"
	"dossier/apps/poolpatrol/roster"
	"dossier/internal/app"
)

// loadDemo loads the demo's records, audits every van and plays the replies that take
// each case where its scene wants it. A programme that has vans is left alone, unless
// they are those of the demo's past.
func (s *server) loadDemo(ctx context.Context) error {
	today := roster.DayOf(s.env.Now())
	vans, err := s.patrol.Roster.Vanpools(ctx)
	if err != nil || len(vans) > 0 && !slices.Equal(vans, demo.Past(today).Vanpools) {
		return err
	}
	book := demo.Book(today)
	if err := s.patrol.Roster.Save(ctx, book); err != nil {
		return err
	}
	waits, err := s.patrol.Book.OpenWith(ctx, demo.Silent)
	if err != nil {
		return err
	}
	for _, v := range book.Vanpools {
		if len(waits) > 0 && v.ID == waits[0].Vanpool {
			continue // written to a week ago
		}
		if _, err := s.patrol.Audit(ctx, patrol.Order{Vanpool: v.ID, For: dossier.SystemPrincipal, Straight: v.ID == "VP-110"}); err != nil {
			return fmt.Errorf("audit %s: %w", v.ID, err)
		}
	}
	return s.playReplies(ctx)
}

// demoCoordinator decided about seats before the demo's day.
var demoCoordinator = dossier.Principal{ID: "demo-coordinator", Name: "Dana Whitlock", Roles: []dossier.Role{patrol.Coordinator}}

// loadPast has a coordinator decide about three seats: one that was given back when the
// records turned out to be wrong, one that was not, and one that was kept. Seven days
// before the demo's day a rider is written to, so that the week of silence is over when
// the demo begins.
func (s *server) loadPast(ctx context.Context, later func(time.Duration)) error {
	vans, err := s.patrol.Roster.Vanpools(ctx)
	if err != nil || len(vans) > 0 {
		return err
	}
	today := roster.DayOf(s.env.Now())
	if err := s.patrol.Roster.Save(ctx, demo.Past(today)); err != nil {
		return err
	}
	const day = 24 * time.Hour
	for _, past := range []struct {
		van  string
		took time.Duration
		d    dossier.Decision
	}{
		{"VP-113", 2 * day, dossier.Decision{Verb: dossier.Approve}},
		{"VP-115", day, dossier.Decision{Verb: dossier.Approve}},
		{"VP-114", 3 * day, dossier.Decision{Verb: dossier.Reject, Note: "On loan to the night crew until the end of the month."}},
	} {
		if err := s.decidedAbout(ctx, past.van, past.d, func() { later(past.took) }); err != nil {
			return fmt.Errorf("past of %s: %w", past.van, err)
		}
	}
	later(5 * day)
	book := demo.Book(today)
	right := book.Employees[slices.IndexFunc(book.Employees, func(e roster.Employee) bool { return e.ID == demo.Mistaken })]
	if err := s.patrol.Roster.Save(ctx, roster.Book{Employees: []roster.Employee{right}}); err != nil {
		return err
	}
	if err := s.reinstate(ctx, demoCoordinator, "VP-113", demo.Mistaken); err != nil {
		return err
	}
	later(10 * day)
	return s.leftUnanswered(ctx, "VP-108", demo.Silent, later)
}

// leftUnanswered audits a van and reminds the rider it writes to on the day set for that.
func (s *server) leftUnanswered(ctx context.Context, van, rider string, later func(time.Duration)) error {
	if _, err := s.patrol.Audit(ctx, patrol.Order{Vanpool: van, For: dossier.SystemPrincipal}); err != nil {
		return fmt.Errorf("audit %s: %w", van, err)
	}
	threads, err := s.patrol.Book.OpenWith(ctx, rider)
	if err != nil {
		return err
	}
	for _, t := range threads {
		later(roster.BusinessDay(t.LastOut, s.patrol.Config.ReminderDays).Sub(s.env.Now()))
		if err := s.patrol.Remind(ctx, t); err != nil {
			return err
		}
	}
	return nil
}

// decidedAbout puts a seat of a van straight before the demo's coordinator, who decides
// after a while.
func (s *server) decidedAbout(ctx context.Context, van string, d dossier.Decision, wait func()) error {
	l, err := s.patrol.Audit(ctx, patrol.Order{Vanpool: van, For: dossier.SystemPrincipal, Straight: true})
	if err != nil {
		return err
	}
	asked, err := s.env.Desk.Approvals(ctx, l.Case)
	if err != nil {
		return err
	}
	wait()
	for _, a := range asked {
		d.By = demoCoordinator
		if _, err := s.env.Desk.Decide(ctx, a.ID, d); err != nil {
			return err
		}
		if _, err := s.env.Desk.Drive(ctx, a.Run); err != nil {
			return err
		}
	}
	return nil
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
