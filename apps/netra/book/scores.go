package book

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"dossier"
	"dossier/apps/netra/engine"
	"dossier/internal/db"
)

// A Point is one stored score as a history shows it.
type Point struct {
	engine.Place
	Hours   int       `json:"window_hours"`
	At      time.Time `json:"timestamp"`
	Score   float64   `json:"score"`
	Band    string    `json:"band"`
	Trend   string    `json:"trend"`
	Signals int       `json:"signal_count"`
	Version string    `json:"methodology_version"`
}

// SaveScore stores the numbers of a score with the version that made it, and nothing of
// the signals it quotes. A second score of the same
// district, window and microsecond takes the place of the first.
func (b *Book) SaveScore(ctx context.Context, s *engine.Score) error {
	_, err := b.DB.Exec(ctx, `INSERT INTO netra_scores (state, district, hours, at, score, band, trend, signals, version)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT (state, district, hours, at) DO UPDATE SET
		score = excluded.score, band = excluded.band, trend = excluded.trend, signals = excluded.signals, version = excluded.version`,
		s.State, s.District, s.WindowHours, s.Timestamp.UnixMicro(), cents(s.Composite), s.Threshold.Label, s.Trend, s.SignalCount, s.Version)
	if err != nil {
		return fmt.Errorf("save score: %w", err)
	}
	return nil
}

const pointColumns = `state, district, hours, at, score, band, trend, signals, version`

func scanPoint(row db.Row) (p Point, err error) {
	var at, score int64
	err = row.Scan(&p.State, &p.District, &p.Hours, &at, &score, &p.Band, &p.Trend, &p.Signals, &p.Version)
	p.At, p.Score = micro(at), float64(score)/100
	return p, err
}

// History returns the stored scores of a district from a time on, oldest first, the
// newest limit of them.
func (b *Book) History(ctx context.Context, p engine.Place, w engine.Window, from time.Time, limit int) ([]Point, error) {
	rows, err := b.DB.Query(ctx, `SELECT `+pointColumns+` FROM (SELECT `+pointColumns+` FROM netra_scores
		WHERE state = $1 AND district = $2 AND hours = $3 AND at >= $4 ORDER BY at DESC LIMIT $5) AS newest ORDER BY at`,
		p.State, p.District, int(w), from.UnixMicro(), limit)
	return db.Collect(rows, err, scanPoint)
}

// Last returns the newest stored score of a district and window up to a time, and
// false if there is none.
func (b *Book) Last(ctx context.Context, p engine.Place, w engine.Window, upTo time.Time) (Point, bool, error) {
	pt, err := scanPoint(b.DB.QueryRow(ctx, `SELECT `+pointColumns+` FROM netra_scores
		WHERE state = $1 AND district = $2 AND hours = $3 AND at <= $4 ORDER BY at DESC LIMIT 1`, p.State, p.District, int(w), upTo.UnixMicro()))
	if errors.Is(err, dossier.NotFound) {
		return Point{}, false, nil
	}
	if err != nil {
		return Point{}, false, fmt.Errorf("last score: %w", err)
	}
	return pt, true, nil
}

// Hold returns the score of a district that was last followed up, 0 if none was, and
// keeps everyone else from following up on that district until the transaction ends.
func (b *Book) Hold(ctx context.Context, p engine.Place) (float64, error) {
	var score int64
	err := b.DB.QueryRow(ctx, `INSERT INTO netra_standings (state, district, score) VALUES ($1, $2, 0)
		ON CONFLICT (state, district) DO UPDATE SET score = netra_standings.score RETURNING score`, p.State, p.District).Scan(&score)
	if err != nil {
		return 0, fmt.Errorf("hold %s: %w", p, err)
	}
	return float64(score) / 100, nil
}

// Followed notes that a score was followed up.
func (b *Book) Followed(ctx context.Context, s *engine.Score) error {
	if _, err := b.DB.Exec(ctx, `UPDATE netra_standings SET score = $1 WHERE state = $2 AND district = $3`, cents(s.Composite), s.State, s.District); err != nil {
		return fmt.Errorf("note what was followed up: %w", err)
	}
	return nil
}

