package grammar

import "dossier/apps/gatepass/lexicon"

// readHindi reads the words of Hindi in u and puts what its postpositions say where
// English has it: "Ravi ke liye" is for Ravi, "Ravi ka pass" is Ravi's pass.
func (u *utterance) readHindi() {
	out := u.tokens[:0:0]
	for i := 0; i < len(u.tokens); i++ {
		t := u.tokens[i]
		if t.kind != tokWord {
			out = append(out, t)
			continue
		}
		switch next := u.word(i + 1); {
		case t.word == "ko" && len(out) > 0 && out[len(out)-1].capital && out[len(out)-1].kind == tokWord:
			out = before(out, "for") // "Suresh ko": it is Suresh who must
			continue
		case (t.word == "aa" || t.word == "wapas") && (next == "jayega" || next == "jayegi" || next == "jayenge"):
			t.word = "return"
			out = append(out, t)
			i++
			continue
		case (t.word == "ke" || t.word == "k") && (next == "liye" || next == "lie") && len(out) > 0:
			out = before(out, "for")
			i++
			continue
		case (t.word == "ka" || t.word == "ki" || t.word == "ke") && len(out) > 0 && next != "":
			if last := &out[len(out)-1]; last.kind == tokWord && last.capital {
				last.possessive = true
			}
			continue
		case t.word == "do" && len(out) > 0 && t.gap == 0 && lexicon.Hindi[u.word(i-1)] != "":
			continue // "kar do": the verb stands before it
		}
		if w, ok := lexicon.Hindi[t.word]; ok && (!t.capital || i == 0) {
			if w == "-" {
				if i+1 < len(u.tokens) && u.tokens[i+1].gap == 0 {
					u.tokens[i+1].gap = t.gap
				}
				continue
			}
			t.word = w
		}
		out = append(out, t)
	}
	u.tokens = out
}

// before puts word in front of the name, or the one token, that tokens end with.
func before(tokens []token, word string) []token {
	from := len(tokens) - 1
	for from > 0 && tokens[from].capital && tokens[from-1].capital && tokens[from].gap == 0 {
		from--
	}
	t := tokens[from]
	mark := token{word: word, start: t.start, end: t.start, gap: t.gap}
	tokens[from].gap = 0
	return append(tokens[:from], append([]token{mark}, tokens[from:]...)...)
}
