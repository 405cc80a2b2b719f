// Package spelling finds the word of a vocabulary that a misspelt one most likely is.
//
// It corrects typing errors (a letter left out, put in, changed or swapped with the
// next) and takes words back to their base form. Words of everyday English are left as
// they are, so that "band" is not read as "hand". It knows nothing of what the words
// mean. It also tells how names are written, and whether one fits another.
package spelling

import (
	"strings"
	"sync"
)

// A Speller corrects words towards a vocabulary. It keeps every word with up to two
// letters left out, so that looking one up costs a few map reads. That takes megabytes,
// so it does so once the first misspelt word comes. It is safe for concurrent use.
type Speller struct {
	known   map[string]bool // the vocabulary
	plain   map[string]bool // spelt right, and not of the vocabulary
	deletes func() map[string][]string
}

// New returns a speller for vocabulary, which must not change any more.
func New(vocabulary map[string]bool) *Speller {
	s := &Speller{known: vocabulary, plain: map[string]bool{}}
	for w := range strings.FieldsSeq(plainWords) {
		s.plain[w] = true
	}
	s.deletes = sync.OnceValue(func() map[string][]string { return shortened(vocabulary) })
	return s
}

// shortened lists the words of a vocabulary under each form with letters left out.
func shortened(vocabulary map[string]bool) map[string][]string {
	out := map[string][]string{}
	for w := range vocabulary {
		if len(w) < 4 {
			continue
		}
		out[w] = append(out[w], w)
		for _, d := range without(w, 1) {
			out[d] = append(out[d], w)
		}
		if len(w) >= 7 {
			for _, d := range without(w, 2) {
				out[d] = append(out[d], w)
			}
		}
	}
	return out
}

// without returns w with n letters left out, in every way.
func without(w string, n int) []string {
	seen := map[string]bool{}
	var out []string
	var walk func(w string, from, n int)
	walk = func(w string, from, n int) {
		if n == 0 {
			if !seen[w] {
				seen[w] = true
				out = append(out, w)
			}
			return
		}
		for i := from; i < len(w); i++ {
			walk(w[:i]+w[i+1:], i, n-1)
		}
	}
	walk(w, 0, n)
	return out
}

// Known reports whether w belongs to the vocabulary.
func (s *Speller) Known(w string) bool { return s.known[w] }

// Correct returns the known word that w is a form or a misspelling of, or w itself.
func (s *Speller) Correct(w string) string {
	if s.known[w] || s.plain[w] || len(w) < 3 || len(w) > 16 {
		return w
	}
	if base := s.stem(w); base != w {
		return base
	}
	best, bestCost := w, 99
	deletes := s.deletes()
	try := func(key string) {
		for _, c := range deletes[key] {
			cost := distance(w, c)
			if c[0] != w[0] {
				cost++
			}
			if cost <= allowed(w, c) && (cost < bestCost || cost == bestCost && c < best) {
				best, bestCost = c, cost
			}
		}
	}
	try(w)
	if len(w) >= 4 {
		for i := range len(w) {
			try(w[:i] + w[i+1:])
		}
	}
	if bestCost > 1 && len(w) >= 6 {
		for i := range len(w) {
			for j := i + 1; j < len(w); j++ {
				try(w[:i] + w[i+1:j] + w[j+1:])
			}
		}
	}
	return best
}

// allowed is how far a misspelling may lie from what it means.
func allowed(w, c string) int {
	switch {
	case len(w) == 3:
		// A letter left out, and the outer ones are right: "shw".
		if len(c) == 4 && w[0] == c[0] && w[2] == c[3] {
			return 1
		}
		return 0
	case len(w) >= 7 || len(c) >= 8:
		return 2
	}
	return 1
}

// distance counts the letters left out, put in, changed or swapped with the next.
func distance(a, b string) int {
	if len(a) > 24 || len(b) > 24 {
		return 99
	}
	var rows [3][25]int
	for j := range len(b) + 1 {
		rows[1][j] = j
	}
	for i := 1; i <= len(a); i++ {
		before, prev, cur := &rows[(i+2)%3], &rows[i%3], &rows[(i+1)%3]
		cur[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			cur[j] = min(prev[j]+1, cur[j-1]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				cur[j] = min(cur[j], before[j-2]+1)
			}
		}
	}
	return rows[(len(a)+1)%3][len(b)]
}