// Above returns the districts whose score that was last followed up is not 0.
func (b *Book) Above(ctx context.Context) (map[engine.Place]bool, error) {
	rows, err := b.DB.Query(ctx, `SELECT state, district FROM netra_standings WHERE score > 0`)
	list, err := db.Collect(rows, err, func(row db.Row) (p engine.Place, err error) {
		err = row.Scan(&p.State, &p.District)
		return p, err
	})
	out := make(map[engine.Place]bool, len(list))
	for _, p := range list {
		out[p] = true
	}
	return out, err
}

// cents is a score of two decimals as a whole number.
func cents(score float64) int64 { return int64(math.Round(score * 100)) }

// A Review is an officer's word on a score: whether it was a false alarm.
type Review struct {
	ID         string       `json:"id"`
	Place      engine.Place `json:"place"`
	Hours      int          `json:"window_hours"`
	ScoreAt    time.Time    `json:"score_timestamp"`
	Score      float64      `json:"score"`
	Band       string       `json:"band"`
	FalseAlarm bool         `json:"false_alarm"`
	Note       string       `json:"note"` // redacted
	Reviewer   string       `json:"reviewer"`
	At         time.Time    `json:"at"`
}

// SaveReview stores a review. The same reviewer's second word on a score replaces the first.
func (b *Book) SaveReview(ctx context.Context, r Review) (Review, error) {
	r.ID = b.NewID("REV-")
	err := b.DB.QueryRow(ctx, `INSERT INTO netra_reviews (id, state, district, hours, score_at, score, band, false_alarm, note, reviewer, at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
		ON CONFLICT (state, district, hours, score_at, reviewer) DO UPDATE SET false_alarm = excluded.false_alarm, note = excluded.note, at = excluded.at
		RETURNING id`,
		r.ID, r.Place.State, r.Place.District, r.Hours, r.ScoreAt.UnixMicro(), cents(r.Score), r.Band, bit(r.FalseAlarm), r.Note, r.Reviewer, r.At.UnixMicro()).Scan(&r.ID)
	if err != nil {
		return r, fmt.Errorf("save review: %w", err)
	}
	return r, nil
}

func bit(v bool) int {
	if v {
		return 1
	}
	return 0
}

// Reviews returns the newest reviews.
func (b *Book) Reviews(ctx context.Context, limit int) ([]Review, error) {
	rows, err := b.DB.Query(ctx, `SELECT id, state, district, hours, score_at, score, band, false_alarm, note, reviewer, at
		FROM netra_reviews ORDER BY at DESC LIMIT $1`, limit)
	return db.Collect(rows, err, func(row db.Row) (r Review, err error) {
		var scoreAt, score, at int64
		var alarm int
		err = row.Scan(&r.ID, &r.Place.State, &r.Place.District, &r.Hours, &scoreAt, &score, &r.Band, &alarm, &r.Note, &r.Reviewer, &at)
		r.ScoreAt, r.Score, r.FalseAlarm, r.At = micro(scoreAt), float64(score)/100, alarm == 1, micro(at)
		return r, err
	})
}

// A Rate is how often reviewed scores of a district and band were false alarms.
type Rate struct {
	engine.Place
	Band        string  `json:"band"`
	Reviewed    int     `json:"reviewed"`
	FalseAlarms int     `json:"false_alarms"`
	Rate        float64 `json:"rate"` // false alarms over reviewed
}

// FalseAlarmRates returns the rates of every district and band with a review.
func (b *Book) FalseAlarmRates(ctx context.Context) ([]Rate, error) {
	rows, err := b.DB.Query(ctx, `SELECT state, district, band, COUNT(*), SUM(false_alarm) FROM netra_reviews
		GROUP BY state, district, band ORDER BY state, district, band`)
	return db.Collect(rows, err, func(row db.Row) (r Rate, err error) {
		err = row.Scan(&r.State, &r.District, &r.Band, &r.Reviewed, &r.FalseAlarms)
		if r.Reviewed > 0 {
			r.Rate = math.Round(float64(r.FalseAlarms)/float64(r.Reviewed)*1e4) / 1e4
		}
		return r, err
	})
}
