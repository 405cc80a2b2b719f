package auth

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"fmt"
	"strings"
	"unicode/utf8"

	"golang.org/x/crypto/argon2"

	"dossier"
)

// A Cost says how much work one password takes. The zero Cost is the default.
type Cost struct {
	Memory  uint32 // KiB
	Passes  uint32
	Threads uint8
}

// defaultCost takes about 50 ms and 46 MiB on one core.
var defaultCost = Cost{Memory: 46 * 1024, Passes: 1, Threads: 1}

const (
	minPassword = 10
	maxPassword = 256
	saltLen     = 16
	keyLen      = 32
)

// A hasher makes and checks passwords, one at a time: each takes much memory, and many
// at once would take all of it.
type hasher struct {
	cost Cost
	slot chan struct{}
}

func newHasher(c Cost) *hasher {
	if c == (Cost{}) {
		c = defaultCost
	}
	return &hasher{cost: c, slot: make(chan struct{}, 1)}
}

// hash returns p in argon2id's usual text form.
func (h *hasher) hash(ctx context.Context, p Secret) (string, error) {
	switch n := utf8.RuneCountInString(string(p)); {
	case n < minPassword:
		return "", dossier.Errorf(dossier.Invalid, "A password needs at least %d characters.", minPassword)
	case len(p) > maxPassword:
		return "", dossier.Errorf(dossier.Invalid, "A password can have at most %d characters.", maxPassword)
	}
	release, err := h.enter(ctx)
	if err != nil {
		return "", err
	}
	defer release()
	return h.encode(p), nil
}

func (h *hasher) encode(p Secret) string {
	var salt [saltLen]byte
	_, _ = rand.Read(salt[:]) // never fails
	key := argon2.IDKey([]byte(p), salt[:], h.cost.Passes, h.cost.Memory, h.cost.Threads, keyLen)
	b64 := base64.RawStdEncoding.EncodeToString
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s",
		argon2.Version, h.cost.Memory, h.cost.Passes, h.cost.Threads, b64(salt[:]), b64(key))
}

// check reports whether p is the password that encoded was made from. An empty
// encoded takes as long as any other and fits nothing.
func (h *hasher) check(ctx context.Context, encoded string, p Secret) (bool, error) {
	if len(p) > maxPassword {
		return false, nil
	}
	c, salt, key := h.cost, make([]byte, saltLen), make([]byte, keyLen)
	if encoded != "" {
		var err error
		if c, salt, key, err = decodePassword(encoded); err != nil {
			return false, err
		}
	}
	release, err := h.enter(ctx)
	if err != nil {
		return false, err
	}
	defer release()
	got := argon2.IDKey([]byte(p), salt, c.Passes, c.Memory, c.Threads, uint32(len(key)))
	return subtle.ConstantTimeCompare(got, key) == 1 && encoded != "", nil
}

func (h *hasher) enter(ctx context.Context) (func(), error) {
	select {
	case h.slot <- struct{}{}:
		return func() { <-h.slot }, nil
	case <-ctx.Done():
		return nil, dossier.Errorf(dossier.Unavailable, "Too many people are signing in at once. Try again.").Because(ctx.Err())
	}
}

func decodePassword(s string) (c Cost, salt, key []byte, err error) {
	parts := strings.Split(s, "$")
	if len(parts) != 6 || parts[1] != "argon2id" {
		return c, nil, nil, fmt.Errorf("stored password is not argon2id")
	}
	var version int
	if _, err := fmt.Sscanf(parts[2], "v=%d", &version); err != nil || version != argon2.Version {
		return c, nil, nil, fmt.Errorf("stored password has argon2 version %q", parts[2])
	}
	if _, err := fmt.Sscanf(parts[3], "m=%d,t=%d,p=%d", &c.Memory, &c.Passes, &c.Threads); err != nil {
		return c, nil, nil, fmt.Errorf("stored password has no cost: %w", err)
	}
	if salt, err = base64.RawStdEncoding.DecodeString(parts[4]); err != nil {
		return c, nil, nil, fmt.Errorf("stored password's salt: %w", err)
	}
	if key, err = base64.RawStdEncoding.DecodeString(parts[5]); err != nil || len(key) == 0 {
		return c, nil, nil, fmt.Errorf("stored password's key: %w", err)
	}
	return c, salt, key, nil
}
