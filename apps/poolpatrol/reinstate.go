package poolpatrol

import (
	"context"
	"slices"

	"dossier"
	"dossier/apps/poolpatrol/casebook"
	"dossier/internal/app"
)

// cancelled returns the cancelled memberships of a van that stand, oldest first.
func (s *server) cancelled(ctx context.Context, vanpool string) ([]casebook.Removal, error) {
	all, err := s.patrol.Book.Removals(ctx, "")
	return slices.DeleteFunc(append([]casebook.Removal{}, all...), func(r casebook.Removal) bool {
		return r.Vanpool != vanpool || !r.Reversed.IsZero()
	}), err
}

// reinstate gives a rider the seat back and counts the cancellation as undone. The
// timeline of the case says who did.
func (s *server) reinstate(ctx context.Context, by dossier.Principal, vanpool, employee string) error {
	return s.env.DB.InTx(ctx, func(ctx context.Context) error {
		stand, err := s.cancelled(ctx, vanpool)
		if err != nil {
			return err
		}
		i := slices.IndexFunc(stand, func(r casebook.Removal) bool { return r.Employee == employee })
		undone, err := s.patrol.Book.Reversed(ctx, vanpool, employee, s.env.Now())
		if err != nil {
			return err
		}
		if !undone || i < 0 {
			return dossier.Errorf(dossier.NotFound, "No cancelled membership of %s in %s stands, so there is none to give back.", employee, vanpool)
		}
		if _, err := s.env.DB.Exec(ctx, `INSERT INTO poolpatrol_riders (vanpool, employee, since) VALUES ($1, $2, 0) ON CONFLICT (vanpool, employee) DO NOTHING`,
			vanpool, employee); err != nil {
			return err
		}
		return s.env.Desk.Publish(ctx, app.Event{
			Kind: "membership.reinstated", Case: stand[i].Case, By: by.ID, Text: employee + " has the seat in " + vanpool + " back.",
		})
	})
}
