package ledger

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"dossier"
	"dossier/internal/agent"
	"dossier/internal/canon"
)

var now = time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)

// A memory keeps cases and checkpoints for the tests of this package.
type memory struct {
	chains    map[dossier.CaseID][]dossier.Evidence
	found     map[dossier.CaseID][]dossier.Finding
	approvals map[dossier.CaseID][]dossier.Approval
	covered   map[dossier.CaseID]int
	points    []Checkpoint
	heads     [][]Head
}

func (m *memory) Case(_ context.Context, id dossier.CaseID) (dossier.Case, error) {
	return dossier.Case{ID: id, App: "test", Subject: "s"}, nil
}

func (m *memory) Facts(_ context.Context, id dossier.CaseID) ([]dossier.Evidence, []dossier.Finding, error) {
	return m.chains[id], m.found[id], nil
}

func (m *memory) ApprovalsOf(_ context.Context, id dossier.CaseID) ([]dossier.Approval, error) {
	return m.approvals[id], nil
}

func (m *memory) Uncovered(context.Context) ([]Head, error) {
	var out []Head
	for id, chain := range m.chains {
		if n := len(chain); n > m.covered[id] {
			out = append(out, Head{id, n, chain[n-1].Hash})
		}
	}
	return out, nil
}

func (m *memory) AddCheckpoint(_ context.Context, c Checkpoint, heads []Head) error {
	m.points = append(m.points, c)
	m.heads = append(m.heads, heads)
	for _, h := range heads {
		m.covered[h.Case] = h.Seq
	}
	return nil
}

func (m *memory) Checkpoints(context.Context, int) ([]Checkpoint, error) {
	if len(m.points) == 0 {
		return nil, nil
	}
	return m.points[len(m.points)-1:], nil
}

func (m *memory) Covering(_ context.Context, id dossier.CaseID) (Checkpoint, []Head, error) {
	for i := len(m.points) - 1; i >= 0; i-- {
		for _, h := range m.heads[i] {
			if h.Case == id {
				return m.points[i], m.heads[i], nil
			}
		}
	}
	return Checkpoint{}, nil, dossier.Errorf(dossier.NotFound, "no checkpoint")
}

type reading struct {
	N int `json:"n"`
}

// doubled is a rule: it passes if n is at least 10 and says twice n.
func doubled(version string, factor int) Rule {
	return Rule{Name: "double", Version: version, Apply: func(cited []dossier.Evidence) (dossier.Finding, error) {
		var r reading
		if err := json.Unmarshal(cited[0].Data, &r); err != nil {
			return dossier.Finding{}, dossier.Errorf(dossier.Invalid, "The reading has no number.")
		}
		f := dossier.Finding{Check: "double", Verdict: dossier.Fail, By: "rule/double@" + version}
		if r.N >= 10 {
			f.Verdict = dossier.Pass
		}
		f.Figures, _ = json.Marshal(map[string]int{"double": factor * r.N})
		f.Reason = fmt.Sprintf("Twice %d is %d.", r.N, factor*r.N)
		return f, nil
	}}
}

func setup(t *testing.T, cases, entries int) (*Ledger, *memory) {
	t.Helper()
	pub, priv, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	m := &memory{
		chains: map[dossier.CaseID][]dossier.Evidence{}, found: map[dossier.CaseID][]dossier.Finding{},
		approvals: map[dossier.CaseID][]dossier.Approval{}, covered: map[dossier.CaseID]int{},
	}
	for i := range cases {
		id := dossier.CaseID(fmt.Sprintf("CASE-%08x", i))
		for j := range entries {
			grow(m, id, i+j)
		}
		f, err := doubled("1", 2).Apply(m.chains[id][:1])
		if err != nil {
			t.Fatal(err)
		}
		f.ID, f.Case, f.Cites = "fi-1", id, []dossier.EvidenceID{m.chains[id][0].ID}
		m.found[id] = []dossier.Finding{f}
		a := dossier.Approval{ID: "ap-1", Tool: "act", Args: json.RawMessage(`{"a":1}`), Evidence: f.Cites}
		if a.Digest, err = agent.Digest(a, m.chains[id]); err != nil {
			t.Fatal(err)
		}
		m.approvals[id] = []dossier.Approval{a}
	}
	return &Ledger{
		Store: m, Now: func() time.Time { return now }, Key: pub,
		Sign: func(msg []byte) []byte { return ed25519.Sign(priv, msg) },
	}, m
}

