package store

import (
	"fmt"
	"slices"
	"strings"

	"dossier/internal/records"
)

// A where collects the conditions of a list. A condition's ? become $1, $2 …
type where struct {
	conds []string
	args  []any
}

func (w *where) add(cond string, args ...any) {
	var b strings.Builder
	for _, a := range args {
		head, tail, _ := strings.Cut(cond, "?")
		w.args = append(w.args, a)
		fmt.Fprintf(&b, "%s$%d", head, len(w.args))
		cond = tail
	}
	w.conds = append(w.conds, b.String()+cond)
}

// arg adds a value and returns its place, for what stands before the conditions.
func (w *where) arg(v any) string {
	w.args = append(w.args, v)
	return fmt.Sprintf("$%d", len(w.args))
}

func (w *where) equal(column, value string) {
	if value != "" {
		w.add(column+" = ?", value)
	}
}

// oneOf keeps rows whose column is one of the values; nil keeps all. It returns false
// if nothing can match.
func oneOf[T ~string](w *where, column string, values []T) bool {
	if values == nil {
		return true
	}
	if len(values) == 0 {
		return false
	}
	args := make([]any, len(values))
	for i, v := range values {
		args[i] = string(v)
	}
	w.add(column+" IN (?"+strings.Repeat(", ?", len(values)-1)+")", args...)
	return true
}

// after keeps rows that come after a position, in falling order of a time and id.
func (w *where) after(column string, p records.Position) {
	if !p.At.IsZero() {
		w.add("("+column+" < ? OR "+column+" = ? AND id < ?)", p.At, p.At, p.ID)
	}
}

func (w *where) sql() string {
	if len(w.conds) == 0 {
		return ""
	}
	return " WHERE " + strings.Join(w.conds, " AND ")
}

// limit bounds a list; 0 is 1,000.
func (w *where) limit(n int) string {
	if n <= 0 {
		n = 1000
	}
	w.args = append(slices.Clip(w.args), n)
	return fmt.Sprintf(" LIMIT $%d", len(w.args))
}
