// Package qr makes and checks what a gate pass's QR code says.
//
// The code holds a token: the pass number, from when until when it holds, whether the
// pass had been approved when the code was made, the id of the key, and an ed25519
// signature over all of it. A gate that knows the public key checks a token without
// the server; what was withdrawn since is in a signed revocation list that the gate
// fetched last. A token is never a permission by itself: the server checks the
// pass's state again when the scan arrives, or when a queued scan is synced.
package qr

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"image"
	"image/png"
	"slices"
	"strings"
	"time"

	"github.com/boombuler/barcode/qr"

	"dossier"
	"dossier/apps/gatepass/pass"
)

// prefix names the form of the token; domain keeps a signature made for a token from
// being one for anything else the product signs.
const (
	prefix     = "DGP1"
	domain     = "dossier-gatepass-qr-1\n"
	listDomain = "dossier-gatepass-revoked-1\n"
)

// A Token is what a QR code says.
type Token struct {
	Number     string `json:"n"`
	From       int64  `json:"f"` // Unix seconds
	Until      int64  `json:"u"` // Unix seconds
	Approved   bool   `json:"a"`
	Returnable bool   `json:"r"`
	Key        string `json:"k"`
}

// A Signer signs a message with the product's key.
type Signer func(message []byte) []byte

// KeyID names a public key by its content.
func KeyID(pub ed25519.PublicKey) string {
	sum := sha256.Sum256(pub)
	return hex.EncodeToString(sum[:4])
}

var b64 = base64.RawURLEncoding

// Sign writes t as the text of a QR code.
func Sign(t Token, sign Signer) string {
	body, err := json.Marshal(t)
	if err != nil {
		panic("encode token: " + err.Error()) // a struct of plain fields always encodes
	}
	payload := b64.EncodeToString(body)
	return prefix + "." + payload + "." + b64.EncodeToString(sign([]byte(domain+payload)))
}

// A Verdict is what a gate may know from a token alone.
type Verdict struct {
	Valid  bool   `json:"valid"`
	Reason string `json:"reason"` // a sentence for whoever stands at the gate
	Code   string `json:"code"`   // "ok", "malformed", "unknown_key", "forged", "not_yet", "expired", "revoked", "not_approved"
	Token  Token  `json:"token,omitzero"`
	Number string `json:"pass_number,omitempty"`
}

// Verify checks text at now, against the keys a gate trusts and the pass numbers that
// were revoked. It needs no server.
func Verify(text string, keys []ed25519.PublicKey, revoked []string, now time.Time) Verdict {
	t, payload, sig, ok := parse(text)
	if !ok {
		return Verdict{Code: "malformed", Reason: "This is not the QR code of a gate pass."}
	}
	i := slices.IndexFunc(keys, func(k ed25519.PublicKey) bool { return KeyID(k) == t.Key })
	if i < 0 {
		return Verdict{Code: "unknown_key", Reason: "The code was signed with a key this gate does not know. Sync the gate and scan again."}
	}
	if !ed25519.Verify(keys[i], []byte(domain+payload), sig) {
		return Verdict{Code: "forged", Reason: "The signature does not fit: the code was not made by the pass office. Do not let the person through."}
	}
	v := Verdict{Token: t, Number: t.Number}
	switch {
	case slices.Contains(revoked, t.Number):
		v.Code, v.Reason = "revoked", "Pass "+t.Number+" was withdrawn. Do not let the person through."
	case !t.Approved:
		v.Code, v.Reason = "not_approved", "Pass "+t.Number+" was not approved when this code was made. Ask for a fresh print."
	case now.Unix() < t.From:
		v.Code, v.Reason = "not_yet", "Pass "+t.Number+" does not hold yet."
	case now.Unix() > t.Until:
		v.Code, v.Reason = "expired", "Pass "+t.Number+" has expired. Ask for a new pass."
	default:
		v.Valid, v.Code, v.Reason = true, "ok", "Pass "+t.Number+" is genuine and holds now."
	}
	return v
}

// Read returns the token in text without checking its signature.
func Read(text string) (Token, bool) {
	t, _, _, ok := parse(text)
	return t, ok
}

func parse(text string) (t Token, payload string, sig []byte, ok bool) {
	parts := strings.Split(strings.TrimSpace(text), ".")
	if len(text) > 1024 || len(parts) != 3 || parts[0] != prefix {
		return t, "", nil, false
	}
	body, err1 := b64.DecodeString(parts[1])
	sig, err2 := b64.DecodeString(parts[2])
	if err1 != nil || err2 != nil || len(sig) != ed25519.SignatureSize || json.Unmarshal(body, &t) != nil {
		return t, "", nil, false
	}
	if n, good := pass.ParseNumber(t.Number); !good || n != t.Number {
		return t, "", nil, false
	}
	return t, parts[1], sig, true
}

// A Revocations is the list of passes whose codes must not open a gate any more.
// It holds only numbers whose codes would otherwise still hold.
type Revocations struct {
	Issued  time.Time `json:"issued"`
	Key     string    `json:"key"`
	Numbers []string  `json:"numbers"`
	Sig     string    `json:"sig"`
}

// SignList signs a list of revoked numbers.
func SignList(numbers []string, pub ed25519.PublicKey, sign Signer, now time.Time) Revocations {
	slices.Sort(numbers)
	r := Revocations{Issued: now.UTC().Truncate(time.Second), Key: KeyID(pub), Numbers: slices.Compact(numbers)}
	if r.Numbers == nil {
		r.Numbers = []string{}
	}
	r.Sig = b64.EncodeToString(sign(r.message()))
	return r
}

// message is what the signature covers: plain lines that a browser can write too.
func (r Revocations) message() []byte {
	var b bytes.Buffer
	b.WriteString(listDomain + r.Issued.UTC().Format(time.RFC3339) + "\n" + r.Key + "\n")
	for _, n := range r.Numbers {
		b.WriteString(n + "\n")
	}
	return b.Bytes()
}

// Check reports whether one of keys signed r.
func (r Revocations) Check(keys []ed25519.PublicKey) error {
	sig, err := b64.DecodeString(r.Sig)
	if err == nil {
		for _, k := range keys {
			if KeyID(k) == r.Key && ed25519.Verify(k, r.message(), sig) {
				return nil
			}
		}
	}
	return dossier.Errorf(dossier.Invalid, "The revocation list was not signed by the pass office. Sync the gate again.")
}

// quiet is the blank border that readers need, in modules.
const quiet = 4

// PNG draws text as a QR code of at most side pixels, with its quiet border.
func PNG(text string, side int) ([]byte, error) {
	code, err := qr.Encode(text, qr.M, qr.Auto)
	if err != nil {
		return nil, dossier.Errorf(dossier.Internal, "The QR code could not be drawn.").Because(err)
	}
	n := code.Bounds().Dx()
	scale := max(1, side/(n+2*quiet))
	m := image.NewGray(image.Rect(0, 0, scale*(n+2*quiet), scale*(n+2*quiet)))
	for i := range m.Pix {
		x, y := (i%m.Stride)/scale-quiet, (i/m.Stride)/scale-quiet
		m.Pix[i] = 0xff
		if x >= 0 && y >= 0 && x < n && y < n {
			if r, _, _, _ := code.At(x, y).RGBA(); r == 0 {
				m.Pix[i] = 0
			}
		}
	}
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		return nil, dossier.Errorf(dossier.Internal, "The QR code could not be drawn.").Because(err)
	}
	return b.Bytes(), nil
}
