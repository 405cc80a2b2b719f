package ingest

import (
	_ "embed"
	"encoding/csv"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"golang.org/x/text/unicode/norm"

	"dossier/apps/netra/engine"
	"dossier/internal/edit"
)

//go:embed districts.csv
var districtsCSV string

// A District is one row of the table of districts.
type District struct {
	engine.Place
	Aliases []string `json:"aliases,omitempty"` // other spellings, former names and unmistakable towns
	Border  bool     `json:"border"`            // lies on an international border
	Capital bool     `json:"capital"`           // holds the seat of the state
}

// Places returns the districts of the eight north-eastern states, by state and name.
func Places() []District { return gazetteer().list }

// stateAliases are the accepted other names of states.
var stateAliases = map[string]string{"arunachal": "Arunachal Pradesh", "ap": "Arunachal Pradesh", "tripura state": "Tripura", "asom": "Assam"}

type table struct {
	list    []District
	states  map[string]string // folded name to name
	byName  map[string][]int  // folded district or alias to rows
	longest int               // words in the longest name
}

var gazetteer = sync.OnceValue(func() *table {
	t, err := readTable(districtsCSV)
	if err != nil {
		panic(fmt.Sprintf("districts.csv: %v", err))
	}
	return t
})

func readTable(text string) (*table, error) {
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		return nil, err
	}
	t := &table{states: map[string]string{}, byName: map[string][]int{}}
	for _, row := range rows[1:] {
		d := District{Place: engine.Place{State: row[0], District: row[1]}, Border: row[3] == "1", Capital: row[4] == "1"}
		if row[2] != "" {
			d.Aliases = strings.Split(row[2], "|")
		}
		t.states[foldName(d.State)] = d.State
		for _, name := range append([]string{d.District}, d.Aliases...) {
			key := foldName(name)
			if !slices.Contains(t.byName[key], len(t.list)) {
				t.byName[key] = append(t.byName[key], len(t.list))
			}
			t.longest = max(t.longest, len(strings.Fields(key)))
		}
		t.list = append(t.list, d)
	}
	for alias, state := range stateAliases {
		t.states[alias] = state
	}
	return t, nil
}

// foldWords makes names comparable: words of lower case, without accents.
func foldWords(s string) []string {
	s = strings.Map(func(r rune) rune {
		if r >= 0x300 && r <= 0x36f {
			return -1
		}
		return r
	}, norm.NFKD.String(strings.ToLower(s)))
	return strings.FieldsFunc(s, notWord)
}

// foldName is the words of a name, without "district" at its end.
func foldName(s string) string {
	words := foldWords(s)
	if n := len(words); n > 1 && (words[n-1] == "district" || words[n-1] == "dist") {
		words = words[:n-1]
	}
	return strings.Join(words, " ")
}

// Locate returns the district that a state and a district name stand for. An unknown
// name is an error that names the nearest known one; it is never guessed.
func Locate(state, district string) (District, error) {
	t := gazetteer()
	name, ok := t.states[foldName(state)]
	if !ok {
		if foldName(state) == "" {
			return District{}, fmt.Errorf("no state given")
		}
		return District{}, fmt.Errorf("unknown state %q; known are the eight north-eastern states%s", short(state), t.nearestState(foldName(state)))
	}
	if foldName(district) == "" {
		return District{}, fmt.Errorf("no district given")
	}
	for _, i := range t.byName[foldName(district)] {
		if t.list[i].State == name {
			return t.list[i], nil
		}
	}
	return District{}, fmt.Errorf("unknown district %q in %s%s", short(district), name, t.nearest(name, foldName(district)))
}

// short is a redacted, clipped quotation of input.
func short(s string) string { return engine.Clip(Clean(s), 40) }

func (t *table) nearest(state, name string) string {
	var known []string
	for _, d := range t.list {
		if d.State == state {
			known = append(known, d.District)
		}
	}
	return meant(name, known)
}

func (t *table) nearestState(name string) string {
	return meant(name, slices.Sorted(maps.Values(t.states)))
}

