package sqldb

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"dossier/internal/db"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

var _ db.Notices = (*DB)(nil)

// notices hands out notifications in this process and fetches those of others, while
// somebody watches and at no other time.
type notices struct {
	mu       sync.Mutex
	watchers map[*watcher]struct{}
	stop     context.CancelFunc // ends fetching; nil while nobody fetches
	done     chan struct{}      // closed when fetching has ended
	closed   bool
}

type watcher struct {
	topic string
	heard func()
}

const (
	// retry is how long the listening connection waits before it is made again, and
	// how often watchers are told to look for themselves until then.
	retry = time.Second
	// quiet is how long nothing may be heard before the connection is tried.
	quiet = 30 * time.Second
	// glance is how often SQLite is asked whether another process has written.
	glance = 250 * time.Millisecond
)

// Notify implements db.Notices. On PostgreSQL the notification is part of the
// transaction; watchers of this process need not wait for it to come round.
func (d *DB) Notify(ctx context.Context, topic string) error {
	if d.postgres != nil {
		if _, err := d.Exec(ctx, "SELECT pg_notify($1, $2)", d.channel(), topic); err != nil {
			return fmt.Errorf("notify %s: %w", topic, err)
		}
	}
	d.AtEnd(ctx, func(committed bool) {
		if committed {
			d.notices.tell(topic)
		}
	})
	return nil
}

// Watch implements db.Notices.
func (d *DB) Watch(topic string, heard func()) (stop func()) {
	w := &watcher{topic, heard}
	s := &d.notices
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.watchers == nil {
		s.watchers = map[*watcher]struct{}{}
	}
	s.watchers[w] = struct{}{}
	if s.stop == nil && !s.closed {
		var ctx context.Context
		ctx, s.stop = context.WithCancel(context.Background())
		s.done = make(chan struct{})
		go func() {
			defer close(s.done)
			d.fetch(ctx)
		}()
	}
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.watchers, w)
	}
}

// close ends fetching and waits for it.
func (s *notices) close() {
	s.mu.Lock()
	s.closed = true
	stop, done := s.stop, s.done
	s.mu.Unlock()
	if stop != nil {
		stop()
		<-done
	}
}

// tell calls those who watch topic; "" calls all.
func (s *notices) tell(topic string) {
	s.mu.Lock()
	var list []func()
	for w := range s.watchers {
		if topic == "" || w.topic == topic {
			list = append(list, w.heard)
		}
	}
	s.mu.Unlock()
	for _, heard := range list {
		heard()
	}
}

// fetch brings in what other processes tell, until ctx ends.
func (d *DB) fetch(ctx context.Context) {
	if d.postgres == nil {
		d.glance(ctx)
		return
	}
	for ctx.Err() == nil {
		_ = d.listen(ctx) // whatever the reason, watchers look for themselves and it is tried again
		d.notices.tell("")
		pause(ctx, retry)
	}
}

// channel is what the processes of one schema listen on.
func (d *DB) channel() string { return fmt.Sprintf("dossier_%08x", uint32(d.writers)) } //nolint:gosec // any 32 bits will do

// listen hears PostgreSQL's notifications on a connection of its own until it is lost.
// Once it listens, everybody is told: something may have happened before.
func (d *DB) listen(ctx context.Context) error {
	c, err := connect(ctx, d.postgres)
	if err != nil {
		return err
	}
	defer func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), retry)
		defer cancel()
		_ = c.Close(ctx)
	}()
	if _, err := c.Exec(ctx, "LISTEN "+pgx.Identifier{d.channel()}.Sanitize()); err != nil {
		return err
	}
	d.notices.tell("")
	for {
		wait, cancel := context.WithTimeout(ctx, quiet)
		n, err := c.WaitForNotification(wait)
		cancel()
		switch {
		case err == nil:
			d.notices.tell(n.Payload)
		case ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded):
			if err := alive(ctx, c); err != nil {
				return err
			}
		default:
			return err
		}
	}
}

func connect(ctx context.Context, p *pgxpool.Pool) (*pgx.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, quiet)
	defer cancel()
	return pgx.ConnectConfig(ctx, p.Config().ConnConfig)
}

func alive(ctx context.Context, c *pgx.Conn) error {
	ctx, cancel := context.WithTimeout(ctx, 10*retry)
	defer cancel()
	return c.Ping(ctx)
}

// glance notices that another process has written to the SQLite file: the number it
// asks the writing connection for changes with the commits of other connections only,
// and all writing in this process is done on that one. The first look tells everybody
// as well: something may have happened before.
func (d *DB) glance(ctx context.Context) {
	last := int64(-1)
	for ctx.Err() == nil {
		if n, err := d.dataVersion(ctx); err == nil && n != last {
			last = n
			d.notices.tell("")
		}
		pause(ctx, glance)
	}
}

func (d *DB) dataVersion(ctx context.Context) (n int64, err error) {
	ctx, cancel := context.WithTimeout(ctx, retry)
	defer cancel()
	err = d.sqlite.QueryRowContext(ctx, "PRAGMA data_version").Scan(&n)
	return n, err
}

func pause(ctx context.Context, t time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(t):
	}
}
