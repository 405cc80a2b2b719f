// Package ledger proves what a case rests on.
//
// Evidence of a case is a chain in which each entry's hash covers the one before.
// At intervals a signed checkpoint covers the ends of all chains that grew. A
// [Bundle] takes one case out of the product with everything needed to check it
// elsewhere: no database, no network, only this file and, for recomputing findings,
// the rules in the binary. The package proves and recomputes; it never changes an
// entry.
package ledger

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"time"

	"dossier"
	"dossier/internal/agent"
	"dossier/internal/canon"
)

// Format names the layout of a bundle.
const Format = "dossier-bundle-1"

// A Bundle is a case with its proof, self-contained.
type Bundle struct {
	Format     string             `json:"format"`
	Exported   time.Time          `json:"exported"`
	Case       dossier.Case       `json:"case"`
	Evidence   []dossier.Evidence `json:"evidence"`
	Findings   []dossier.Finding  `json:"findings"`
	Approvals  []dossier.Approval `json:"approvals"`
	Checkpoint *Checkpoint        `json:"checkpoint,omitempty"` // the newest that covers the case
	Proof      *Proof             `json:"proof,omitempty"`
	Seal       *Seal              `json:"seal,omitempty"` // covers all of the above

	sum string // of the file it was read from
}

// Export returns the bundle of a case, first covering its chain by a checkpoint.
func (l *Ledger) Export(ctx context.Context, id dossier.CaseID) (Bundle, error) {
	c, err := l.Store.Case(ctx, id)
	if err != nil {
		return Bundle{}, err
	}
	if _, _, err := l.Seal(ctx); err != nil {
		return Bundle{}, err
	}
	b := Bundle{Format: Format, Exported: l.Now().UTC(), Case: c}
	// The case may grow meanwhile: what approvals rest on is read after them.
	if b.Approvals, err = l.Store.ApprovalsOf(ctx, id); err != nil {
		return b, err
	}
	if b.Evidence, b.Findings, err = l.Store.Facts(ctx, id); err != nil {
		return b, err
	}
	cp, heads, err := l.Store.Covering(ctx, id)
	if err != nil && dossier.KindOf(err) != dossier.NotFound {
		return b, err
	}
	sortHeads(heads)
	if p, ok := prove(heads, id); ok {
		b.Checkpoint, b.Proof = &cp, &p
	}
	b.complete()
	return b, l.seal(&b)
}

// complete writes lists that are empty as such.
func (b *Bundle) complete() {
	b.Evidence, b.Findings, b.Approvals = list(b.Evidence), list(b.Findings), list(b.Approvals)
	for i, a := range b.Approvals {
		b.Approvals[i].Evidence, b.Approvals[i].Decisions = list(a.Evidence), list(a.Decisions)
	}
	if b.Proof != nil {
		b.Proof.Path = list(b.Proof.Path)
	}
}

func list[T any](v []T) []T {
	if v == nil {
		return []T{}
	}
	return v
}

// Read decodes a bundle and refuses anything else.
func Read(r io.Reader) (Bundle, error) {
	var b Bundle
	raw, err := io.ReadAll(r)
	if err != nil {
		return b, dossier.Errorf(dossier.Invalid, "The bundle cannot be read.").Because(err)
	}
	if err := json.Unmarshal(raw, &b); err != nil {
		return b, dossier.Errorf(dossier.Invalid, "This is not a bundle: %v.", err)
	}
	if b.Format != Format {
		return b, dossier.Errorf(dossier.Invalid, "This file says its format is %q; a bundle says %q.", b.Format, Format)
	}
	if b.sum, err = content(raw); err != nil {
		return b, err
	}
	return b, b.canonical()
}

// canonical puts the JSON that hashes cover back into canonical form: writing a
// bundle for people to read indents it.
func (b *Bundle) canonical() (err error) {
	for i := range b.Evidence {
		if b.Evidence[i].Data, err = canon.JSON(b.Evidence[i].Data); err != nil {
			return err
		}
	}
	for i := range b.Approvals {
		if b.Approvals[i].Args, err = canon.JSON(b.Approvals[i].Args); err != nil {
			return err
		}
	}
	return nil
}

