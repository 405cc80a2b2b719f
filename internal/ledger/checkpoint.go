package ledger

import (
	"context"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"dossier"
	"dossier/internal/canon"
)

// A Head is the end of a case's chain: how many entries it has and the hash of the
// last, which covers all before it.
type Head struct {
	Case dossier.CaseID `json:"case"`
	Seq  int            `json:"seq"`
	Hash string         `json:"hash"`
}

// A Checkpoint is signed proof of what every chain that grew since the checkpoint
// before it looked like at one moment. Prev ties it to that one, so the newest
// checkpoint covers all of them.
type Checkpoint struct {
	Number int       `json:"number"` // from 1
	At     time.Time `json:"at"`
	Prev   string    `json:"prev"` // digest of the checkpoint before; "" for the first
	Heads  int       `json:"heads"`
	Root   string    `json:"root"` // Merkle root over the heads, ordered by case
	Key    string    `json:"key"`  // ed25519 public key, base64
	Sig    string    `json:"sig"`  // over the digest, base64
}

// Digest returns what the signature covers.
func (c Checkpoint) Digest() (string, error) {
	c.Sig = ""
	return canon.Digest(c)
}

// Verify reports whether the signature holds.
func (c Checkpoint) Verify() error {
	key, err := base64.StdEncoding.Strict().DecodeString(c.Key)
	if err != nil || len(key) != ed25519.PublicKeySize {
		return dossier.Errorf(dossier.Conflict, "Checkpoint %d has no usable key.", c.Number)
	}
	sig, err := base64.StdEncoding.Strict().DecodeString(c.Sig)
	if err != nil {
		return dossier.Errorf(dossier.Conflict, "Checkpoint %d has no usable signature.", c.Number)
	}
	sum, err := c.Digest()
	if err != nil {
		return err
	}
	if !ed25519.Verify(key, []byte(sum), sig) {
		return dossier.Errorf(dossier.Conflict, "The signature of checkpoint %d does not hold.", c.Number)
	}
	return nil
}

// A Store keeps checkpoints and reads what they cover.
type Store interface {
	Case(ctx context.Context, id dossier.CaseID) (dossier.Case, error)
	// Facts returns a case's evidence chain and findings, each in order.
	Facts(ctx context.Context, id dossier.CaseID) ([]dossier.Evidence, []dossier.Finding, error)
	// ApprovalsOf returns the approvals of a case, oldest first.
	ApprovalsOf(ctx context.Context, id dossier.CaseID) ([]dossier.Approval, error)
	// Uncovered returns the heads of all chains that grew since they were last covered.
	Uncovered(ctx context.Context) ([]Head, error)
	// AddCheckpoint saves a checkpoint with the heads it covers. It returns
	// dossier.Conflict if the number is taken.
	AddCheckpoint(ctx context.Context, c Checkpoint, heads []Head) error
	// Checkpoints returns the newest checkpoints, newest first.
	Checkpoints(ctx context.Context, limit int) ([]Checkpoint, error)
	// Covering returns the newest checkpoint that covers a case, with its heads, or
	// dossier.NotFound.
	Covering(ctx context.Context, id dossier.CaseID) (Checkpoint, []Head, error)
}

// A Ledger seals, exports and verifies what a store holds.
type Ledger struct {
	Store Store
	Now   func() time.Time
	Sign  func(message []byte) []byte
	Key   ed25519.PublicKey
}

// Seal makes a checkpoint of everything that is not covered yet. It returns false if
// there is nothing to cover, or if another process was first.
func (l *Ledger) Seal(ctx context.Context) (Checkpoint, bool, error) {
	heads, err := l.Store.Uncovered(ctx)
	if err != nil || len(heads) == 0 {
		return Checkpoint{}, false, err
	}
	last, err := l.Store.Checkpoints(ctx, 1)
	if err != nil {
		return Checkpoint{}, false, err
	}
	sortHeads(heads)
	c := Checkpoint{
		Number: 1, At: l.Now().UTC().Truncate(time.Microsecond), Heads: len(heads), Root: root(leaves(heads)),
		Key: base64.StdEncoding.EncodeToString(l.Key),
	}
	if len(last) > 0 {
		c.Number = last[0].Number + 1
		if c.Prev, err = last[0].Digest(); err != nil {
			return c, false, err
		}
	}
	sum, err := c.Digest()
	if err != nil {
		return c, false, err
	}
	c.Sig = base64.StdEncoding.EncodeToString(l.Sign([]byte(sum)))
	if err := l.Store.AddCheckpoint(ctx, c, heads); err != nil {
		if dossier.KindOf(err) == dossier.Conflict {
			return Checkpoint{}, false, nil
		}
		return c, false, err
	}
	return c, true, nil
}