func grow(m *memory, id dossier.CaseID, n int) {
	chain := m.chains[id]
	e := dossier.NewEvidence("reading", dossier.Source{System: "meter", Locator: fmt.Sprint(len(chain))}, reading{n}, "read %d", n)
	e.ID, e.Case, e.At = dossier.EvidenceID(fmt.Sprintf("ev-%s-%d", id, len(chain))), id, now
	var prev *dossier.Evidence
	if len(chain) > 0 {
		prev = &chain[len(chain)-1]
	}
	e.Seal(prev)
	m.chains[id] = append(chain, e)
}

// file is an exported bundle as it is written.
func file(t *testing.T, l *Ledger, id dossier.CaseID) []byte {
	t.Helper()
	b, err := l.Export(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := json.MarshalIndent(b, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// export writes a bundle and reads it back, as another machine would.
func export(t *testing.T, l *Ledger, id dossier.CaseID) Bundle {
	t.Helper()
	raw := file(t, l, id)
	got, err := Read(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func TestBundleVerifiesElsewhere(t *testing.T) {
	t.Parallel()
	for _, cases := range []int{1, 2, 3, 7, 8, 33} {
		l, m := setup(t, cases, 3)
		for id := range m.chains {
			b := export(t, l, id)
			r := Verify(b, l.PublicKey(), []Rule{doubled("1", 2)})
			if !r.OK || r.Covered != 3 || len(r.Checks) != 1 || r.Checks[0].Agreement != Agrees {
				t.Fatalf("%d cases, %s: %+v", cases, id, r)
			}
		}
	}
}

func TestEveryTamperingIsNamed(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		tamper func(*Bundle)
		want   string
	}{
		"data":          {func(b *Bundle) { b.Evidence[1].Data = json.RawMessage(`{"n":99}`) }, "Evidence 2 of case CASE-00000001"},
		"summary":       {func(b *Bundle) { b.Evidence[0].Summary = "read 99" }, "Evidence 1 of case"},
		"source":        {func(b *Bundle) { b.Evidence[2].Source.Locator = "elsewhere" }, "Evidence 3 of case"},
		"time":          {func(b *Bundle) { b.Evidence[2].At = now.Add(time.Hour) }, "Evidence 3 of case"},
		"entry removed": {func(b *Bundle) { b.Evidence = append(b.Evidence[:1], b.Evidence[2:]...) }, "Evidence 2 of case"},
		"tail removed":  {func(b *Bundle) { b.Evidence = b.Evidence[:2] }, "The chain is not the one that checkpoint"},
		"rehashed": {func(b *Bundle) {
			b.Evidence[1].Data = json.RawMessage(`{"n":99}`)
			b.Evidence[1].Seal(&b.Evidence[0])
			b.Evidence[2].Seal(&b.Evidence[1])
		}, "The chain is not the one that checkpoint"},
		"verdict":        {func(b *Bundle) { b.Findings[0].Verdict = dossier.Pass }, "Recorded pass, recomputed fail."},
		"figures":        {func(b *Bundle) { b.Findings[0].Figures = json.RawMessage(`{"double":3}`) }, "Recorded figures"},
		"cites nothing":  {func(b *Bundle) { b.Findings[0].Cites = nil }, "cites no evidence"},
		"approval args":  {func(b *Bundle) { b.Approvals[0].Args = json.RawMessage(`{"a":2}`) }, "Approval ap-1 is not bound"},
		"checkpoint":     {func(b *Bundle) { b.Checkpoint.At = now.Add(time.Hour) }, "The signature of checkpoint 1 does not hold."},
		"checkpoint key": {func(b *Bundle) { b.Checkpoint.Key = base64.StdEncoding.EncodeToString(make([]byte, 32)) }, "another key"},
		"proof":          {func(b *Bundle) { b.Proof.Path = b.Proof.Path[1:] }, "The proof does not lead"},
		"no checkpoint":  {func(b *Bundle) { b.Checkpoint = nil }, "no signed checkpoint"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l, _ := setup(t, 5, 3)
			b := export(t, l, "CASE-00000001")
			c.tamper(&b)
			r := Verify(b, l.PublicKey(), []Rule{doubled("1", 2)})
			if r.OK || !strings.Contains(strings.Join(r.Problems, " "), c.want) {
				t.Errorf("got %q, want %q", r.Problems, c.want)
			}
		})
	}
}

// TestEveryFlippedByteIsFound flips the lowest bit of each byte of a bundle's file in
// turn, and the one that makes a small letter of a capital. With no key to compare with
// and no rules to recompute with, the only flips that may stay unnoticed are those
// after which the file says the same: white space for other white space.
func TestEveryFlippedByteIsFound(t *testing.T) {
	t.Parallel()
	l, _ := setup(t, 2, 1)
	raw := file(t, l, "CASE-00000001")
	same, err := canon.JSON(raw)
	if err != nil {
		t.Fatal(err)
	}
	if b, err := Read(bytes.NewReader(raw)); err != nil || !Verify(b, "", nil).OK {
		t.Fatalf("untouched: %v, %+v", err, Verify(b, "", nil))
	}
	for i := range raw {
		for _, bit := range []byte{1, 'a' ^ 'A'} {
			flipped := bytes.Clone(raw)
			flipped[i] ^= bit
			b, err := Read(bytes.NewReader(flipped))
			if err != nil || !Verify(b, "", nil).OK {
				continue
			}
			if says, err := canon.JSON(flipped); err != nil || !bytes.Equal(says, same) {
				t.Errorf("byte %d: nobody notices that %q became %q", i, around(raw, i), around(flipped, i))
			}
		}
	}
}

func around(raw []byte, i int) []byte { return raw[max(0, i-20):min(len(raw), i+20)] }

func TestABundleWithoutItsSeal(t *testing.T) {
	t.Parallel()
	l, _ := setup(t, 2, 2)
	other, _ := setup(t, 1, 1)
	for name, c := range map[string]struct {
		tamper func(*Bundle)
		want   string
	}{
		"removed":     {func(b *Bundle) { b.Seal = nil }, "not signed"},
		"another key": {func(b *Bundle) { _ = other.seal(b) }, "signed with another key"},
		"no key":      {func(b *Bundle) { b.Seal.Key = "" }, "another key"},
		"another sum": {func(b *Bundle) { b.sum = "" }, "was altered after it was exported"},
	} {
		b := export(t, l, "CASE-00000001")
		c.tamper(&b)
		if r := Verify(b, l.PublicKey(), nil); r.OK || !strings.Contains(strings.Join(r.Problems, " "), c.want) {
			t.Errorf("%s: got %q, want %q", name, r.Problems, c.want)
		}
	}
}

func TestRecomputeWithANewerRule(t *testing.T) {
	t.Parallel()
	_, m := setup(t, 1, 1)
	id := dossier.CaseID("CASE-00000000")
	rules := []Rule{doubled("1", 2), doubled("10", 3), doubled("9", 4)}
	got := Recompute(m.chains[id], m.found[id], rules)[0]
	if got.Agreement != Agrees || got.Newer != "10" || got.NewerSays == nil || string(got.NewerSays.Figures) != `{"double":0}` {
		t.Errorf("got %+v", got)
	}
	got = Recompute(m.chains[id], m.found[id], rules[1:])[0]
	if got.Agreement != Missing {
		t.Errorf("without version 1: %s, want %s", got.Agreement, Missing)
	}
}

func TestSealCoversOnlyWhatGrew(t *testing.T) {
	t.Parallel()
	l, m := setup(t, 4, 2)
	first, ok, err := l.Seal(t.Context())
	if err != nil || !ok || first.Heads != 4 {
		t.Fatalf("first: %+v %v %v", first, ok, err)
	}
	if _, ok, _ := l.Seal(t.Context()); ok {
		t.Error("sealed again though nothing grew")
	}
	grow(m, "CASE-00000002", 5)
	second, ok, err := l.Seal(t.Context())
	if err != nil || !ok || second.Heads != 1 || second.Number != 2 {
		t.Fatalf("second: %+v %v %v", second, ok, err)
	}
	if want, _ := first.Digest(); second.Prev != want {
		t.Error("the second checkpoint does not follow the first")
	}
	if r := Verify(export(t, l, "CASE-00000003"), l.PublicKey(), nil); !r.OK {
		t.Errorf("a case covered by the first checkpoint: %q", r.Problems)
	}
}

func TestProofs(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 70).Draw(t, "chains")
		i := rapid.IntRange(0, n-1).Draw(t, "which")
		heads := make([]Head, n)
		for j := range heads {
			heads[j] = Head{dossier.CaseID(fmt.Sprintf("CASE-%08x", j)), j + 1, fmt.Sprint(j)}
		}
		p, ok := prove(heads, heads[i].Case)
		if !ok || p.Verify(root(leaves(heads))) != nil {
			t.Fatalf("no proof for %d of %d", i, n)
		}
		p.Head.Hash += "x"
		if p.Verify(root(leaves(heads))) == nil {
			t.Fatalf("a changed head still has a proof")
		}
	})
}

