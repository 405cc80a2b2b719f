// Package book keeps the records of the district risk app: signals, scores, reviews,
// proposed weights and the proof of what was deleted.
//
// Every method is one transaction or one query; callers that need several together
// use InTx of the database they gave. The clock row counts arrivals (seq) and changes
// to what is already stored (epoch), so that other processes can tell by one cheap
// look whether what they hold in memory is current. The package stores what it is
// given: redaction has happened before. Whoever watches is told of every change of the
// clock row, in this process and in others.
package book

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"dossier/apps/netra/engine"
	"dossier/apps/netra/ingest"
	"dossier/internal/db"
)

// A Book is the app's records in one database.
type Book struct {
	DB      db.DB
	Notices db.Notices
	NewID   func(prefix string) string
}

// topic is what changes of the clock row are told under.
const topic = "netra"

// Watch calls heard when the clock row has changed, or may have.
func (b *Book) Watch(heard func()) { b.Notices.Watch(topic, heard) }

// A Mark says how far the records have come.
type Mark struct {
	Seq   int64 // grows with every new signal
	Epoch int64 // grows when a stored signal, or the method, changes
}

// Mark reads the clock row.
func (b *Book) Mark(ctx context.Context) (m Mark, err error) {
	err = b.DB.QueryRow(ctx, `SELECT seq, epoch FROM netra_clock WHERE id = 1`).Scan(&m.Seq, &m.Epoch)
	if err != nil {
		return m, fmt.Errorf("read clock: %w", err)
	}
	return m, nil
}

// touch says that something stored has changed.
func (b *Book) touch(ctx context.Context) error {
	if _, err := b.DB.Exec(ctx, `UPDATE netra_clock SET epoch = epoch + 1 WHERE id = 1`); err != nil {
		return fmt.Errorf("advance epoch: %w", err)
	}
	return b.Notices.Notify(ctx, topic)
}

// Taken is what became of accepted reports.
type Taken struct {
	Signals []engine.Signal // the new ones and those that a graver report gave new words, with their ids
	Folded  int             // reports of events already known
	Places  []engine.Place  // districts that changed, sorted
}

// Take stores accepted reports, folding those of events already known. All or nothing.
func (b *Book) Take(ctx context.Context, reports []ingest.Accepted, now time.Time) (out Taken, err error) {
	err = b.DB.InTx(ctx, func(ctx context.Context) error {
		out = Taken{}
		t := taking{Book: b, now: now, known: map[engine.Place][]known{}, changed: map[engine.Place]bool{}}
		var seq int64
		if err := b.DB.QueryRow(ctx, `UPDATE netra_clock SET seq = seq + $1 WHERE id = 1 RETURNING seq`, len(reports)).Scan(&seq); err != nil {
			return fmt.Errorf("advance clock: %w", err)
		}
		t.seq, t.from = seq-int64(len(reports)), now
		ordered := slices.Clone(reports) // so that what is folded does not depend on the order of a file
		slices.SortStableFunc(ordered, func(a, b ingest.Accepted) int { return a.Signal.Timestamp.Compare(b.Signal.Timestamp) })
		if len(ordered) > 0 && ordered[0].Signal.Timestamp.Before(t.from) {
			t.from = ordered[0].Signal.Timestamp
		}
		for i := range ordered {
			if err := t.take(ctx, &ordered[i], &out); err != nil {
				return err
			}
		}
		for p := range t.changed {
			out.Places = append(out.Places, p)
		}
		slices.SortFunc(out.Places, comparePlaces)
		if out.Folded > 0 {
			return b.touch(ctx)
		}
		return b.Notices.Notify(ctx, topic)
	})
	return out, err
}

func comparePlaces(a, b engine.Place) int {
	return strings.Compare(a.State+"/"+a.District, b.State+"/"+b.District)
}

// A taking is the work of one Take.
type taking struct {
	*Book
	now     time.Time
	from    time.Time // of the earliest report
	seq     int64
	known   map[engine.Place][]known
	changed map[engine.Place]bool
}