func sortHeads(heads []Head) {
	slices.SortFunc(heads, func(a, b Head) int { return strings.Compare(string(a.Case), string(b.Case)) })
}

// The tree is that of RFC 6962: leaves and inner nodes are hashed with different
// prefixes, so that neither can be taken for the other.
func leaves(heads []Head) [][]byte {
	out := make([][]byte, len(heads))
	for i, h := range heads {
		raw, err := json.Marshal(h)
		if err != nil {
			panic(fmt.Sprintf("encode head: %v", err)) // three plain fields
		}
		sum := sha256.Sum256(append([]byte{0}, raw...))
		out[i] = sum[:]
	}
	return out
}

func node(left, right []byte) []byte {
	sum := sha256.Sum256(slices.Concat([]byte{1}, left, right))
	return sum[:]
}

func root(level [][]byte) string { return hex.EncodeToString(subtree(level)) }

func subtree(level [][]byte) []byte {
	if len(level) == 1 {
		return level[0]
	}
	k := split(len(level))
	return node(subtree(level[:k]), subtree(level[k:]))
}

// mostHeads is more chains than any checkpoint covers. A file may claim any number.
const mostHeads = 1 << 32

// split returns the largest power of two below n.
func split(n int) int {
	k := 1
	for k*2 < n {
		k *= 2
	}
	return k
}

// A Proof shows that a head is under a checkpoint's root.
type Proof struct {
	Head  Head     `json:"head"`
	Index int      `json:"index"`
	Of    int      `json:"of"`
	Path  []string `json:"path"` // sibling hashes from the leaf up, hex
}

func prove(heads []Head, id dossier.CaseID) (Proof, bool) {
	i := slices.IndexFunc(heads, func(h Head) bool { return h.Case == id })
	if i < 0 {
		return Proof{}, false
	}
	p := Proof{Head: heads[i], Index: i, Of: len(heads)}
	for _, sib := range path(leaves(heads), i) {
		p.Path = append(p.Path, hex.EncodeToString(sib))
	}
	return p, true
}

func path(level [][]byte, i int) [][]byte {
	if len(level) == 1 {
		return nil
	}
	k := split(len(level))
	if i < k {
		return append(path(level[:k], i), subtree(level[k:]))
	}
	return append(path(level[k:], i-k), subtree(level[:k]))
}

// Verify reports whether the proof leads to the root.
func (p Proof) Verify(want string) error {
	bad := dossier.Errorf(dossier.Conflict, "The proof does not lead from the chain of %s to the checkpoint.", p.Head.Case)
	var sibs [][]byte
	for _, h := range p.Path {
		raw, err := hex.DecodeString(h)
		if err != nil {
			return bad
		}
		sibs = append(sibs, raw)
	}
	if p.Index < 0 || p.Index >= p.Of || p.Of > mostHeads {
		return bad
	}
	got, rest := climb(leaves([]Head{p.Head})[0], p.Index, p.Of, sibs)
	if len(rest) != 0 || hex.EncodeToString(got) != want {
		return bad
	}
	return nil
}

// climb recomputes the root of a tree of n leaves from leaf i and its siblings, and
// returns the siblings it did not need.
func climb(leaf []byte, i, n int, sibs [][]byte) (sum []byte, rest [][]byte) {
	if n == 1 {
		return leaf, sibs
	}
	k := split(n)
	if i < k {
		sum, rest = climb(leaf, i, k, sibs)
	} else {
		sum, rest = climb(leaf, i-k, n-k, sibs)
	}
	if len(rest) == 0 {
		return nil, nil
	}
	if i < k {
		return node(sum, rest[0]), rest[1:]
	}
	return node(rest[0], sum), rest[1:]
}
