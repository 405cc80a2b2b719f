package grammar

import (
	"strings"
	"sync"
)

// A speller finds the word of a vocabulary that a misspelt one most likely is. It
// keeps every word with up to two letters left out, so that looking one up costs a
// few map reads. That takes megabytes, so it does so once the first misspelt word comes.
type speller struct {
	known   map[string]bool // the vocabulary
	plain   map[string]bool // spelt right, and not of the vocabulary
	deletes func() map[string][]string
}

func newSpeller(vocabulary map[string]bool) speller {
	s := speller{known: vocabulary, plain: map[string]bool{}}
	for _, w := range plainWords {
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

// correct returns the known word that w stands for, or w itself.
func (s speller) correct(w string) string {
	if s.known[w] || s.plain[w] || len(w) < 3 || len(w) > 16 {
		return w
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
func (s speller) stem(w string) string {
	if s.known[w] || s.plain[w] || len(w) < 6 {
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