// known is a stored signal that a report may be about.
type known struct {
	signal engine.Signal
	latest time.Time // of its reports; the signal's own time is that of the first
	print  []string
}

// reports tells whether a report is of the same event: by its words, and within a day of
// the event's first report and of its last.
func (k *known) reports(s *engine.Signal, print []string) bool {
	return ingest.SameEvent(&k.signal, k.print, s, print) && k.latest.Sub(s.Timestamp) <= ingest.SameEventWithin
}

func (t *taking) take(ctx context.Context, r *ingest.Accepted, out *Taken) error {
	s := r.Signal
	near, err := t.near(ctx, &s)
	if err != nil {
		return err
	}
	t.changed[s.Place()] = true
	print := ingest.Fingerprint(s.EventSummary)
	for i := range near {
		if k := &near[i]; k.reports(&s, print) {
			out.Folded++
			if s.Severity > k.signal.Severity {
				if err := t.worsen(ctx, k, r, print); err != nil {
					return err
				}
				out.Signals = append(out.Signals, k.signal)
			}
			return t.fold(ctx, k, &s)
		}
	}
	t.seq++
	s.ID = t.NewID("SIG-")
	if err := t.insert(ctx, &s, r.Classed); err != nil {
		return err
	}
	t.known[s.Place()] = append(t.known[s.Place()], known{s, s.Timestamp, print})
	out.Signals = append(out.Signals, s)
	return nil
}

// near returns the signals of the district that could be the same event, loading the
// district once.
func (t *taking) near(ctx context.Context, s *engine.Signal) ([]known, error) {
	p := s.Place()
	if list, ok := t.known[p]; ok {
		return list, nil
	}
	rows, err := t.DB.Query(ctx, `SELECT `+signalColumns+`, latest FROM netra_signals
		WHERE state = $1 AND district = $2 AND at >= $3 AND at <= $4 ORDER BY at DESC, seq DESC`,
		p.State, p.District, t.from.Add(-foldReach).UnixMicro(), t.now.Add(foldReach).UnixMicro())
	list, err := db.Collect(rows, err, func(row db.Row) (k known, err error) {
		var latest int64
		k.signal, err = scanSignal(extended{row, []any{&latest}})
		k.latest, k.print = micro(latest), ingest.Fingerprint(k.signal.EventSummary)
		return k, err
	})
	if err != nil {
		return nil, fmt.Errorf("load signals of %s: %w", p, err)
	}
	t.known[p] = list
	return list, nil
}

// foldReach is how far around the reports stored signals are looked at.
const foldReach = 25 * time.Hour

// fold joins a report to a stored signal: one more source if it is a new one, and the
// times of the first and the last report.
func (t *taking) fold(ctx context.Context, k *known, report *engine.Signal) error {
	stored := &k.signal
	n, err := t.DB.Exec(ctx, `INSERT INTO netra_sources (signal, source) VALUES ($1, $2) ON CONFLICT DO NOTHING`, stored.ID, ingest.SourceOf(report))
	if err != nil {
		return fmt.Errorf("add source: %w", err)
	}
	stored.Sources += int(n)
	if report.Timestamp.Before(stored.Timestamp) {
		stored.Timestamp = report.Timestamp
	}
	if report.Timestamp.After(k.latest) {
		k.latest = report.Timestamp
	}
	_, err = t.DB.Exec(ctx, `UPDATE netra_signals SET sources = $1, at = $2, latest = $3 WHERE id = $4`,
		stored.Sources, stored.Timestamp.UnixMicro(), k.latest.UnixMicro(), stored.ID)
	if err != nil {
		return fmt.Errorf("fold into %s: %w", stored.ID, err)
	}
	return nil
}

