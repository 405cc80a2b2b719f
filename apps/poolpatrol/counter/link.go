package counter

import (
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"strings"
	"time"

	"dossier"
)

// linkLasts is how long a rider's link is good for.
const linkLasts = 60 * 24 * time.Hour

// A pass is what a link says.
type pass struct {
	Thread  string `json:"t"`
	Expires int64  `json:"x"` // seconds since 1970
}

// Link returns a rider's own address for documents and corrections below base.
func Link(base string, sign func([]byte) []byte, thread string, now time.Time) (string, error) {
	body, err := json.Marshal(pass{thread, now.Add(linkLasts).Unix()})
	if err != nil {
		return "", err
	}
	enc := base64.RawURLEncoding
	return base + "/poolpatrol/counter/" + enc.EncodeToString(body) + "." + enc.EncodeToString(sign(signed(body))), nil
}

// signed puts a purpose before what is signed, so that a signature made for a link is
// good for nothing else.
func signed(body []byte) []byte { return append([]byte("poolpatrol-counter-1\n"), body...) }

// Thread returns the thread that the token of a link is for.
func Thread(key ed25519.PublicKey, token string, now time.Time) (string, error) {
	refused := dossier.Errorf(dossier.Forbidden, "This link is not valid. Use the newest one from our mail, or reply to it.")
	first, second, ok := strings.Cut(token, ".")
	body, err1 := base64.RawURLEncoding.DecodeString(first)
	sig, err2 := base64.RawURLEncoding.DecodeString(second)
	if !ok || err1 != nil || err2 != nil || !ed25519.Verify(key, signed(body), sig) {
		return "", refused
	}
	var ps pass
	if err := json.Unmarshal(body, &ps); err != nil {
		return "", refused
	}
	if now.Unix() > ps.Expires {
		return "", dossier.Errorf(dossier.Forbidden, "This link has expired. Reply to our mail instead.")
	}
	return ps.Thread, nil
}
