package store

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"dossier"
	"dossier/internal/db"
	"dossier/internal/records"
)

// BeginResult stores a run of a suite that is about to be played. Its rows follow one
// by one, so that a process that is killed loses at most those under way.
func (s *Store) BeginResult(ctx context.Context, res records.EvalResult) error {
	body, err := json.Marshal(res)
	if err != nil {
		return fmt.Errorf("encode result %s: %w", res.ID, err)
	}
	_, err = s.db.Exec(ctx, "INSERT INTO eval_runs (id, app, suite, player, body, at) VALUES ($1, $2, $3, $4, $5, $6)",
		res.ID, res.App, res.Suite, res.Player, json.RawMessage(body), res.Started)
	if err != nil {
		return fmt.Errorf("begin result %s: %w", res.ID, err)
	}
	return nil
}

// KeepRow stores the row at place seq, from 1, of a run of a suite. A place is filled
// once.
func (s *Store) KeepRow(ctx context.Context, id string, seq int, r records.EvalRow) error {
	raw, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("encode row %s of result %s: %w", r.Example, id, err)
	}
	_, err = s.db.Exec(ctx, `INSERT INTO eval_rows (eval_run, seq, example, body) VALUES ($1, $2, $3, $4)
		ON CONFLICT (eval_run, seq) DO NOTHING`, id, seq, r.Example, json.RawMessage(raw))
	if err != nil {
		return fmt.Errorf("save row %d of result %s: %w", seq, id, err)
	}
	return nil
}

// FinishResult stores what a run of a suite came to.
func (s *Store) FinishResult(ctx context.Context, res records.EvalResult) error {
	body, err := json.Marshal(res)
	if err != nil {
		return fmt.Errorf("encode result %s: %w", res.ID, err)
	}
	n, err := s.db.Exec(ctx, "UPDATE eval_runs SET body = $2 WHERE id = $1", res.ID, json.RawMessage(body))
	if err != nil {
		return fmt.Errorf("finish result %s: %w", res.ID, err)
	}
	if n == 0 {
		return dossier.Errorf(dossier.NotFound, "There is no result %s.", res.ID)
	}
	return nil
}

// SaveResult stores one run of a suite with its rows.
func (s *Store) SaveResult(ctx context.Context, res records.EvalResult, rows []records.EvalRow) error {
	return s.db.InTx(ctx, func(ctx context.Context) error {
		if err := s.BeginResult(ctx, res); err != nil {
			return err
		}
		for i, r := range rows {
			if err := s.KeepRow(ctx, res.ID, i+1, r); err != nil {
				return err
			}
		}
		return nil
	})
}

// Results returns the newest runs of suites; "" for every suite, nil for every app.
func (s *Store) Results(ctx context.Context, apps []string, suite string, limit int) ([]records.EvalResult, error) {
	w := where{}
	if !oneOf(&w, "app", apps) {
		return nil, nil
	}
	w.equal("suite", suite)
	query := "SELECT body FROM eval_runs" + w.sql() + " ORDER BY at DESC, id DESC" + w.limit(limit)
	rows, err := s.db.Query(ctx, query, w.args...)
	return db.Collect(rows, err, scanBody[records.EvalResult])
}

// Measured returns the newest run of a suite of an app that a player played to the end,
// and false if there is none.
func (s *Store) Measured(ctx context.Context, app, suite, player string) (records.EvalResult, bool, error) {
	w := where{}
	w.equal("app", app)
	w.equal("suite", suite)
	w.equal("player", player)
	rows, err := s.db.Query(ctx, "SELECT body FROM eval_runs"+w.sql()+" ORDER BY at DESC, id DESC"+w.limit(50), w.args...)
	results, err := db.Collect(rows, err, scanBody[records.EvalResult])
	if i := slices.IndexFunc(results, records.EvalResult.Done); err == nil && i >= 0 {
		return results[i], true, nil
	}
	return records.EvalResult{}, false, err
}

// Result returns one run of a suite with its rows.
func (s *Store) Result(ctx context.Context, id string) (records.EvalResult, []records.EvalRow, error) {
	res, err := scanBody[records.EvalResult](s.db.QueryRow(ctx, "SELECT body FROM eval_runs WHERE id = $1", id))
	if err != nil {
		return res, nil, notFound(err, "result", id)
	}
	rows, err := s.db.Query(ctx, "SELECT body FROM eval_rows WHERE eval_run = $1 ORDER BY seq", id)
	out, err := db.Collect(rows, err, scanBody[records.EvalRow])
	return res, out, err
}

