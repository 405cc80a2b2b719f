package store

import (
	"context"
	"fmt"
	"time"

	"dossier"
	"dossier/internal/db"
	"dossier/internal/records"
)

const webhookColumns = `id, url, kinds, apps, by_id, created, enabled, version, sent, failures, dropped, next_at, last_at, last_note`

func scanWebhook(r db.Row) (w records.Webhook, err error) {
	var kinds, apps string
	err = r.Scan(&w.ID, &w.URL, &kinds, &apps, &w.By, &w.Created, &w.Enabled, &w.Version, &w.Sent, &w.Failures, &w.Dropped,
		&w.Next, &w.LastAt, &w.LastNote)
	if err != nil {
		return w, err
	}
	if err := unlist(kinds, &w.Kinds); err != nil {
		return w, err
	}
	return w, unlist(apps, &w.Apps)
}

// Webhooks returns the addresses that are told about events, oldest first.
func (s *Store) Webhooks(ctx context.Context) ([]records.Webhook, error) {
	rows, err := s.db.Query(ctx, "SELECT "+webhookColumns+" FROM webhooks ORDER BY created, id")
	return db.Collect(rows, err, scanWebhook)
}

// Webhook returns one address.
func (s *Store) Webhook(ctx context.Context, id string) (records.Webhook, error) {
	w, err := scanWebhook(s.db.QueryRow(ctx, "SELECT "+webhookColumns+" FROM webhooks WHERE id = $1", id))
	return w, notFound(err, "webhook", id)
}

// CreateWebhook stores an address.
func (s *Store) CreateWebhook(ctx context.Context, w records.Webhook) error {
	_, err := s.db.Exec(ctx, "INSERT INTO webhooks ("+webhookColumns+`)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)`,
		w.ID, w.URL, list(w.Kinds), list(w.Apps), w.By, w.Created, w.Enabled, max(1, w.Version), w.Sent, w.Failures, w.Dropped,
		w.Next, w.LastAt, w.LastNote)
	if err != nil {
		return fmt.Errorf("create webhook %s: %w", w.ID, err)
	}
	return nil
}

// ChangeWebhook lets change work on an address as it was at a version, and counts the
// change. It returns dossier.Conflict if somebody else was first.
func (s *Store) ChangeWebhook(ctx context.Context, id string, version int, change func(*records.Webhook) error) (w records.Webhook, err error) {
	err = s.db.InTx(ctx, func(ctx context.Context) error {
		w, err = scanWebhook(s.db.QueryRow(ctx, "SELECT "+webhookColumns+" FROM webhooks WHERE id = $1"+s.db.Dialect.ForUpdate, id))
		if err != nil {
			return notFound(err, "webhook", id)
		}
		if w.Version != version {
			return dossier.Errorf(dossier.Conflict, "Somebody changed this webhook meanwhile. Look again.")
		}
		if err := change(&w); err != nil {
			return err
		}
		w.Version++
		_, err = s.db.Exec(ctx, `UPDATE webhooks SET url = $2, kinds = $3, apps = $4, enabled = $5, version = $6, sent = $7,
			failures = $8, dropped = $9, next_at = $10 WHERE id = $1`,
			id, w.URL, list(w.Kinds), list(w.Apps), w.Enabled, w.Version, w.Sent, w.Failures, w.Dropped, w.Next)
		return err
	})
	return w, err
}

// SaveDelivery stores how far an address has been told, and that it was switched off.
// What people changed meanwhile stays, and so does what they chose to skip.
func (s *Store) SaveDelivery(ctx context.Context, w records.Webhook) error {
	n, err := s.db.Exec(ctx, `UPDATE webhooks SET sent = CASE WHEN sent > $2 THEN sent ELSE $2 END, failures = $3, next_at = $4,
		last_at = $5, last_note = $6, version = CASE WHEN enabled > $7 THEN version + 1 ELSE version END,
		enabled = CASE WHEN enabled > $7 THEN $7 ELSE enabled END WHERE id = $1`,
		w.ID, w.Sent, w.Failures, w.Next, w.LastAt, w.LastNote, w.Enabled)
	if err != nil {
		return fmt.Errorf("save webhook %s: %w", w.ID, err)
	}
	if n == 0 {
		return dossier.Errorf(dossier.NotFound, "There is no webhook %s.", w.ID)
	}
	return nil
}

// DeleteWebhook forgets an address.
func (s *Store) DeleteWebhook(ctx context.Context, id string) error {
	n, err := s.db.Exec(ctx, "DELETE FROM webhooks WHERE id = $1", id)
	if err != nil {
		return fmt.Errorf("delete webhook %s: %w", id, err)
	}
	if n == 0 {
		return dossier.Errorf(dossier.NotFound, "There is no webhook %s.", id)
	}
	return nil
}

// ClaimWebhook returns an enabled webhook that has events after Sent and whose Next is
// not after now, having set its Next to until so that no other process claims it
// meanwhile. It returns dossier.NotFound if there is none.
func (s *Store) ClaimWebhook(ctx context.Context, now, until time.Time) (w records.Webhook, err error) {
	const waiting = ` FROM webhooks WHERE enabled = 1 AND next_at <= $1 AND sent < $2`
	last, err := s.LastEvent(ctx)
	if err != nil {
		return w, err
	}
	var n int
	if err := s.db.QueryRow(ctx, "SELECT count(*)"+waiting, now, last).Scan(&n); err != nil {
		return w, err
	}
	if n == 0 {
		return w, dossier.Errorf(dossier.NotFound, "No webhook has anything to be told.")
	}
	err = s.db.InTx(ctx, func(ctx context.Context) error {
		w, err = scanWebhook(s.db.QueryRow(ctx, "SELECT "+webhookColumns+waiting+
			" ORDER BY next_at, id LIMIT 1"+s.db.Dialect.SkipLocked, now, last))
		if err != nil {
			return err
		}
		w.Next = until
		_, err = s.db.Exec(ctx, "UPDATE webhooks SET next_at = $2 WHERE id = $1", w.ID, until)
		return err
	})
	return w, err
}
