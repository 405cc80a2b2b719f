package grammar

import (
	"strconv"
	"strings"

	"dossier/apps/gatepass/lexicon"
	"dossier/apps/gatepass/spelling"
)

// fill reads the slots of t out of u, keeping those in known. It also returns what a
// reference to a pass could mean, or whose pass is meant, if that is still open.
func (g *Grammar) fill(s State, u *utterance, t *compiled, known Args) (args Args, among []Pass, name string) {
	args = clone(known)
	var particulars *particulars
	for _, slot := range t.Slots {
		if _, ok := args[slot.Name]; ok {
			continue
		}
		value := ""
		switch slot.Kind {
		case Number, ID, PassRef:
			value, among, name = g.passSlot(s, u, t, slot)
		case Person, Purpose, YesNo, Moment:
			if particulars == nil {
				particulars = g.particulars(s, u)
			}
			value = particulars.get(slot.Kind)
		case Status:
			value = u.status
		case Search:
			value = g.searchName(u)
		case Day:
			if !u.when.Day.IsZero() {
				value = u.when.Day.Format(DayForm)
			}
		case Page:
			value = nextPage(s, u, t)
		case Note:
			value = noteOf(s, u)
		case Photo:
			if s.Photo {
				value = "attached"
			}
		case Me:
			value = u.claimed()
		}
		if value != "" {
			args[slot.Name] = value
		}
	}
	if args["page"] != "" {
		for k, v := range s.Last.Args {
			if _, ok := args[k]; !ok {
				args[k] = v
			}
		}
	}
	return args, among, name
}

func (g *Grammar) passSlot(s State, u *utterance, t *compiled, slot Slot) (string, []Pass, string) {
	if u.indefinite() {
		return "", nil, ""
	}
	if t.Acts && len(u.several) > 1 { // one deed is about one pass
		return "", u.several, ""
	}
	if u.readUnread(s, g) {
		return "", nil, ""
	}
	p, ok, among, name := u.resolve(s)
	if !ok {
		return "", among, name
	}
	value := identifier(t, slot.Name, p)
	switch {
	case slot.Kind == Number && p.Number == "", slot.Kind == ID && p.ID == "":
		return "", nil, ""
	}
	return value, nil, ""
}

// indefinite reports whether some pass is meant and none in particular.
func (u *utterance) indefinite() bool {
	if u.number != "" || u.id != "" || u.ordinal != 0 || u.name != "" {
		return false
	}
	for i := range u.tokens {
		if u.tokens[i].word == "pass" {
			switch u.word(i - 1) {
			case "a", "another", "any", "some", "one":
				return true
			}
		}
		if w := u.tokens[i].word; w == "someone" || w == "somebody" || w == "something" {
			return true
		}
	}
	return false
}

func nextPage(s State, u *utterance, t *compiled) string {
	if s.Last.Tool != t.Name || !(u.has("more") || u.has("next") || u.has("page")) {
		return ""
	}
	n, err := strconv.Atoi(s.Last.Args["page"])
	if err != nil {
		n = 1
	}
	if u.has("previous") {
		return strconv.Itoa(max(1, n-1))
	}
	for i := range u.tokens {
		if u.tokens[i].kind == tokInt && u.word(i-1) == "page" {
			return u.tokens[i].word
		}
	}
	return strconv.Itoa(n + 1)
}

func noteOf(s State, u *utterance) string {
	switch {
	case u.note != "":
		return u.note
	case u.ordinal > 0 && u.ordinal <= len(s.Notes):
		return s.Notes[u.ordinal-1]
	case u.ordinal < 0 && len(s.Notes) > 0:
		return s.Notes[len(s.Notes)-1]
	case len(s.Notes) == 1:
		return s.Notes[0]
	}
	return ""
}

