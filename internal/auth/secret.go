package auth

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"log/slog"
)

// A Secret is text that must not be printed or logged. Only encoding it as JSON,
// or converting it to a string, shows it.
type Secret string

const hidden = "[secret]"

// String hides the secret.
func (Secret) String() string { return hidden }

// GoString hides the secret from %#v.
func (Secret) GoString() string { return hidden }

// LogValue hides the secret from structured logs.
func (Secret) LogValue() slog.Value { return slog.StringValue(hidden) }

// newSecret returns 256 random bits as text, after a prefix that says what it is.
func newSecret(prefix string) Secret {
	var b [32]byte
	_, _ = rand.Read(b[:]) // never fails
	return Secret(prefix + base64.RawURLEncoding.EncodeToString(b[:]))
}

// hash is how a random secret is stored. It needs no salt: nobody can list 2^256
// secrets.
func (s Secret) hash() string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:])
}
