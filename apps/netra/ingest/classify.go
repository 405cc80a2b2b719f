package ingest

import (
	_ "embed"
	"encoding/csv"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"dossier/apps/netra/engine"
)

//go:embed lexicon.csv
var lexiconCSV string

//go:embed tags.csv
var tagsCSV string

// LexiconVersion names the word lists. It changes when a list or a rule of [Classify] does.
const LexiconVersion = "words-2"

// A Classification is what the words of a report say about it, and which words they
// were.
type Classification struct {
	Layers   []engine.Layer  `json:"risk_layers"`
	Polarity engine.Polarity `json:"polarity"`
	Severity int             `json:"severity_score"`
	Tags     []engine.Tag    `json:"geo_sensitivity"`
	Deciders []Decider       `json:"deciders"`
	By       string          `json:"by"` // "rule/words-2", "given" or "model"
}

// A Decider is a word of the report that decided something.
type Decider struct {
	Word  string `json:"word"`
	What  string `json:"what"`            // layer, tag, or why a word did not count
	Means string `json:"means"`           // physical, border …
	Theme string `json:"theme,omitempty"` // arms, bandh, rumour …
}

// Known reports whether any word said anything.
func (c *Classification) Known() bool { return len(c.Layers) > 0 }

// Rationale says in one line which words decided.
func (c *Classification) Rationale() string {
	if !c.Known() {
		return "No word of the lists occurs in the text."
	}
	var parts []string
	for _, d := range c.Deciders {
		parts = append(parts, fmt.Sprintf("“%s” %s %s", d.Word, d.What, d.Means))
	}
	if len(parts) == 0 {
		parts = []string{"given with the report"}
	}
	return fmt.Sprintf("%s, severity %d: %s.", c.Polarity, c.Severity, strings.Join(parts, "; "))
}

// An entry is one term of the lexicon. Severity 0 means the term says nothing and
// keeps its words from being read as another term.
type entry struct {
	term     string
	layer    engine.Layer
	severity int
	polarity engine.Polarity
	theme    string
}

type lexicon struct {
	terms   map[string]entry
	tags    map[string]engine.Tag
	longest int
}

var words = sync.OnceValue(func() *lexicon {
	l, err := readLexicon(lexiconCSV, tagsCSV)
	if err != nil {
		panic(fmt.Sprintf("lexicon: %v", err))
	}
	return l
})

func readLexicon(terms, tags string) (*lexicon, error) {
	l := &lexicon{terms: map[string]entry{}, tags: map[string]engine.Tag{}}
	rows, err := csv.NewReader(strings.NewReader(terms)).ReadAll()
	if err != nil {
		return nil, err
	}
	for _, row := range rows[1:] {
		sev, err := strconv.Atoi(row[2])
		if err != nil {
			return nil, err
		}
		e := entry{strings.ReplaceAll(row[0], "+", ""), engine.Layer(row[1]), sev, engine.Polarity(row[3]), row[4]}
		for _, form := range forms(strings.Fields(row[0])) {
			l.terms[form] = e
			l.longest = max(l.longest, len(strings.Fields(form)))
		}
	}
	rows, err = csv.NewReader(strings.NewReader(tags)).ReadAll()
	if err != nil {
		return nil, err
	}
	for _, row := range rows[1:] {
		l.tags[row[0]] = engine.Tag(row[1])
		l.longest = max(l.longest, len(strings.Fields(row[0])))
	}
	return l, nil
}

// forms returns every form of a term: a word that ends in "+" may be inflected.
func forms(words []string) []string {
	if len(words) == 0 {
		return []string{""}
	}
	var out []string
	for _, rest := range forms(words[1:]) {
		for _, w := range inflections(words[0]) {
			out = append(out, strings.TrimSpace(w+" "+rest))
		}
	}
	return out
}

func inflections(w string) []string {
	stem, ok := strings.CutSuffix(w, "+")
	if !ok {
		return []string{w}
	}
	out := []string{stem, stem + "s", stem + "es", stem + "ed", stem + "ing"}
	if short, ok := strings.CutSuffix(stem, "e"); ok {
		out = append(out, stem+"d", short+"ing")
	}
	if short, ok := strings.CutSuffix(stem, "y"); ok {
		out = append(out, short+"ies", short+"ied")
	}
	return out
}

var highwayNumber = regexp.MustCompile(`^nh\d+[a-z]?$`)

