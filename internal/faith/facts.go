package faith

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"dossier"
	"dossier/internal/faith/exact"
	"dossier/internal/faith/measure"
)

// A Ref names the place a number comes from: a path in a piece of evidence, or a
// declared computation.
type Ref struct {
	Evidence dossier.EvidenceID `json:"evidence,omitempty"`
	Path     string             `json:"path,omitempty"`     // JSON pointer (RFC 6901) into the evidence
	Computed string             `json:"computed,omitempty"` // name of a computation, instead of the above
}

// String returns the form that [Computed] uses: "EVD-1#/rows/3/val" or "=total".
func (r Ref) String() string {
	if r.Computed != "" {
		return "=" + r.Computed
	}
	return string(r.Evidence) + "#" + r.Path
}

// A Number is an exact decimal or a fraction of decimals. The zero Number is 0.
type Number = exact.Number

// Decimal returns the number that text writes, such as "-472.53" or "1e6".
func Decimal(text string) (Number, error) { return exact.Decimal(text) }

// Float returns v as the shortest decimal that reads back as v.
func Float(v float64) Number { return exact.Float(v) }

// Int returns v.
func Int(v int) Number { return exact.Int(v) }

// None is the unit of a plain count or ratio. It differs from "", which says that
// nobody knows the unit and any may be written.
const None = measure.None

// A Fact is one number that text may state.
type Fact struct {
	Ref   Ref    `json:"ref"`
	Value Number `json:"value"`
	Unit  string `json:"unit,omitempty"`  // "": unknown, any may be written; None: a plain count or ratio
	Label string `json:"label,omitempty"` // what it is, for people: "Transport, Ampol-1p5DS, 2050"

	// Names says whose number it is, by kind: {"scenario": "Ampol-1p5DS"}. A text that
	// says it of another name of that kind is refused.
	Names map[string]string `json:"names,omitempty"`

	// Change marks a difference: its sign is a direction, and words must agree with it.
	Change bool `json:"change,omitempty"`
	// Trend is the way a level was reached, -1 or 1; 0 if unknown. "rose to" is refused
	// of a level that fell.
	Trend int `json:"trend,omitempty"`

	// Year is the year of a level, or that a change ends in; 0 if it has none. A text that says it of another
	// year is refused.
	Year int `json:"year,omitempty"`
	// Groups names, by kind, the facts this one is ranked among: {"series": "2050 of A"}.
	// "The largest" is refused of a fact that is not.
	Groups map[string]string `json:"groups,omitempty"`
	// Counts says what a count counts, such as "scenarios"; "" if it is none.
	Counts string `json:"counts,omitempty"`
	// Over and Under are the names that a gap lies between, the higher and the lower.
	Over  string `json:"over,omitempty"`
	Under string `json:"under,omitempty"`
}

// Facts is what a text may state: numbers, names, dates and ids. The zero value is
// ready to use. It is not safe to add and check at the same time; checking alone is.
type Facts struct {
	// Claims has quantities in words judged, too: ranks, multiples and fractions. A
	// whole number without a unit must then be exact.
	Claims bool

	facts   []Fact
	byRef   map[string]int
	names   map[string]map[string]string // kind, then spelling in lower case, then name
	tokens  map[string]Ref               // dates, times, ids and their parts, in lower case
	raw     []entry                      // by magnitude in their own units
	byDim   map[string][]entry           // by magnitude in the base unit of each dimension
	extra   map[string]bool              // units the table lacks
	spelled []spelling
	mu      sync.Mutex // held while preparing, so that several may check at once
	ready   bool
}

// Add records a fact. A second fact with the same Ref replaces the first.
func (f *Facts) Add(fact Fact) {
	if f.byRef == nil {
		f.byRef = map[string]int{}
	}
	f.ready = false
	key := fact.Ref.String()
	if i, ok := f.byRef[key]; ok {
		f.facts[i] = fact
		return
	}
	f.byRef[key] = len(f.facts)
	f.facts = append(f.facts, fact)
	if fact.Unit != "" {
		if _, known := measure.Known[fact.Unit]; !known {
			if f.extra == nil {
				f.extra = map[string]bool{}
			}
			f.extra[fact.Unit] = true
		}
	}
}

