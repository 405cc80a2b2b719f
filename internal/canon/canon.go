// Package canon writes JSON in the one form that everybody gets from the same
// value (RFC 8785), so that a hash over it means something.
//
// Arguments of planned calls and the data of evidence are kept in this form. The
// package does not interpret what it orders.
package canon

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/gowebpki/jcs"

	"dossier"
)

// JSON returns raw in canonical form. An empty raw is an empty object.
func JSON(raw json.RawMessage) (json.RawMessage, error) {
	if len(raw) == 0 {
		return json.RawMessage("{}"), nil
	}
	out, err := jcs.Transform(bytes.ToValidUTF8(raw, []byte(lost)))
	if err != nil {
		return nil, dossier.Errorf(dossier.Invalid, "This is not JSON.").Because(err)
	}
	return out, nil
}

// lost stands for what cannot be kept.
const lost = "\uFFFD"

// Text returns s in the form that every database keeps and that JSON can carry: bytes
// that are no text, and U+0000, are replaced.
func Text(s string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(s, lost), "\x00", lost)
}

// NUL returns where a string of the JSON in raw holds U+0000, which can only be written
// as an escape and which not every database keeps, or -1.
func NUL(raw []byte) int {
	for i := 0; i < len(raw); i++ {
		if raw[i] != '\\' {
			continue
		}
		if bytes.HasPrefix(raw[i:], []byte(`\u0000`)) {
			return i
		}
		i++ // what is escaped escapes nothing
	}
	return -1
}

// Digest returns the SHA-256 of v's canonical form, in hex.
func Digest(v any) (string, error) {
	raw, err := json.Marshal(v)
	if err != nil {
		return "", fmt.Errorf("encode for digest: %w", err)
	}
	out, err := JSON(raw)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(out)
	return hex.EncodeToString(sum[:]), nil
}
