package office

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"
	"unicode/utf8"

	"dossier"
	"dossier/apps/gatepass/pass"
)

// maxKey is how long an idempotency key may be.
const maxKey = 200

// Once runs do, in a transaction, for the first request of who's with this key, and
// gives every later one the first one's answer. Of two at the same time, one waits for
// the other. A request that fails leaves the key free. Without a key, do simply runs.
func Once[T any](ctx context.Context, o *Office, who dossier.Principal, key string, request any, do func(context.Context) (T, error)) (T, error) {
	var out T
	if key == "" {
		return do(ctx)
	}
	if len(key) > maxKey || !utf8.ValidString(key) {
		return out, Invalid(pass.FieldError{Field: "Idempotency-Key", Rule: fmt.Sprintf("must have at most %d characters", maxKey)})
	}
	raw, err := json.Marshal(request)
	if err != nil {
		return out, fmt.Errorf("encode request: %w", err)
	}
	sum := sha256.Sum256(raw)
	digest := hex.EncodeToString(sum[:])
	err = o.DB.InTx(ctx, func(ctx context.Context) error {
		fresh, err := o.take(ctx, who, key, digest)
		if err != nil {
			return err
		}
		if !fresh {
			return o.replay(ctx, who, key, digest, &out)
		}
		if out, err = do(ctx); err != nil {
			return err
		}
		answer, err := json.Marshal(out)
		if err != nil {
			return fmt.Errorf("encode answer: %w", err)
		}
		_, err = o.DB.Exec(ctx, `UPDATE gatepass_requests SET status = 200, body = $1 WHERE principal = $2 AND request_key = $3`, string(answer), who.ID, key)
		if err != nil {
			return fmt.Errorf("keep answer: %w", err)
		}
		return nil
	})
	return out, err
}

// take claims a key of who's for this transaction, and reports whether it was free. If
// another transaction holds it, take waits for that one's end.
func (o *Office) take(ctx context.Context, who dossier.Principal, key, digest string) (bool, error) {
	fresh, err := o.DB.Exec(ctx, `INSERT INTO gatepass_requests (principal, request_key, digest, status, body, at)
		VALUES ($1, $2, $3, 0, '', $4) ON CONFLICT (principal, request_key) DO NOTHING`, who.ID, key, digest, micros(o.Now()))
	if err != nil {
		return false, fmt.Errorf("take idempotency key: %w", err)
	}
	return fresh == 1, nil
}

func (o *Office) replay(ctx context.Context, who dossier.Principal, key, digest string, out any) error {
	var first, body string
	err := o.DB.QueryRow(ctx, `SELECT digest, body FROM gatepass_requests WHERE principal = $1 AND request_key = $2`, who.ID, key).Scan(&first, &body)
	switch {
	case errors.Is(err, dossier.NotFound):
		return problem(http.StatusConflict, "", "Another request with the same Idempotency-Key is being carried out. Try again in a moment.")
	case err != nil:
		return fmt.Errorf("read idempotency key: %w", err)
	case first != digest:
		return problem(http.StatusConflict, "", "The Idempotency-Key was used for another request. Use a new one for each request.")
	}
	if err := json.Unmarshal([]byte(body), out); err != nil {
		return fmt.Errorf("decode kept answer: %w", err)
	}
	return nil
}

// Sweep forgets the idempotency keys that nobody will ask for again.
func (o *Office) Sweep(ctx context.Context) error {
	before := micros(o.Now().Add(-7 * 24 * time.Hour))
	if _, err := o.DB.Exec(ctx, `DELETE FROM gatepass_requests WHERE at < $1`, before); err != nil {
		return fmt.Errorf("forget requests: %w", err)
	}
	return nil
}