// Fact returns what ref holds.
func (f *Facts) Fact(ref string) (Fact, bool) {
	i, ok := f.byRef[ref]
	if !ok {
		return Fact{}, false
	}
	return f.facts[i], true
}

// Plain returns the facts as texts were held to before words, years, ranks and gaps
// were judged: for findings that were made then.
func (f *Facts) Plain() *Facts {
	out := &Facts{names: f.names, tokens: f.tokens}
	for _, fact := range f.facts {
		if fact.Unit == "times" || fact.Counts != "" {
			continue
		}
		fact.Year, fact.Groups, fact.Over, fact.Under = 0, nil, "", ""
		out.Add(fact)
	}
	return out
}

// Len returns how many numbers are known.
func (f *Facts) Len() int { return len(f.facts) }

// Name makes a name of some kind known, with other spellings of it. Digits inside a
// name are not numerals, and a number that belongs to one name of a kind may not be
// said of another.
func (f *Facts) Name(kind, name string, aliases ...string) {
	if f.names == nil {
		f.names = map[string]map[string]string{}
	}
	if f.names[kind] == nil {
		f.names[kind] = map[string]string{}
	}
	f.ready = false
	for _, s := range append([]string{name}, aliases...) {
		if s = strings.ToLower(strings.TrimSpace(s)); s != "" {
			f.names[kind][s] = name
		}
	}
}

// Allow makes dates, times and ids known that no evidence holds, such as today's
// date or the number of a figure.
func (f *Facts) Allow(texts ...string) {
	for _, t := range texts {
		f.learn(t, Ref{})
	}
}

// AddEvidence records every number, date and id of the entries.
func (f *Facts) AddEvidence(entries ...dossier.Evidence) error {
	for _, e := range entries {
		if err := f.AddJSON(e.ID, e.Data); err != nil {
			return err
		}
		f.learn(string(e.ID), Ref{Evidence: e.ID})
	}
	return nil
}

// AddJSON records every number of a JSON text with its path: numbers, numeric
// strings, numerals inside longer strings, and the length of each array under
// "path/#". An object's "unit" holds for its other members; otherwise a key's suffix
// ("distance_km") gives the unit, and a number without either has an unknown one.
func (f *Facts) AddJSON(id dossier.EvidenceID, raw json.RawMessage) error {
	if !json.Valid(raw) {
		return dossier.Errorf(dossier.Invalid, "Evidence %s does not hold JSON.", id)
	}
	return f.walk(bytes.TrimSpace(raw), Ref{Evidence: id}, "", "")
}

func (f *Facts) walk(raw json.RawMessage, at Ref, key, unit string) error {
	switch raw[0] {
	case '{':
		return f.walkObject(raw, at, unit)
	case '[':
		var list []json.RawMessage
		if err := json.Unmarshal(raw, &list); err != nil {
			return fmt.Errorf("facts at %s: %w", at, err)
		}
		f.Add(Fact{Ref: child(at, "#"), Value: Int(len(list)), Unit: None, Label: "number of " + label(at)})
		for i, e := range list {
			if err := f.walk(e, child(at, strconv.Itoa(i)), key, unit); err != nil {
				return err
			}
		}
	case '"':
		var s string
		if err := json.Unmarshal(raw, &s); err != nil {
			return fmt.Errorf("facts at %s: %w", at, err)
		}
		f.walkString(s, at, key, unit)
	case 't', 'f', 'n':
	default:
		n, err := Decimal(string(raw))
		if err != nil {
			return nil //nolint:nilerr // a number beyond 300 digits cannot stand in prose
		}
		f.Add(Fact{Ref: at, Value: n, Unit: cmp.Or(unit, measure.OfKey(key)), Label: label(at)})
		f.learn(string(raw), at)
	}
	return nil
}

