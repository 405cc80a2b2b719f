package auth

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"time"

	"dossier"
)

// How many sign-ins may fail within window: from one place for one name, for one
// name from everywhere, and from one place for all names.
const (
	window       = 15 * time.Minute
	perNameHere  = 10
	perName      = 50
	perAddr      = 100
	lockedOutMsg = "Too many failed sign-ins. Wait 15 minutes, or ask an admin for a link."
)

// attemptKeys are what a try counts against. The name is hashed: people type
// passwords into the wrong field.
func attemptKeys(name, addr string) map[string]int {
	sum := sha256.Sum256([]byte(name))
	n := hex.EncodeToString(sum[:16])
	return map[string]int{
		"here/" + n + "/" + addr: perNameHere,
		"name/" + n:              perName,
		"addr/" + addr:           perAddr,
	}
}

// attempt counts a try before it is made, so that many at once count too, and
// refuses it if there were too many.
func (a *Auth) attempt(ctx context.Context, name, addr string) error {
	now := a.cfg.Now()
	for key, limit := range attemptKeys(name, addr) {
		if err := a.cfg.Store.AddAttempt(ctx, key, now); err != nil {
			return err
		}
		n, err := a.cfg.Store.Attempts(ctx, key, now.Add(-window))
		if err != nil {
			return err
		}
		if n > limit {
			return dossier.Errorf(dossier.TooMany, lockedOutMsg)
		}
	}
	return nil
}

// forgive forgets the tries that led to a success. Those of the address stay: they
// may have been for other names.
func (a *Auth) forgive(ctx context.Context, name, addr string) error {
	for key := range attemptKeys(name, addr) {
		if key == "addr/"+addr {
			continue
		}
		if err := a.cfg.Store.ClearAttempts(ctx, key); err != nil {
			return err
		}
	}
	return nil
}
