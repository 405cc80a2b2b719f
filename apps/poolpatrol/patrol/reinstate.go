package patrol

import (
	"context"

	"dossier"
	"dossier/internal/app"
)

// Reinstate gives a rider the seat back and counts the cancellation as undone.
func (p *Patrol) Reinstate(ctx context.Context, vanpool, employee string) error {
	return p.env.DB.InTx(ctx, func(ctx context.Context) error {
		undone, err := p.Book.Reversed(ctx, vanpool, employee, p.env.Now())
		if err != nil {
			return err
		}
		if !undone {
			return dossier.Errorf(dossier.NotFound, "No cancelled membership of %s in %s stands.", employee, vanpool)
		}
		if _, err := p.env.DB.Exec(ctx, `INSERT INTO poolpatrol_riders (vanpool, employee, since) VALUES ($1, $2, 0) ON CONFLICT (vanpool, employee) DO NOTHING`,
			vanpool, employee); err != nil {
			return err
		}
		return p.env.Desk.Publish(ctx, app.Event{Kind: "membership.reinstated", Text: employee + " has the seat in " + vanpool + " back."})
	})
}
