package api

import (
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"
	"time"

	"dossier"
	"dossier/internal/records"
)

// A Page is part of a list.
type Page[T any] struct {
	Items []T    `json:"items"`
	Next  string `json:"next,omitempty" doc:"Pass this as after to get the next part; absent at the end"`
}

// Paging is how operations ask for part of a list.
type Paging struct {
	After string `query:"after" maxLength:"200" doc:"The next of the part before"`
	Limit int    `query:"limit" minimum:"1" maximum:"200" default:"50"`
}

// position reads After.
func (p Paging) position() (records.Position, error) {
	if p.After == "" {
		return records.Position{}, nil
	}
	raw, err := base64.RawURLEncoding.DecodeString(p.After)
	at, id, ok := strings.Cut(string(raw), " ")
	us, perr := strconv.ParseInt(at, 10, 64)
	if err != nil || perr != nil || !ok || id == "" || !isText(id) {
		return records.Position{}, dossier.Errorf(dossier.Invalid, "%q is not a place in this list. Start from the beginning.", p.After)
	}
	return records.Position{At: time.UnixMicro(us).UTC(), ID: id}, nil
}

// page makes a part of a list from one row more than fits, which says whether there
// is a next part.
func page[T any](rows []T, limit int, at func(T) (time.Time, string)) Page[T] {
	if len(rows) <= limit {
		return Page[T]{Items: list(rows)}
	}
	rows = rows[:limit]
	when, id := at(rows[limit-1])
	return Page[T]{Items: rows, Next: base64.RawURLEncoding.EncodeToString(fmt.Appendf(nil, "%d %s", when.UnixMicro(), id))}
}