// meant asks about the known name that a folded one is nearest to, "" if none is near.
func meant(name string, known []string) string {
	best, dist := "", 4
	for _, k := range known {
		if n := edit.Distance([]rune(name), []rune(foldName(k))); n < dist {
			best, dist = k, n
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf("; did you mean %s?", best)
}

// FindPlace looks for a district in free text, as whole words. It finds one only if
// the text names exactly one district, or several that one named state narrows down
// to one; otherwise the error says what was named. A name that is also a word or a place
// elsewhere must be called a district, or stand beside its state.
func FindPlace(text string) (District, error) {
	t := gazetteer()
	words := foldWords(text)
	named, states := t.namedIn(words)
	if other := elsewhere(words); other != "" && len(states) == 0 && len(named) > 0 {
		return District{}, fmt.Errorf("the text names %s, so it may be about a place there of the same name", other)
	}
	if len(named) > 1 && len(states) == 1 {
		for r := range named {
			if !states[t.list[r].State] {
				delete(named, r)
			}
		}
	}
	switch len(named) {
	case 0:
		return District{}, fmt.Errorf("the text names no known district")
	case 1:
		for r := range named {
			return t.list[r], nil
		}
	}
	var names []string
	for i, d := range t.list {
		if named[i] {
			names = append(names, d.Place.String())
		}
	}
	return District{}, fmt.Errorf("the text names several districts: %s", engine.Clip(strings.Join(names, "; "), 200))
}

// namedIn returns the rows of the districts and the states that words name.
func (t *table) namedIn(words []string) (named map[int]bool, states map[string]bool) {
	named, states = map[int]bool{}, map[string]bool{}
	doubtful := map[int]bool{}
	for i := 0; i < len(words); {
		step := 1
		for n := min(t.longest, len(words)-i); n > 0; n-- {
			key := strings.Join(words[i:i+n], " ")
			if state, ok := t.states[key]; ok && key != "ap" {
				states[state] = true
			}
			called := i+n < len(words) && words[i+n] == "district"
			rows := t.byName[key]
			if len(rows) == 0 || slices.Contains(plainWords, key) && !called {
				continue
			}
			into := named
			if slices.Contains(mistakable, key) && !called {
				into = doubtful
			}
			for _, r := range rows {
				into[r] = true
			}
			step = n
			break
		}
		i += step
	}
	for r := range doubtful {
		if states[t.list[r].State] {
			named[r] = true
		}
	}
	return named, states
}

// others are the states outside the table whose districts may share a name with one of
// its own, and longer names of places in them.
var others = []string{
	"Andhra Pradesh", "Bihar", "Chhattisgarh", "Gujarat", "Haryana", "Himachal Pradesh", "Kashmir", "Jharkhand", "Karnataka", "Kerala",
	"Madhya Pradesh", "Maharashtra", "Odisha", "Punjab", "Rajasthan", "Tamil Nadu", "Telangana", "Uttar Pradesh", "Uttarakhand", "West Bengal", "Lakhimpur Kheri",
}

// elsewhere returns the first of the others that words name; "" if none.
func elsewhere(words []string) string {
	text := " " + strings.Join(words, " ") + " "
	for _, o := range others {
		if strings.Contains(text, " "+foldName(o)+" ") {
			return o
		}
	}
	return ""
}

// plainWords are names that are also ordinary words; only as "Mon district" do they place
// anything. The mistakable are places of the same name in other states, too.
var (
	plainWords = []string{"mon", "along", "raga", "hawai", "lemmi"}
	mistakable = []string{"udaipur", "lakhimpur", "bishnupur"}
)

// FindDistrict returns the one district with a name or alias, whatever its state.
func FindDistrict(name string) (District, error) {
	t := gazetteer()
	rows := t.byName[foldName(name)]
	switch len(rows) {
	case 0:
		return District{}, fmt.Errorf("unknown district %q", short(name))
	case 1:
		return t.list[rows[0]], nil
	}
	return District{}, fmt.Errorf("%q is a district of %d states; say which", short(name), len(rows))
}
