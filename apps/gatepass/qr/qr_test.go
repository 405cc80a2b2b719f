package qr

import (
	"bytes"
	"crypto/ed25519"
	"encoding/json"
	"image/png"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"dossier/apps/gatepass/pass"
)

var (
	seed   = bytes.Repeat([]byte{7}, ed25519.SeedSize)
	key    = ed25519.NewKeyFromSeed(seed)
	pub    = key.Public().(ed25519.PublicKey)
	other  = ed25519.NewKeyFromSeed(bytes.Repeat([]byte{8}, ed25519.SeedSize))
	now    = time.Date(2026, 11, 16, 10, 0, 0, 0, time.UTC)
	signer = func(m []byte) []byte { return ed25519.Sign(key, m) }
)

func token() Token {
	return Token{Number: "GP-2026-0012", From: now.Add(-time.Hour).Unix(), Until: now.Add(time.Hour).Unix(), Approved: true, Returnable: true, Key: KeyID(pub)}
}

func TestVerify(t *testing.T) {
	t.Parallel()
	change := func(f func(*Token)) string {
		tok := token()
		f(&tok)
		return Sign(tok, signer)
	}
	good := Sign(token(), signer)
	parts := strings.Split(good, ".")
	forged := Sign(token(), func(m []byte) []byte { return ed25519.Sign(other, m) })
	swapped := parts[0] + "." + strings.Split(change(func(t *Token) { t.Number = "GP-2026-0013" }), ".")[1] + "." + parts[2]
	foreign := Sign(token(), func(m []byte) []byte { return ed25519.Sign(key, m[len(domain):]) })
	for name, tt := range map[string]struct {
		text    string
		revoked []string
		at      time.Time
		code    string
	}{
		"G11 good":                        {good, nil, now, "ok"},
		"with spaces around":              {" " + good + "\n", nil, now, "ok"},
		"at the last second":              {good, nil, now.Add(time.Hour), "ok"},
		"expired":                         {good, nil, now.Add(time.Hour + time.Second), "expired"},
		"not yet":                         {good, nil, now.Add(-2 * time.Hour), "not_yet"},
		"G11 revoked":                     {good, []string{"GP-2026-0012"}, now, "revoked"},
		"another one revoked":             {good, []string{"GP-2026-0013"}, now, "ok"},
		"not approved":                    {change(func(t *Token) { t.Approved = false }), nil, now, "not_approved"},
		"G11 signed by someone else":      {forged, nil, now, "forged"},
		"payload of another pass":         {swapped, nil, now, "forged"},
		"signature without the domain":    {foreign, nil, now, "forged"},
		"unknown key":                     {change(func(t *Token) { t.Key = "00000000" }), nil, now, "unknown_key"},
		"not a token":                     {"https://example.org", nil, now, "malformed"},
		"empty":                           {"", nil, now, "malformed"},
		"number in another form":          {change(func(t *Token) { t.Number = "gp-2026-0012" }), nil, now, "malformed"},
		"longer than any code can be":     {good + strings.Repeat("A", 2000), nil, now, "malformed"},
		"signature with the wrong length": {good[:len(good)-4], nil, now, "malformed"},
	} {
		v := Verify(tt.text, []ed25519.PublicKey{pub}, tt.revoked, tt.at)
		if v.Code != tt.code || v.Valid != (tt.code == "ok") || v.Reason == "" {
			t.Errorf("%s: got %+v, want %s", name, v, tt.code)
		}
	}
}

func TestTamperProperty(t *testing.T) {
	t.Parallel()
	good := Sign(token(), signer)
	rapid.Check(t, func(t *rapid.T) {
		at := rapid.IntRange(0, len(good)-1).Draw(t, "at")
		b := []byte(good)
		c := rapid.SampledFrom([]byte("ABCDEFGHIJabcdefghij0123456789-_.")).Draw(t, "c")
		if b[at] == c {
			return
		}
		b[at] = c
		// The last character of unpadded base64 has spare bits, which decode to the same bytes.
		if v := Verify(string(b), []ed25519.PublicKey{pub}, nil, now); v.Valid && at != len(good)-1 {
			t.Fatalf("changed character %d and it still verifies", at)
		}
	})
}

func TestRevocations(t *testing.T) {
	t.Parallel()
	r := SignList([]string{"GP-2026-0002", "GP-2026-0001", "GP-2026-0002"}, pub, signer, now)
	raw, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	var back Revocations
	if err := json.Unmarshal(raw, &back); err != nil {
		t.Fatal(err)
	}
	if err := back.Check([]ed25519.PublicKey{pub}); err != nil {
		t.Errorf("a list that was written and read: %v", err)
	}
	if strings.Join(back.Numbers, " ") != "GP-2026-0001 GP-2026-0002" {
		t.Errorf("numbers: %v", back.Numbers)
	}
	back.Numbers = back.Numbers[:1]
	if back.Check([]ed25519.PublicKey{pub}) == nil {
		t.Error("a shortened list still verifies")
	}
	if r.Check([]ed25519.PublicKey{other.Public().(ed25519.PublicKey)}) == nil {
		t.Error("a list verifies with another key")
	}
}

func TestPNG(t *testing.T) {
	t.Parallel()
	b, err := PNG(Sign(token(), signer), 320)
	if err != nil {
		t.Fatal(err)
	}
	m, err := png.Decode(bytes.NewReader(b))
	if err != nil || m.Bounds().Dx() < 200 || m.Bounds().Dx() > 320 || m.Bounds().Dy() != m.Bounds().Dx() {
		t.Errorf("G-153 QR picture: %v %v", m.Bounds(), err)
	}
	if r, _, _, _ := m.At(1, 1).RGBA(); r != 0xffff {
		t.Error("the code has no quiet border")
	}
}

func FuzzVerify(f *testing.F) {
	f.Add(Sign(token(), signer))
	f.Add("DGP1.e30.AAAA")
	f.Fuzz(func(t *testing.T, s string) {
		v := Verify(s, []ed25519.PublicKey{pub}, nil, now)
		if _, ok := pass.ParseNumber(v.Number); v.Valid && !ok {
			t.Errorf("%q verifies with number %q", s, v.Number)
		}
	})
}