// AskLabel queues something that a person should judge. An item with the same id is
// asked once.
func (s *Store) AskLabel(ctx context.Context, item records.LabelItem) error {
	item.Label = nil
	if item.ID == "" {
		item.ID = s.newID("lab-")
	}
	if item.Queued.IsZero() {
		item.Queued = s.now().UTC()
	}
	body, err := json.Marshal(item)
	if err != nil {
		return fmt.Errorf("encode item %s: %w", item.ID, err)
	}
	_, err = s.db.Exec(ctx, `INSERT INTO labels (id, app, body, label, queued, labelled) VALUES ($1, $2, $3, '', $4, 0)
		ON CONFLICT (id) DO NOTHING`, item.ID, item.App, json.RawMessage(body), item.Queued)
	if err != nil {
		return fmt.Errorf("queue item %s: %w", item.ID, err)
	}
	return nil
}

// Unlabelled returns what people should look at, newest first.
func (s *Store) Unlabelled(ctx context.Context, apps []string, limit int) ([]records.LabelItem, error) {
	return s.labels(ctx, apps, "labelled = 0", "queued", limit)
}

// Labelled returns what people have said, newest first.
func (s *Store) Labelled(ctx context.Context, apps []string, limit int) ([]records.LabelItem, error) {
	return s.labels(ctx, apps, "labelled > 0", "labelled", limit)
}

func (s *Store) labels(ctx context.Context, apps []string, cond, order string, limit int) ([]records.LabelItem, error) {
	w := where{}
	if !oneOf(&w, "app", apps) {
		return nil, nil
	}
	w.add(cond)
	query := "SELECT body, label FROM labels" + w.sql() + " ORDER BY " + order + " DESC, id" + w.limit(limit)
	rows, err := s.db.Query(ctx, query, w.args...)
	return db.Collect(rows, err, scanLabel)
}

func scanLabel(r db.Row) (item records.LabelItem, err error) {
	var body, label json.RawMessage
	if err := r.Scan(&body, &label); err != nil {
		return item, err
	}
	if err := json.Unmarshal(body, &item); err != nil {
		return item, fmt.Errorf("decode a label: %w", err)
	}
	if len(label) == 0 {
		return item, nil
	}
	if err := json.Unmarshal(label, &item.Label); err != nil {
		return item, fmt.Errorf("decode a label: %w", err)
	}
	return item, nil
}

// LabelItem returns one item of the queue, labelled or not.
func (s *Store) LabelItem(ctx context.Context, id string) (records.LabelItem, error) {
	return s.labelItem(ctx, id, "")
}

func (s *Store) labelItem(ctx context.Context, id, lock string) (records.LabelItem, error) {
	item, err := scanLabel(s.db.QueryRow(ctx, "SELECT body, label FROM labels WHERE id = $1"+lock, id))
	if err != nil {
		return item, notFound(err, "item to label:", id)
	}
	return item, nil
}

// Label records what a person says about an item. It returns dossier.Conflict if
// somebody did before, and dossier.NotFound if the item is of an app not in l.Apps.
func (s *Store) Label(ctx context.Context, id string, l records.Label) (item records.LabelItem, err error) {
	raw, err := json.Marshal(l)
	if err != nil {
		return item, fmt.Errorf("encode the label of %s: %w", id, err)
	}
	err = s.db.InTx(ctx, func(ctx context.Context) error {
		if item, err = s.labelItem(ctx, id, s.db.Dialect.ForUpdate); err != nil {
			return err
		}
		if l.Apps != nil && !slices.Contains(l.Apps, item.App) {
			return dossier.Errorf(dossier.NotFound, "There is no item to label: %s.", id)
		}
		if item.Label != nil {
			return dossier.Errorf(dossier.Conflict, "%s has labelled this already.", item.Label.By.Name)
		}
		item.Label = &l
		_, err = s.db.Exec(ctx, "UPDATE labels SET label = $2, labelled = $3 WHERE id = $1", id, json.RawMessage(raw), l.At)
		return err
	})
	return item, err
}