// worsen gives a stored signal the words and the classification of a graver report of
// the same event: what a first report could not know yet must not be lost.
func (t *taking) worsen(ctx context.Context, k *known, r *ingest.Accepted, print []string) error {
	rule, used, err := classed(r.Classed)
	if err != nil {
		return err
	}
	s := r.Signal
	s.ID, s.Timestamp, s.Sources = k.signal.ID, k.signal.Timestamp, k.signal.Sources
	_, err = t.DB.Exec(ctx, `UPDATE netra_signals SET location = $1, event_summary = $2, source_url = $3, source_type = $4,
		layers = $5, polarity = $6, severity = $7, tags = $8, by_rule = $9, by_model = '', used = $10 WHERE id = $11`,
		s.Location, s.EventSummary, s.SourceURL, s.SourceType, join(s.RiskLayers), string(s.Polarity), s.Severity, join(s.GeoSensitivity), rule, used, s.ID)
	if err != nil {
		return fmt.Errorf("worsen %s: %w", s.ID, err)
	}
	k.signal, k.print = s, print
	return nil
}

// classed returns a classification as it is stored, and who made it.
func classed(c ingest.Classification) (rule, used string, err error) {
	raw, err := json.Marshal(c)
	if err != nil {
		return "", "", fmt.Errorf("encode classification: %w", err)
	}
	if c.By == "given" {
		return string(raw), "given", nil
	}
	return string(raw), "rule", nil
}

func (t *taking) insert(ctx context.Context, s *engine.Signal, c ingest.Classification) error {
	rule, used, err := classed(c)
	if err != nil {
		return err
	}
	_, err = t.DB.Exec(ctx, `INSERT INTO netra_signals (id, seq, state, district, location, event_summary, at, source_url, source_type,
		layers, polarity, severity, tags, sources, by_rule, by_model, used, taken, latest)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, '', $16, $17, $7)`,
		s.ID, t.seq, s.State, s.District, s.Location, s.EventSummary, s.Timestamp.UnixMicro(), s.SourceURL, s.SourceType,
		join(s.RiskLayers), string(s.Polarity), s.Severity, join(s.GeoSensitivity), s.Sources, rule, used, t.now.UnixMicro())
	if err != nil {
		return fmt.Errorf("insert signal: %w", err)
	}
	_, err = t.DB.Exec(ctx, `INSERT INTO netra_sources (signal, source) VALUES ($1, $2) ON CONFLICT DO NOTHING`, s.ID, ingest.SourceOf(s))
	if err != nil {
		return fmt.Errorf("insert source: %w", err)
	}
	return nil
}

func join[T ~string](list []T) string {
	parts := make([]string, len(list))
	for i, v := range list {
		parts[i] = string(v)
	}
	return strings.Join(parts, ",")
}

func split[T ~string](s string) []T {
	if s == "" {
		return nil
	}
	var out []T
	for _, v := range strings.Split(s, ",") {
		out = append(out, T(v))
	}
	return out
}

const signalColumns = `id, state, district, location, event_summary, at, source_url, source_type, layers, polarity, severity, tags, sources`

func scanSignal(row db.Row) (s engine.Signal, err error) {
	var at int64
	var layers, tags string
	err = row.Scan(&s.ID, &s.State, &s.District, &s.Location, &s.EventSummary, &at, &s.SourceURL, &s.SourceType, &layers, &s.Polarity, &s.Severity, &tags, &s.Sources)
	s.Timestamp, s.RiskLayers, s.GeoSensitivity = micro(at), split[engine.Layer](layers), split[engine.Tag](tags)
	return s, err
}

func micro(at int64) time.Time { return time.UnixMicro(at).UTC() }

// Signals returns the signals of a district from one time up to another, newest first.
func (b *Book) Signals(ctx context.Context, p engine.Place, from, to time.Time) ([]engine.Signal, error) {
	rows, err := b.DB.Query(ctx, `SELECT `+signalColumns+` FROM netra_signals
		WHERE state = $1 AND district = $2 AND at >= $3 AND at <= $4 ORDER BY at DESC, seq DESC`, p.State, p.District, from.UnixMicro(), to.UnixMicro())
	return db.Collect(rows, err, scanSignal)
}