// stem returns the known word that w is a form of ("stepping", "checked"), or w itself.
func (s *Speller) stem(w string) string {
	if len(w) < 6 {
		return w
	}
	for _, end := range []string{"ing", "ed"} {
		base, ok := strings.CutSuffix(w, end)
		if !ok || len(base) < 3 {
			continue
		}
		for _, c := range []string{base, base + "e", base[:len(base)-1]} {
			if s.known[c] && (c != base[:len(base)-1] || base[len(base)-1] == base[len(base)-2]) {
				return c
			}
		}
	}
	return w
}

// plainWords are words of everyday English that are spelt right and stand for
// themselves: they are not taken for misspelt cues, and they say nothing about passes.
const plainWords = `
bank work visit home sick doctor hospital clinic medicine medicines court hearing lunch dinner tea food market shop shopping school college meeting
client customer site office factory warehouse delivery deliver courier parcel document documents file files cash money cheque payment bill bills
vehicle car bike bus train taxi cab auto repair service tools cables wire wires sample samples material materials goods stock items item laptop
personal family function wedding marriage funeral emergency urgent fever leave holiday half interview exam training event party temple bank
passport visa licence license police station post audit auditor inspection survey installation maintenance purchase buy buying collect collecting
drop dropping pick picking fetch fetching attend attending meet meeting see meal walk call phone weather joke poem song music movie salary account
room book order printer script python email mail coffee chai match score cricket politics opinion president minister capital life love world
lights light barrier boom police shift slip plus times write sing play turn fix buy transfer pay recommend translate pretend act mode developer
water rain hot cold hand hands head eye eyes face feet foot door floor wall window table chair paper pen key keys box bag bags card cards
four five six seven eight nine ten hundred thousand ever even else than then though although very such also into onto upon
read write wrote ride rode road rate rose rise rest best test text next past part park pack pick peak pair pain paid plan plane place plate
said sail sale same sand save seat seed seem self sell sent shoe shot sick side sign sing size skin slow snow soft soil sold some song soon sort
lead lean leaf left less life lift like line link lion list live load loan lock long look lose loss lost lots loud love luck
`

// Common are words that say nothing about which tool is meant, and which typing
// errors are corrected to. Anything else that is left over speaks against an
// utterance being about gate passes.
const Common = `
a an the and or but if so to of for from in on at by with as into onto about up over under again still yet already just only too also very
i me my mine we us our you your he him his she her hers they them their it its this that these those there here
is are was were be been being am do does did done has have had having will would shall should can could may might must
not no yes ok please kindly sir madam dear bro ji
what which who whom whose when where why how all any some every each both few many much more most other another such same one ones once
number no id pass passes gate gatepass gatepasses list lists now today tomorrow yesterday day days week date time morning evening afternoon night noon lunch
two three four five six seven eight nine ten eleven twelve
am pm hour hours minute minutes half quarter next last first second third fourth fifth sixth seventh eighth ninth tenth
person people man woman lady gentleman guy visitor employee staff someone somebody anyone anybody name named called
go going goes gone went come coming comes came get got give given take taken took make made let want wants wanted need needs needed like know knows
show see seen look looking tell say said ask asked find check open view bring pull share send put keep
system record records entry desk office admin hr security guard premises
thank thanks hello hi hey good welcome fine great sure right correct exactly definitely certainly absolutely course
never mind forget leave cancel stop wait abort moment
because since while until till unless past before after during through between without within
new old out back inside outside way behalf
monday tuesday wednesday thursday friday saturday sunday january february march april june july august september october november december
jan feb mar apr jun jul aug sep sept oct nov dec
mistake duplicate wrong urgent urgently immediately asap quick quickly fast soon
just now right away moment minute page line queue request requests status state details
returnable roundtrip rn sorry thing things through thru anything something nothing everybody nobody
actually instead really simply maybe perhaps turned meant mean looks looked well able possible allowed ready currently non
`
