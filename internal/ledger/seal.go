package ledger

import (
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"

	"dossier"
	"dossier/internal/canon"
)

// A Seal is the signature over a whole bundle: also over what no hash chain covers,
// such as the case's title, an agent's reasons and who decided what.
type Seal struct {
	Key string `json:"key"` // ed25519 public key, base64
	Sig string `json:"sig"` // over the bundle's content in canonical form, base64
}

// content returns the digest of what a bundle says, without its seal. Only what RFC
// 8785 takes for the same JSON has the same digest: white space and the ways to write
// one character or one number do not matter, everything else does.
func content(raw []byte) (string, error) {
	var parts map[string]json.RawMessage
	if err := json.Unmarshal(raw, &parts); err != nil {
		return "", dossier.Errorf(dossier.Invalid, "This is not a bundle: %v.", err)
	}
	delete(parts, "seal")
	return canon.Digest(parts)
}

// UnmarshalJSON implements json.Unmarshaler. A seal is written in one way only.
func (s *Seal) UnmarshalJSON(raw []byte) error {
	type plain Seal
	if err := json.Unmarshal(raw, (*plain)(s)); err != nil {
		return err
	}
	read, err := canon.JSON(raw)
	if err != nil {
		return err
	}
	if again, err := json.Marshal(s); err != nil || string(again) != string(read) {
		return errors.New("its seal is not one")
	}
	return nil
}

// sealText is what a seal's signature covers.
func sealText(sum string) []byte { return []byte(Format + "\n" + sum) }

func (l *Ledger) seal(b *Bundle) error {
	raw, err := json.Marshal(b)
	if err != nil {
		return fmt.Errorf("encode bundle: %w", err)
	}
	sum, err := content(raw)
	if err != nil {
		return err
	}
	b.sum = sum
	b.Seal = &Seal{Key: l.PublicKey(), Sig: base64.StdEncoding.EncodeToString(l.Sign(sealText(sum)))}
	return nil
}

// sealed reports why the bundle as a whole cannot be trusted. One without a seal can be
// altered where no chain covers it.
func (b *Bundle) sealed(key string) error {
	if b.Seal == nil {
		return dossier.Errorf(dossier.Conflict, "The bundle as a whole is not signed.")
	}
	if key != "" && key != b.Seal.Key {
		return dossier.Errorf(dossier.Conflict, "The bundle is signed with another key than the one given.")
	}
	pub, err := base64.StdEncoding.Strict().DecodeString(b.Seal.Key)
	if err != nil || len(pub) != ed25519.PublicKeySize {
		return dossier.Errorf(dossier.Conflict, "The bundle's signature has no usable key.")
	}
	sig, err := base64.StdEncoding.Strict().DecodeString(b.Seal.Sig)
	if err != nil || !ed25519.Verify(pub, sealText(b.sum), sig) {
		return dossier.Errorf(dossier.Conflict, "The bundle was altered after it was exported: its signature does not hold.")
	}
	return nil
}