// A Report is what verifying a bundle found.
type Report struct {
	Case     dossier.CaseID `json:"case"`
	OK       bool           `json:"ok"`
	Entries  int            `json:"entries"`
	Problems []string       `json:"problems"` // the first names the first bad entry
	Covered  int            `json:"covered"`  // entries under the signed checkpoint
	Key      string         `json:"key,omitempty"`
	SealedAt time.Time      `json:"sealed_at,omitzero"`
	Checks   []Check        `json:"checks,omitempty"` // findings recomputed, where rules were given
}

// Verify checks a bundle with no database. Key, if not empty, is the public key in
// base64 that the checkpoint must be signed with. Rules, if any, recompute the
// findings.
func Verify(b Bundle, key string, rules []Rule) Report {
	r := Report{Case: b.Case.ID, Entries: len(b.Evidence)}
	bad := func(format string, args ...any) { r.Problems = append(r.Problems, fmt.Sprintf(format, args...)) }
	for _, e := range b.Evidence {
		if e.Case != b.Case.ID {
			bad("Evidence %d (%s) belongs to case %s.", e.Seq, e.ID, e.Case)
			break
		}
	}
	if err := dossier.VerifyChain(b.Evidence); err != nil {
		bad("%s", dossier.Message(err))
	}
	for _, f := range b.Findings {
		if err := f.Validate(); err != nil {
			bad("Finding %s: %s", f.ID, dossier.Message(err))
		}
		for _, id := range f.Cites {
			if !slices.ContainsFunc(b.Evidence, func(e dossier.Evidence) bool { return e.ID == id }) {
				bad("Finding %s cites %s, which is not in the bundle.", f.ID, id)
			}
		}
	}
	for _, a := range b.Approvals {
		if sum, err := agent.Digest(a, b.Evidence); err != nil || sum != a.Digest {
			bad("Approval %s is not bound to this tool, these arguments and this evidence.", a.ID)
		}
	}
	r.checkpoint(b, key, bad)
	if err := b.sealed(key); err != nil {
		bad("%s", dossier.Message(err))
	}
	if rules != nil {
		r.Checks = Recompute(b.Evidence, b.Findings, rules)
		for _, c := range r.Checks {
			if c.Agreement == Differs || c.Agreement == Broken {
				bad("Finding %s on %s: %s", c.Finding.ID, c.Finding.Check, c.Note)
			}
		}
	}
	r.OK = len(r.Problems) == 0
	return r
}

func (r *Report) checkpoint(b Bundle, key string, bad func(string, ...any)) {
	if b.Checkpoint == nil || b.Proof == nil {
		if key != "" {
			bad("The bundle holds no signed checkpoint.")
		}
		return
	}
	cp, p := *b.Checkpoint, *b.Proof
	r.Key, r.SealedAt, r.Covered = cp.Key, cp.At, p.Head.Seq
	if key != "" && key != cp.Key {
		bad("Checkpoint %d is signed with another key than the one given.", cp.Number)
	}
	if err := cp.Verify(); err != nil {
		bad("%s", dossier.Message(err))
	}
	if p.Of != cp.Heads {
		bad("The proof is about %d chains; checkpoint %d covers %d.", p.Of, cp.Number, cp.Heads)
	}
	if err := p.Verify(cp.Root); err != nil {
		bad("%s", dossier.Message(err))
	}
	n := p.Head.Seq
	if p.Head.Case != b.Case.ID || n < 1 || n > len(b.Evidence) || b.Evidence[n-1].Hash != p.Head.Hash {
		bad("The chain is not the one that checkpoint %d covers.", cp.Number)
	}
}

// PublicKey returns the ledger's key as checkpoints carry it.
func (l *Ledger) PublicKey() string { return base64.StdEncoding.EncodeToString(l.Key) }
