// Package store keeps the product's records in SQLite or PostgreSQL.
//
// A [Store] is everything the other packages ask of a database: the log of the agent
// runner, the records that the API shows, who may sign in, what is due. Each method
// is one transaction, or part of the one that [Store.Within] opened. The evidence
// chain, the voiding of approvals and the waking of runs happen here, inside the
// transaction that calls for them, so that no other package can forget them.
//
// The store decides nothing about rights and knows no app. How the two databases are
// made to look the same is the business of its subpackage sqldb.
package store

import (
	"context"
	"embed"
	"fmt"
	"io/fs"
	"log/slog"
	"sync"
	"time"

	"dossier"
	"dossier/internal/agent"
	"dossier/internal/db"
	"dossier/internal/store/sqldb"
	"dossier/internal/work"
)

//go:embed migrations
var migrations embed.FS

// Options say which database to open and what the store may use.
type Options struct {
	URL string           // "sqlite:FILE" or "postgres://…"
	Now func() time.Time // required
	Dir string           // for the files that show which processes live; "": beside the SQLite file
	Log *slog.Logger     // nil: nothing is logged

	// NewID makes an id from a prefix. Nil: the prefix and random hex digits.
	NewID func(prefix string) string
}

// A Store is an open database with the product's tables.
type Store struct {
	db    *sqldb.DB
	now   func() time.Time
	newID func(prefix string) string
	log   *slog.Logger
	work  *work.Engine
	self  *instance

	mu      sync.Mutex
	changed chan struct{} // closed when events were written
}

var _ agent.Log = (*Store)(nil)
var _ work.Book = (*Store)(nil)

// Open opens the database, brings its tables up to date and returns the store.
func Open(ctx context.Context, o Options) (*Store, error) {
	if o.Now == nil {
		return nil, fmt.Errorf("store: Options.Now is required")
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.NewID == nil {
		o.NewID = NewID
	}
	d, err := sqldb.Open(ctx, o.URL)
	if err != nil {
		return nil, err
	}
	s := &Store{db: d, now: o.Now, newID: o.NewID, log: o.Log, changed: make(chan struct{})}
	if err := s.prepare(ctx, o); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

func (s *Store) prepare(ctx context.Context, o Options) (err error) {
	if s.work, err = work.New(work.Options{DB: s.db, Book: s, Now: o.Now, Log: o.Log}); err != nil {
		return err
	}
	err = s.db.Alone(ctx, sqldb.Setup, func(ctx context.Context) error {
		if err := s.migrate(ctx, "core", migrations); err != nil {
			return err
		}
		if err := s.db.Once(ctx, "queue", "river v0.47.0", s.work.Migrate, sqldb.Micros(s.now())); err != nil {
			return err
		}
		return s.raiseEventBase(ctx)
	})
	if err != nil {
		return err
	}
	s.self, err = newInstance(ctx, s.db, o)
	return err
}

// Migrate applies an owner's migrations: the .sql files in migrations/<database>/ of
// files or, where one text serves both, in migrations/.
func (s *Store) Migrate(ctx context.Context, owner string, files fs.FS) error {
	return s.db.Alone(ctx, sqldb.Setup, func(ctx context.Context) error { return s.migrate(ctx, owner, files) })
}

func (s *Store) migrate(ctx context.Context, owner string, files fs.FS) error {
	ms, err := s.db.Migrations(files, "migrations")
	if err != nil {
		return fmt.Errorf("%s: %w", owner, err)
	}
	return s.db.Migrate(ctx, owner, ms, sqldb.Micros(s.now()))
}

// LoadDemo runs load while no other process loads demo data into the same database.
func (s *Store) LoadDemo(ctx context.Context, load func(ctx context.Context) error) error {
	return s.db.Alone(ctx, sqldb.Demo, load)
}

// Close ends the store. Stop the engine first.
func (s *Store) Close() {
	if s.self != nil {
		s.self.close()
	}
	s.db.Close()
}

// DB returns the database for the SQL of apps and of packages with tables of their
// own.
func (s *Store) DB() db.DB { return s.db }

// Notices returns the way in which processes tell each other that something changed.
func (s *Store) Notices() db.Notices { return s.db }

// Work returns the engine that queues and does jobs.
func (s *Store) Work() *work.Engine { return s.work }

// Within runs fn in a transaction that every write made with the context given to fn
// joins.
func (s *Store) Within(ctx context.Context, fn func(ctx context.Context) error) error {
	return s.db.InTx(ctx, fn)
}

// Ping reports whether the database answers.
func (s *Store) Ping(ctx context.Context) error { return s.db.Ping(ctx) }

// Dialect returns "sqlite" or "postgres".
func (s *Store) Dialect() string { return s.db.Dialect.Name }

// notFound gives a missing row a sentence that names it.
func notFound(err error, what string, id any) error {
	if dossier.KindOf(err) == dossier.NotFound {
		return dossier.Errorf(dossier.NotFound, "There is no %s %v.", what, id)
	}
	return err
}