func TestReadRefusesOtherFiles(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "[]", "{}", `{"format":"other"}`, "PK\x03\x04"} {
		if _, err := Read(strings.NewReader(text)); dossier.KindOf(err) != dossier.Invalid {
			t.Errorf("%q: got %v, want a sentence", text, err)
		}
	}
}

// growing is a store to whose case evidence, a finding and an approval that rests on it
// are added between any two reads.
type growing struct{ *memory }

func (g growing) Facts(ctx context.Context, id dossier.CaseID) ([]dossier.Evidence, []dossier.Finding, error) {
	defer g.more(id)
	return g.memory.Facts(ctx, id)
}

func (g growing) ApprovalsOf(ctx context.Context, id dossier.CaseID) ([]dossier.Approval, error) {
	defer g.more(id)
	return g.memory.ApprovalsOf(ctx, id)
}

func (g growing) more(id dossier.CaseID) {
	grow(g.memory, id, 99)
	chain := g.chains[id]
	a := dossier.Approval{ID: "ap-late", Tool: "t", Args: json.RawMessage(`{}`), Evidence: []dossier.EvidenceID{chain[len(chain)-1].ID}}
	a.Digest, _ = agent.Digest(a, chain)
	g.approvals[id] = append(g.approvals[id], a)
}

// TestACaseThatGrowsWhileItIsExported: the bundle holds what its approvals rest on.
func TestACaseThatGrowsWhileItIsExported(t *testing.T) {
	t.Parallel()
	l, m := setup(t, 2, 3)
	l.Store = growing{m}
	b, err := l.Export(t.Context(), "CASE-00000001")
	if err != nil {
		t.Fatal(err)
	}
	if r := Verify(b, l.PublicKey(), nil); !r.OK {
		t.Errorf("%q", r.Problems)
	}
}

// TestAProofOfTooMuch: a file may claim any number of chains, and is refused.
func TestAProofOfTooMuch(t *testing.T) {
	t.Parallel()
	for _, of := range []int{math.MaxInt, math.MaxInt/2 + 2, 1 << 62} {
		if err := (Proof{Index: 1, Of: of}).Verify("00"); err == nil {
			t.Errorf("a proof about %d chains holds", of)
		}
	}
}