// Between returns the signals of all districts that arrived after one mark up to another
// and happened after a time, in the order of arrival. What arrives after the second mark
// is left for whoever asks from there.
func (b *Book) Between(ctx context.Context, after, upTo Mark, from time.Time) ([]engine.Signal, error) {
	rows, err := b.DB.Query(ctx, `SELECT `+signalColumns+` FROM netra_signals WHERE seq > $1 AND seq <= $2 AND at >= $3 ORDER BY seq`,
		after.Seq, upTo.Seq, from.UnixMicro())
	return db.Collect(rows, err, scanSignal)
}

// An Account is how a stored signal came to be classified.
type Account struct {
	Signal  engine.Signal          `json:"signal"`
	ByRule  ingest.Classification  `json:"by_rule"`
	ByModel *ingest.Classification `json:"by_model"`
	Used    string                 `json:"used"` // rule, given or model
	Why     string                 `json:"why"`  // the words that decided
}

const accountColumns = signalColumns + `, by_rule, by_model, used`

func scanAccount(row db.Row) (a Account, err error) {
	var rule, model string
	a.Signal, err = scanSignal(extended{row, []any{&rule, &model, &a.Used}})
	if err != nil {
		return a, err
	}
	if err := json.Unmarshal([]byte(rule), &a.ByRule); err != nil {
		return a, fmt.Errorf("decode classification of %s: %w", a.Signal.ID, err)
	}
	a.Why = a.ByRule.Rationale()
	if model != "" {
		a.ByModel = &ingest.Classification{}
		if err := json.Unmarshal([]byte(model), a.ByModel); err != nil {
			return a, fmt.Errorf("decode model classification of %s: %w", a.Signal.ID, err)
		}
	}
	return a, nil
}

// Account returns a signal with both classifications.
func (b *Book) Account(ctx context.Context, id string) (Account, error) {
	a, err := scanAccount(b.DB.QueryRow(ctx, `SELECT `+accountColumns+` FROM netra_signals WHERE id = $1`, id))
	if err != nil {
		return a, fmt.Errorf("load signal %s: %w", id, err)
	}
	return a, nil
}

// Accounts returns the signals of a district from one time up to another with their
// classifications, newest first.
func (b *Book) Accounts(ctx context.Context, p engine.Place, from, to time.Time, limit int) ([]Account, error) {
	rows, err := b.DB.Query(ctx, `SELECT `+accountColumns+` FROM netra_signals
		WHERE state = $1 AND district = $2 AND at >= $3 AND at <= $4 ORDER BY at DESC, seq DESC LIMIT $5`, p.State, p.District, from.UnixMicro(), to.UnixMicro(), limit)
	return db.Collect(rows, err, scanAccount)
}

// extended scans more columns behind those of a signal.
type extended struct {
	db.Row
	more []any
}

func (e extended) Scan(dest ...any) error { return e.Row.Scan(append(dest, e.more...)...) }

// Propose stores a model's classification of a signal beside the rule's. Only with use
// does the signal take it over. A signal whose words are no longer those that the model
// read stays as it is.
func (b *Book) Propose(ctx context.Context, s engine.Signal, c ingest.Classification, use bool) error {
	raw, err := json.Marshal(c)
	if err != nil {
		return fmt.Errorf("encode classification: %w", err)
	}
	return b.DB.InTx(ctx, func(ctx context.Context) error {
		n, err := b.DB.Exec(ctx, `UPDATE netra_signals SET by_model = $1 WHERE id = $2 AND event_summary = $3`, string(raw), s.ID, s.EventSummary)
		if err != nil {
			return fmt.Errorf("store classification of %s: %w", s.ID, err)
		}
		if !use || n == 0 {
			return nil
		}
		if _, err := b.DB.Exec(ctx, `UPDATE netra_signals SET layers = $1, polarity = $2, severity = $3, tags = $4, used = 'model' WHERE id = $5`,
			join(c.Layers), string(c.Polarity), c.Severity, join(c.Tags), s.ID); err != nil {
			return fmt.Errorf("use classification of %s: %w", s.ID, err)
		}
		return b.touch(ctx)
	})
}