// tokens cuts a redacted text into folded words. Placeholders are no words.
func tokens(text string) []string {
	for _, c := range Classes {
		text = strings.ReplaceAll(text, "["+string(c)+"]", " ")
	}
	list := strings.FieldsFunc(strings.ToLower(text), notWord)
	for i, w := range list {
		if highwayNumber.MatchString(w) {
			list[i] = "nh"
		}
	}
	return list
}

// Says reports whether a text contains a phrase, word by word.
func Says(text, phrase string) bool {
	words := tokens(phrase)
	return len(words) > 0 && strings.Contains(" "+strings.Join(tokens(text), " ")+" ", " "+strings.Join(words, " ")+" ")
}

// A match is a term found in a text.
type match struct {
	entry
	said    string // as the text has it
	from    int    // place of the first word
	to      int    // place after the last word
	flipped bool   // called off, lifted, denied: an end of what the term names
	broken  bool   // a truce violated, talks that failed: calm that ended
	mute    string // why it does not escalate; "" if it counts
}

// Classify reads a redacted text word by word. Longer terms win over the shorter ones
// inside them, and words are compared whole: "arms" is not in "farms".
func Classify(text string) Classification {
	list := tokens(text)
	found := words().find(list)
	weather := slices.ContainsFunc(found, func(m match) bool { return m.theme == "weather" })
	for i := range found {
		found[i].temper(list, weather)
	}
	c := decide(found)
	for _, t := range words().findTags(list) {
		if !slices.Contains(c.Tags, t.tag) && c.Known() {
			c.Tags = append(c.Tags, t.tag)
			c.Deciders = append(c.Deciders, Decider{Word: t.said, What: "marks", Means: string(t.tag)})
		}
	}
	c.By = "rule/" + LexiconVersion
	return c
}

func (l *lexicon) find(list []string) (out []match) {
	for i := 0; i < len(list); {
		step := 1
		for n := min(l.longest, len(list)-i); n > 0; n-- {
			said := strings.Join(list[i:i+n], " ")
			if e, ok := l.terms[said]; ok {
				if e.severity > 0 {
					out = append(out, match{entry: e, said: said, from: i, to: i + n})
				}
				step = n
				break
			}
		}
		i += step
	}
	return out
}

type tagMatch struct {
	tag  engine.Tag
	said string
}

func (l *lexicon) findTags(list []string) (out []tagMatch) {
	for i := 0; i < len(list); {
		step := 1
		for n := min(l.longest, len(list)-i); n > 0; n-- {
			said := strings.Join(list[i:i+n], " ")
			if t, ok := l.tags[said]; ok {
				out = append(out, tagMatch{t, said})
				step = n
				break
			}
		}
		i += step
	}
	return out
}

var (
	negators = []string{"no", "not", "without", "never", "averted", "prevented", "denies", "denied", "deny"}
	endings  = []string{"withdrawn", "lifted", "postponed", "averted", "defused", "foiled", "resolved", "dispelled", "debunked", "denied", "ends", "ended", "relaxed", "revoked"}
	// hauls are what is destroyed to end it; houses are not.
	hauls = []string{"arms", "explosives", "narcotics"}
	// stays are words behind a negation that make it none: no end to violence.
	stays = []string{"end", "respite", "relief", "peace", "warning", "only", "solution", "headway", "let"}
	// accords are what can be broken, by the words of breaks; ceasefires by their end, too.
	accords = []string{"ceasefire", "truce", "disengagement", "dialogue", "peace dialogue", "peace talk", "peace accord", "peace agreement", "peace pact"}
	breaks  = []string{"collapse", "collapses", "collapsed", "fail", "fails", "failed", "broken", "violated", "violation", "violations", "breached", "rejected", "stalled", "deadlocked", "suspended", "withdrawn"}
	// soft terms do not escalate where the text speaks of the weather.
	soft = []string{"dead", "death", "kill", "killing", "injure", "injury", "injuries", "wounded", "threat", "threaten", "threatening", "road block", "roadblock", "shutdown", "strike", "torch"}
)

// Why a term does not escalate.
const (
	negated   = "negated"
	byWeather = "weather"
)

// reachBefore and reachAfter are how many words away a negation or an ending counts.
const (
	reachBefore = 3
	reachAfter  = 4
)

