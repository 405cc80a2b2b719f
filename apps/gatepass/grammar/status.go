package grammar

import "dossier/apps/gatepass/lexicon"

// readStatus finds the filter that u names and marks the word that names it.
func (u *utterance) readStatus() {
	for i := range u.tokens {
		if s := u.statusAt(i); s != "" {
			u.tokens[i].status = s
			// What follows a negation or comes in more words is more precise.
			if u.status == "" || s == "pending_return" || u.status == "approved" && s == "pending" {
				u.status = s
			}
		}
	}
}

func (u *utterance) statusAt(i int) string {
	w := u.word(i)
	if u.tokens[i].kind != tokWord {
		return ""
	}
	not := u.negated(i)
	switch w {
	case "approved", "approval", "approve":
		if not || u.owed(i) {
			return "pending"
		}
		if w != "approved" {
			return ""
		}
	case "returned", "return", "back", "returning":
		return u.backStatus(i, not)
	case "out":
		return u.outStatus(i)
	case "down":
		if u.word(i-1) == "turned" || u.word(i-1) == "turn" {
			return "rejected"
		}
		return ""
	case "left":
		if not {
			return ""
		}
	}
	return lexicon.Statuses[w]
}

// negated reports whether a "not" or "yet to" stands shortly before token i.
func (u *utterance) negated(i int) bool {
	for j := max(0, i-4); j < i; j++ {
		w := u.word(j)
		if w == "not" || w == "never" || w == "without" || w == "non" || w == "yet" && u.word(j+1) == "to" {
			return true
		}
	}
	return false
}

// owed reports whether the approval at token i is still to come: "need approval",
// "to be approved", "waiting for approval".
func (u *utterance) owed(i int) bool {
	for j := max(0, i-4); j < i; j++ {
		switch u.word(j) {
		case "need", "needs", "needing", "waiting", "awaiting", "require", "requires", "requiring", "await":
			return true
		case "to":
			if u.word(j+1) == "be" || u.word(j+1) == "get" {
				return true
			}
		}
	}
	return false
}

func (u *utterance) backStatus(i int, not bool) string {
	if not || u.word(i-1) == "to" && u.word(i-2) == "yet" || u.word(i-1) == "to" && u.word(i-2) == "still" {
		return "pending_return"
	}
	w := u.word(i)
	if w == "returned" || w == "back" && (u.word(i-1) == "came" || u.word(i-1) == "come" || u.word(i-1) == "is" || u.word(i-1) == "are") {
		return "returned"
	}
	return ""
}

func (u *utterance) outStatus(i int) string {
	switch u.word(i - 1) {
	case "gone", "went", "go", "going", "goes":
		return "exited"
	case "is", "are", "still", "all", "currently", "people", "s":
		return "pending_return"
	}
	if n := u.word(i + 1); n == "now" || n == "currently" {
		return "pending_return"
	}
	return ""
}
