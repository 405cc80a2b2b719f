package poolpatrol

import (
	"context"

	"dossier"
	"dossier/internal/app"
)

// reinstate gives a rider the seat back and counts the cancellation as undone.
func (s *server) reinstate(ctx context.Context, vanpool, employee string) error {
	return s.env.DB.InTx(ctx, func(ctx context.Context) error {
		undone, err := s.patrol.Book.Reversed(ctx, vanpool, employee, s.env.Now())
		if err != nil {
			return err
		}
		if !undone {
			return dossier.Errorf(dossier.NotFound, "No cancelled membership of %s in %s stands.", employee, vanpool)
		}
		if _, err := s.env.DB.Exec(ctx, `INSERT INTO poolpatrol_riders (vanpool, employee, since) VALUES ($1, $2, 0) ON CONFLICT (vanpool, employee) DO NOTHING`,
			vanpool, employee); err != nil {
			return err
		}
		return s.env.Desk.Publish(ctx, app.Event{Kind: "membership.reinstated", Text: employee + " has the seat in " + vanpool + " back."})
	})
}