// claimed returns the name that the speaker acts under, if one is given: "as Suresh
// Menon", "my name is Anand", "on behalf of …".
func (u *utterance) claimed() string {
	for i := range u.tokens {
		switch u.tokens[i].word {
		case "as", "by":
			if i+1 < len(u.tokens) && u.tokens[i+1].capital {
				return u.nameFrom(i + 1)
			}
		case "of":
			if u.word(i-1) == "behalf" {
				return u.nameFrom(i + 1)
			}
		case "name":
			j := i + 1
			if u.word(j) == "is" || u.word(j) == "of" {
				j++
			}
			if j < len(u.tokens) {
				return u.nameFrom(j)
			}
		}
	}
	return ""
}

var titles = lexicon.Set("mr mrs ms miss dr shri smt sri prof mister")

// stops are words at which a name ends.
var stops = lexicon.Set(`to for because as since going who he she they it purpose reason with and from is will on at in by not non no returnable
return returning coming come back please so but that which the a an of today tomorrow yesterday now urgently asap wants needs has have was
approve reject delete print show list pass passes gate approved rejected pending exited returned qr details until till`)

// nobody are words in the place of a name that name no one.
var nobody = lexicon.Set("someone somebody anyone anybody people person visitor me him her them us approval all today now this these those it")

// nameFrom reads a name that begins at token i, or "".
func (u *utterance) nameFrom(i int) string {
	for i < len(u.tokens) && titles[u.tokens[i].word] {
		i++
	}
	article := i
	i = u.skipTrade(i)
	if i > article && i < len(u.tokens) && !u.tokens[i].capital {
		return "" // "the new intern" is described, not named
	}
	from, to := i, i
	for to < len(u.tokens) && to-from < 5 {
		t := &u.tokens[to]
		if t.kind != tokWord || t.day && !t.capital || to > from && t.gap != 0 && t.gap != '.' {
			break
		}
		if stops[t.word] && !(t.capital && to > from && len(t.raw) > 2 && u.tokens[from].capital) {
			break
		}
		if to > from && t.gap == '.' && len(u.tokens[to-1].raw) > 1 {
			break
		}
		if to > from && u.tokens[from].capital && !t.capital {
			break
		}
		to++
		if t.possessive {
			break
		}
	}
	if to == from || nobody[u.tokens[from].word] {
		return ""
	}
	if !u.tokens[from].capital && to-from > 3 {
		to = from + 3
	}
	name := u.text[u.tokens[from].start:u.tokens[to-1].end]
	name = strings.TrimSuffix(strings.TrimSuffix(name, "'s"), "’s")
	return spelling.Capitalise(name)
}

// skipTrade skips "the electrician" before a name that is written with a capital.
func (u *utterance) skipTrade(i int) int {
	if i >= len(u.tokens) || u.tokens[i].capital {
		return i
	}
	switch u.tokens[i].word {
	case "the", "our", "my", "a", "an", "one":
	default:
		return i
	}
	for j := i + 1; j < len(u.tokens) && j <= i+3; j++ {
		if u.tokens[j].capital {
			return j
		}
		if stops[u.tokens[j].word] || u.tokens[j].gap != 0 {
			break
		}
	}
	return i + 1
}

// searchName returns the name that a list is asked for.
func (g *Grammar) searchName(u *utterance) string {
	if u.name != "" {
		return u.name
	}
	for i := range u.tokens {
		switch u.tokens[i].word {
		case "for", "of", "named", "search", "find", "does", "has", "by":
			j := i + 1
			for j < len(u.tokens) && (u.word(j) == "for" || u.word(j) == "passes" || u.word(j) == "pass" || u.word(j) == "of") {
				j++
			}
			if j >= len(u.tokens) || u.tokens[j].kind != tokWord || u.tokens[j].day {
				continue
			}
			known := g.spell.Known(u.tokens[j].word) && !titles[u.tokens[j].word]
			if !u.tokens[j].capital && known || u.tokens[j].status != "" {
				continue
			}
			if name := u.nameFrom(j); name != "" {
				return name
			}
		}
	}
	return ""
}
