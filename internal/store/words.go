package store

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"dossier"
)

// Where a word of a case stands.
const (
	inCase  = "case"  // its id, subject, title, stage and outcome
	inFacts = "facts" // evidence summaries and findings' reasons
)

const (
	longestWord = 64  // bytes; what is longer is cut
	mostWords   = 400 // of one text
)

// wordsOf returns the words that a text is found by, each once, in lower case. A word
// with signs in it is found from each of its parts on: "rider/EMP-7" by "rider", by
// "emp-7" and by "7".
func wordsOf(texts ...string) []string {
	var out []string
	seen := map[string]bool{}
	for _, text := range texts {
		for _, field := range strings.Fields(strings.ToLower(text)) {
			field = strings.TrimFunc(field, isSign)
			start := true // the next letter or digit begins a part
			for i, r := range field {
				if isSign(r) {
					start = true
					continue
				}
				if !start {
					continue
				}
				start = false
				w := field[i:]
				if len(w) > longestWord {
					w = strings.ToValidUTF8(w[:longestWord], "")
				}
				if !seen[w] && len(out) < mostWords {
					seen[w] = true
					out = append(out, w)
				}
			}
		}
	}
	return out
}

func isSign(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) }

// atOnce is how many words one statement adds: few enough that a database keeps the
// plans of all the texts there are.
const atOnce = 16

// addWords is the statement that adds so many words.
var addWords = func() (texts [atOnce + 1]string) {
	values := "INSERT INTO words (case_id, part, word) VALUES "
	for n := 1; n <= atOnce; n++ {
		values += fmt.Sprintf("($1, $2, $%d)", n+2)
		texts[n] = values + " ON CONFLICT DO NOTHING"
		values += ", "
	}
	return texts
}()

// index lets a case be found by words.
func (s *Store) index(ctx context.Context, id dossier.CaseID, part string, words []string) error {
	for some := range slices.Chunk(words, atOnce) {
		args := []any{id, part}
		for _, w := range some {
			args = append(args, w)
		}
		if _, err := s.db.Exec(ctx, addWords[len(some)], args...); err != nil {
			return fmt.Errorf("index case %s: %w", id, err)
		}
	}
	return nil
}

// reindex lets a case be found by the words it has now, and no more by those it had.
func (s *Store) reindex(ctx context.Context, before, now dossier.Case) error {
	had, has := wordsFor(before), wordsFor(now)
	w := where{}
	w.equal("case_id", string(now.ID))
	w.equal("part", inCase)
	if gone := without(had, has); len(gone) > 0 {
		oneOf(&w, "word", gone)
		if _, err := s.db.Exec(ctx, "DELETE FROM words"+w.sql(), w.args...); err != nil {
			return fmt.Errorf("index case %s: %w", now.ID, err)
		}
	}
	return s.index(ctx, now.ID, inCase, without(has, had))
}

// without returns the words that are not among those taken.
func without(words, taken []string) []string {
	return slices.DeleteFunc(slices.Clone(words), func(w string) bool { return slices.Contains(taken, w) })
}

// wordsFor returns the words of the case itself.
func wordsFor(c dossier.Case) []string {
	return wordsOf(string(c.ID), c.Subject, c.Title, c.Stage, c.Outcome)
}

// few is how many cases a word may stand in so that looking through all of them is
// the quickest way to the newest. For words in more, looking through the newest cases
// is.
const few = 5000

// matching keeps the cases in which a word begins with each word of text. It returns
// what the list selects from: the cases, or first those in which the rarest word
// stands.
func (s *Store) matching(ctx context.Context, w *where, text string) (string, error) {
	asked := askedFor(text)
	rarest, least := -1, few
	for i, word := range asked {
		var n int
		err := s.db.QueryRow(ctx, "SELECT count(*) FROM (SELECT 1 FROM words WHERE word >= $1 AND word < $2 LIMIT $3) found",
			word, word+last, few).Scan(&n)
		if err != nil {
			return "", fmt.Errorf("count the word %q: %w", word, err)
		}
		if n < least {
			rarest, least = i, n
		}
	}
	from := "cases"
	for i, word := range asked {
		if i == rarest {
			from = fmt.Sprintf("(SELECT DISTINCT case_id FROM words WHERE word >= %s AND word < %s) found CROSS JOIN cases",
				w.arg(word), w.arg(word+last))
			w.add("id = found.case_id")
			continue
		}
		w.add("EXISTS (SELECT 1 FROM words WHERE words.case_id = cases.id AND word >= ? AND word < ?)", word, word+last)
	}
	return from, nil
}

// last comes after every letter.
const last = string(unicode.MaxRune)

// askedFor returns the words of a question.
func askedFor(text string) []string {
	var out []string
	for _, field := range strings.Fields(strings.ToLower(text)) {
		field = strings.TrimFunc(field, isSign)
		if len(field) > longestWord {
			field = strings.ToValidUTF8(field[:longestWord], "")
		}
		if field != "" {
			out = append(out, field)
		}
	}
	return out
}