// temper looks at the words around a match: a negation mutes it, an ending turns it
// round, the weather mutes what is soft, and an accord that was broken is no calm.
func (m *match) temper(list []string, weather bool) {
	before, after := list[max(0, m.from-reachBefore):m.from], list[m.to:min(len(list), m.to+reachAfter)]
	if m.polarity == engine.Stabilizing && slices.Contains(accords, m.term) && m.isBroken(before, after) {
		m.broken, m.polarity, m.severity = true, engine.Escalatory, brokenSeverity
		return
	}
	if m.polarity != engine.Escalatory {
		return
	}
	if weather && slices.Contains(soft, m.term) {
		m.mute = byWeather
		return
	}
	for i, w := range before {
		if slices.Contains(negators, w) && (i+1 == len(before) || !slices.Contains(stays, before[i+1])) {
			m.mute = negated
			return
		}
	}
	m.flipped = said(after, func(i int) bool {
		return slices.Contains(endings, after[i]) || calledOff(after, i) || after[i] == "destroyed" && slices.Contains(hauls, m.theme)
	})
}

// brokenSeverity is how grave it is that an accord was broken.
const brokenSeverity = 3

// isBroken reports whether the words around an accord say that it no longer holds.
func (m *match) isBroken(before, after []string) bool {
	truce := m.term == "ceasefire" || m.term == "truce"
	return said(before, func(i int) bool {
		return before[i] == "violation" || before[i] == "violations" || before[i] == "violating"
	}) ||
		said(after, func(i int) bool {
			return slices.Contains(breaks, after[i]) || calledOff(after, i) || truce && (after[i] == "ends" || after[i] == "ended")
		})
}

func calledOff(list []string, i int) bool {
	return list[i] == "called" && i+1 < len(list) && list[i+1] == "off"
}

// said reports whether some word of a list is such, and no "not" or "yet to" stands before it.
func said(list []string, is func(i int) bool) bool {
	for i, w := range list {
		if w == "not" || w == "never" || w == "yet" && i+1 < len(list) && list[i+1] == "to" {
			return false
		}
		if is(i) {
			return true
		}
	}
	return false
}

// calming reports whether a match points to calm.
func (m *match) calming() bool { return m.polarity == engine.Stabilizing || m.flipped }

// weight is the severity a match speaks for. The end of something is never graver than
// 2, its absence never graver than 1.
func (m *match) weight() int {
	switch {
	case m.flipped:
		return min(m.severity, 2)
	case m.mute == negated:
		return 1
	}
	return m.severity
}

// decide makes one classification of what was found. Escalation wins, except that a
// settled end (a surrender, an accord, a bandh called off) outweighs anything short of
// bloodshed.
func decide(found []match) Classification {
	rises, calms := 0, 0
	for i := range found {
		m := &found[i]
		switch {
		case m.mute != "":
		case m.calming():
			calms = max(calms, m.weight())
		case m.polarity == engine.Escalatory:
			rises = max(rises, m.weight())
		}
	}
	c := Classification{Polarity: engine.Neutral}
	switch {
	case calms >= 2 && rises < 4, calms > 0 && rises == 0:
		c.Polarity = engine.Stabilizing
	case rises > 0:
		c.Polarity = engine.Escalatory
	}
	for i := range found {
		m := &found[i]
		if m.mute != "" {
			c.Deciders = append(c.Deciders, Decider{m.said, "does not count:", m.mute, m.theme})
		}
		if m.speaksFor(c.Polarity) {
			c.Severity = max(c.Severity, m.weight())
			if !slices.Contains(c.Layers, m.layer) {
				c.Layers = append(c.Layers, m.layer)
			}
			what := "is"
			switch {
			case m.flipped:
				what = "ended, is"
			case m.broken:
				what = "broken, is"
			}
			c.Deciders = append(c.Deciders, Decider{m.said, what, string(m.layer), m.theme})
		}
	}
	slices.SortFunc(c.Layers, func(a, b engine.Layer) int {
		return slices.Index(engine.Layers[:], a) - slices.Index(engine.Layers[:], b)
	})
	return c
}

// speaksFor reports whether a match has a say in a classification of a polarity. In a
// neutral one negated terms do, and what the weather did to people and things.
func (m *match) speaksFor(p engine.Polarity) bool {
	switch p {
	case engine.Stabilizing:
		return m.mute == "" && m.calming()
	case engine.Escalatory:
		return m.mute == "" && !m.calming() && m.polarity == engine.Escalatory
	}
	return m.polarity == engine.Neutral || m.mute == negated || m.mute == byWeather && m.layer == engine.Physical
}
