package store

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"
)

// NewID returns prefix and random hex digits: eight for what people read aloud, sixteen
// for what there can be millions of. Whoever stores an id of eight tries another if it
// is taken.
func NewID(prefix string) string {
	n := 8
	switch prefix {
	case "CASE-", "THREAD-", "MSG-":
		n = 4
	}
	b := make([]byte, n)
	_, _ = rand.Read(b) // never fails
	return prefix + hex.EncodeToString(b)
}

// list encodes a slice for a text column. Nil is an empty list.
func list[T any](v []T) string {
	if len(v) == 0 {
		return "[]"
	}
	raw, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("encode a list of %T: %v", v, err)) // strings only
	}
	return string(raw)
}

// unlist decodes what list encoded.
func unlist[T any](raw string, into *[]T) error {
	*into = nil
	if raw == "" || raw == "[]" {
		return nil
	}
	if err := json.Unmarshal([]byte(raw), into); err != nil {
		return fmt.Errorf("decode a stored list: %w", err)
	}
	return nil
}
