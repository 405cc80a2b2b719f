package dossier

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strconv"
	"time"
)

// Evidence is one recorded fact. It says what was seen, where and when, and never
// what it means: meaning belongs to a [Finding]. Once appended it does not change;
// a newer look at the same thing is a new entry that supersedes the old one.
type Evidence struct {
	ID      EvidenceID      `json:"id"`
	Case    CaseID          `json:"case"`
	Seq     int             `json:"seq"`    // place in the case's chain, from 1
	Kind    string          `json:"kind"`   // the app's name for it: "employee_shift", "fire_set"
	Source  Source          `json:"source"` // where it came from
	Data    json.RawMessage `json:"data"`   // what was seen, as canonical JSON (RFC 8785)
	Summary string          `json:"summary"`
	Step    StepID          `json:"step"` // the step that collected it; "" if no run did
	At      time.Time       `json:"at"`   // microseconds, UTC

	// Supersedes names an earlier entry that this one contradicts or replaces, where
	// the source's locator alone does not show it.
	Supersedes EvidenceID `json:"supersedes,omitempty"`

	Hash string `json:"hash"` // covers every field above and the previous entry's hash
}

// A Source says where evidence can be seen again.
type Source struct {
	System  string    `json:"system"`  // "roster", "firms.nasa.gov", "outline.md"
	Locator string    `json:"locator"` // URL, key, or file and line within System
	Fetched time.Time `json:"fetched"` // when System was read
}

// SameFact reports whether a and b are looks at the same thing, so that the later
// one replaces the earlier.
func SameFact(a, b Evidence) bool {
	return a.Kind == b.Kind && a.Source.System == b.Source.System && a.Source.Locator == b.Source.Locator
}

// Seal gives e its place after prev and sets its hash. A nil prev starts a chain.
func (e *Evidence) Seal(prev *Evidence) {
	e.Seq = 1
	prevHash := ""
	if prev != nil {
		e.Seq, prevHash = prev.Seq+1, prev.Hash
	}
	e.At = e.At.UTC().Truncate(time.Microsecond)
	e.Source.Fetched = e.Source.Fetched.UTC().Truncate(time.Microsecond)
	e.Hash = e.digest(prevHash)
}

// VerifyChain reports the first entry that does not follow from the one before it.
func VerifyChain(chain []Evidence) error {
	prevHash := ""
	for i := range chain {
		e := &chain[i]
		if e.Seq != i+1 || e.Hash != e.digest(prevHash) {
			return Errorf(Conflict, "Evidence %d of case %s (%s) was altered.", i+1, e.Case, e.ID)
		}
		prevHash = e.Hash
	}
	return nil
}

// digest hashes the fields one per line, each quoted so that no two different
// entries can share a text.
func (e *Evidence) digest(prevHash string) string {
	b := make([]byte, 0, 512+len(e.Data)*2)
	for _, s := range []string{
		"dossier-evidence-1", prevHash, string(e.ID), string(e.Case), strconv.Itoa(e.Seq), e.Kind,
		e.Source.System, e.Source.Locator, stamp(e.Source.Fetched), string(e.Data), e.Summary,
		string(e.Step), stamp(e.At), string(e.Supersedes),
	} {
		b = strconv.AppendQuote(b, s)
		b = append(b, '\n')
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

func stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return strconv.FormatInt(t.UnixMicro(), 10)
}

// Validate reports why e cannot be recorded.
func (e Evidence) Validate() error {
	switch {
	case e.Kind == "":
		return Errorf(Invalid, "Evidence needs a kind.")
	case e.Source.System == "":
		return Errorf(Invalid, "Evidence of kind %s needs a source.", e.Kind)
	case !json.Valid(e.Data):
		return Errorf(Invalid, "Evidence of kind %s does not hold JSON.", e.Kind)
	}
	return nil
}

// NewEvidence returns an unsealed entry that holds data. It panics if data cannot
// be encoded, which only a programmer can mend.
func NewEvidence(kind string, src Source, data any, format string, args ...any) Evidence {
	raw, err := json.Marshal(data)
	if err != nil {
		panic(fmt.Sprintf("evidence %s: %v", kind, err))
	}
	return Evidence{Kind: kind, Source: src, Data: raw, Summary: fmt.Sprintf(format, args...)}
}
