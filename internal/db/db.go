// Package db is how a package that must not see the store reads and writes rows.
//
// The same SQL text, with $1 placeholders, runs on SQLite and PostgreSQL. A call
// made with a context that carries a transaction joins it, so an app's rows, the
// step that wrote them and the work they call for commit together. The package
// holds interfaces, and next to nothing else: the store implements them, apps use them,
// and neither imports the other.
package db

import (
	"context"
	"fmt"
	"strconv"
	"strings"
)

// A DB runs statements, each on its own or inside the transaction that ctx carries.
type DB interface {
	// Exec runs a statement and returns how many rows it changed.
	Exec(ctx context.Context, query string, args ...any) (int64, error)
	// Query runs a query. The caller closes the rows.
	Query(ctx context.Context, query string, args ...any) (Rows, error)
	// QueryRow runs a query for one row. Scan returns a dossier.NotFound error if
	// there is none.
	QueryRow(ctx context.Context, query string, args ...any) Row
	// InTx runs fn with a context that carries a transaction, joining the one that
	// ctx carries if there is one. An error from fn undoes all of it. A violated
	// unique constraint is a dossier.Conflict error.
	InTx(ctx context.Context, fn func(ctx context.Context) error) error
	// Scrub clears what was deleted from tables out of the database's own files. Call
	// it after the deletion has committed.
	Scrub(ctx context.Context, tables ...string) error
}

// Notices tell the processes on one database that something changed. They carry no
// more than that: what changed is read from the records, so nothing is lost with a
// notice.
type Notices interface {
	// Notify tells those who watch topic, in every process, that something about it
	// changed: once the transaction that ctx carries has committed, and never if it
	// is undone.
	Notify(ctx context.Context, topic string) error
	// Watch calls heard whenever something about topic changed, or may have without
	// word of it, until stop is called. heard must return at once and may be called
	// by several goroutines.
	Watch(topic string, heard func()) (stop func())
}

// Rows are the result of a query.
type Rows interface {
	Next() bool
	Scan(dest ...any) error
	Err() error
	Close()
}

// A Row is the first row of a result.
type Row interface {
	Scan(dest ...any) error
}

// Collect reads all rows with scan and closes them.
func Collect[T any](rows Rows, err error, scan func(Row) (T, error)) ([]T, error) {
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var out []T
	for rows.Next() {
		v, err := scan(rows)
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, rows.Err()
}

// In returns the condition that column is one of values, which there must be, and the
// values as arguments from $1 on.
func In(column string, values []string) (cond string, args []any) {
	places := make([]string, len(values))
	for i, v := range values {
		places[i] = "$" + strconv.Itoa(i+1)
		args = append(args, v)
	}
	return column + " IN (" + strings.Join(places, ", ") + ")", args
}

// Lines returns n comma-separated groups of k placeholders, for an INSERT of n rows:
// "($1,$2),($3,$4)".
func Lines(n, k int) string {
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteByte('(')
		for j := range k {
			if j > 0 {
				b.WriteByte(',')
			}
			fmt.Fprintf(&b, "$%d", i*k+j+1)
		}
		b.WriteByte(')')
	}
	return b.String()
}