func (f *Facts) walkObject(raw json.RawMessage, at Ref, unit string) error {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(raw, &members); err != nil {
		return fmt.Errorf("facts at %s: %w", at, err)
	}
	var own string
	if json.Unmarshal(members["unit"], &own) == nil && own != "" {
		unit = own
	}
	for _, k := range slices.Sorted(maps.Keys(members)) {
		f.learn(k, at)
		if err := f.walk(bytes.TrimSpace(members[k]), child(at, k), k, unit); err != nil {
			return err
		}
	}
	return nil
}

// walkString records a string's numerals and what can be recognised in it.
func (f *Facts) walkString(s string, at Ref, key, unit string) {
	f.learn(s, at)
	if n, err := Decimal(strings.TrimSpace(s)); err == nil {
		f.Add(Fact{Ref: at, Value: n, Unit: cmp.Or(unit, measure.OfKey(key)), Label: label(at)})
		return
	}
	for i, m := range scan(s, &Facts{}) {
		if m.kind != Quantity {
			continue
		}
		f.Add(Fact{
			Ref: child(at, fmt.Sprintf("@%d", i)), Value: exact.FromRat(m.signed()), Unit: m.unit, Label: label(at),
		})
	}
}

// learn remembers a text and the dates, times and ids in it.
func (f *Facts) learn(text string, at Ref) {
	if f.tokens == nil {
		f.tokens = map[string]Ref{}
	}
	put := func(k string) {
		if _, ok := f.tokens[k]; !ok {
			f.tokens[k] = at
		}
	}
	if len(text) <= 80 {
		put(strings.ToLower(text))
	}
	if !strings.ContainsAny(text, "0123456789") {
		return
	}
	for _, m := range scan(text, &Facts{}) {
		switch m.kind {
		case Date:
			for _, k := range m.keys {
				put(k)
			}
		case Time, ID:
			put(strings.ToLower(m.text))
		case Reference:
			put(strings.ToLower(m.text))
			put(referenceKind(m.text))
		case Quantity:
		}
	}
}

// prepare sorts what checking needs sorted.
func (f *Facts) prepare() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.ready {
		return
	}
	f.raw = make([]entry, 0, len(f.facts))
	f.byDim = map[string][]entry{}
	for i, fact := range f.facts {
		f.raw = append(f.raw, entry{abs(fact.Value.Float64()), i})
		m := measure.Of(fact.Unit)
		scale, _ := m.Scale.Float64()
		f.byDim[m.Dim] = append(f.byDim[m.Dim], entry{abs(fact.Value.Float64()) * scale, i})
	}
	sortEntries(f.raw)
	for _, list := range f.byDim {
		sortEntries(list)
	}
	f.spelled = spellings(f.names)
	f.ready = true
}

// An entry is a fact's place in an index by magnitude.
type entry struct {
	size float64
	fact int
}

func sortEntries(list []entry) {
	slices.SortStableFunc(list, func(a, b entry) int { return cmp.Compare(a.size, b.size) })
}

// within returns the entries whose size lies between lo and hi.
func within(list []entry, lo, hi float64) []entry {
	i, _ := slices.BinarySearchFunc(list, lo, func(e entry, v float64) int { return cmp.Compare(e.size, v) })
	j := i
	for j < len(list) && list[j].size <= hi {
		j++
	}
	return list[i:j]
}

func child(at Ref, key string) Ref {
	key = strings.NewReplacer("~", "~0", "/", "~1").Replace(key)
	return Ref{Evidence: at.Evidence, Path: at.Path + "/" + key}
}

func label(at Ref) string { return strings.TrimPrefix(at.Path, "/") }

func abs(x float64) float64 { return max(x, -x) }
