// Package canon writes JSON in the one form that everybody gets from the same
// value (RFC 8785), so that a hash over it means something.
//
// Arguments of planned calls and the data of evidence are kept in this form. The
// package does not interpret what it orders.
package canon

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"github.com/gowebpki/jcs"

	"dossier"
)

// JSON returns raw in canonical form. An empty raw is an empty object.
func JSON(raw json.RawMessage) (json.RawMessage, error) {
	if len(raw) == 0 {
		return json.RawMessage("{}"), nil
	}
	out, err := jcs.Transform(raw)
	if err != nil {
		return nil, dossier.Errorf(dossier.Invalid, "This is not JSON.").Because(err)
	}
	return out, nil
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
