//go:build duckdb

package catalog

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	_ "github.com/duckdb/duckdb-go/v2" // the driver "duckdb"

	"dossier"
	"dossier/internal/faith"
)

// HasSQL says whether this build answers SQL.
const HasSQL = true

// NewBackend returns the backend of this build: DuckDB over the catalog's CSV files.
func NewBackend(_ context.Context, c *Catalog) (Backend, error) {
	return &DuckDB{Memory: Memory{c}}, nil
}

// A DuckDB is the backend that leaves CSV files where they are and lets DuckDB read
// them; it is started by the first query or sum. Its connection can read exactly the
// catalog's files and nothing else: other paths, extensions and settings are locked
// before the first query.
type DuckDB struct {
	Memory
	mu     sync.Mutex // held while starting and closing
	db     *sql.DB    // nil until started
	tables map[string]bool
}

// start makes a view for each chart's CSV and closes everything else off.
func (d *DuckDB) start(ctx context.Context) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.db != nil {
		return nil
	}
	db, err := sql.Open("duckdb", "")
	if err != nil {
		return fmt.Errorf("open duckdb: %w", err)
	}
	d.db, d.tables = db, map[string]bool{}
	if err := d.prepare(ctx); err != nil {
		d.db = nil
		return errors.Join(err, db.Close())
	}
	return nil
}

func (d *DuckDB) prepare(ctx context.Context) error {
	d.db.SetMaxOpenConns(4)
	var paths []string
	for i := range d.Catalog.Charts {
		ch := &d.Catalog.Charts[i]
		if ch.CSV == "" || ch.Shape == Empty {
			continue
		}
		// A file is opened once through the root, so that a link which leaves it is
		// refused before DuckDB, which knows no root, is told of the path.
		f, err := d.Catalog.root.Open(ch.CSV)
		if err != nil {
			continue
		}
		if err := f.Close(); err != nil {
			return fmt.Errorf("close %s: %w", ch.CSV, err)
		}
		path, err := filepath.EvalSymlinks(filepath.Join(d.Catalog.Root, filepath.FromSlash(ch.CSV)))
		if err != nil {
			continue
		}
		if path, err = filepath.Abs(path); err != nil {
			return fmt.Errorf("path of %s: %w", ch.ID, err)
		}
		view := fmt.Sprintf(`CREATE VIEW %s AS SELECT * FROM read_csv(%s, header = true, auto_detect = true, nullstr = [%s])`, identifier(ch.ID), quote(path), marks())
		if _, err := d.db.ExecContext(ctx, view); err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			continue // a file that DuckDB cannot read is no table; the others are
		}
		paths = append(paths, quote(path))
		d.tables[strings.ToLower(ch.ID)] = true
	}
	statements := []string{
		"SET threads = 2", "SET memory_limit = '1GB'", "SET autoinstall_known_extensions = false", "SET autoload_known_extensions = false",
		"SET allowed_paths = [" + strings.Join(paths, ", ") + "]", "SET enable_external_access = false", "SET lock_configuration = true",
	}
	for _, s := range statements {
		if _, err := d.db.ExecContext(ctx, s); err != nil {
			return fmt.Errorf("prepare duckdb: %w", err)
		}
	}
	return nil
}

// marks lists the marks for a missing number in the ways that files write them.
func marks() string {
	var out []string
	for _, m := range append(slices.Clone(missing), "NaN", "N/A", "Null", "None") {
		out = append(out, quote(m))
		if up := strings.ToUpper(m); !slices.Contains(out, quote(up)) {
			out = append(out, quote(up))
		}
	}
	return strings.Join(slices.Compact(out), ", ")
}

func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

func identifier(s string) string { return `"` + strings.ReplaceAll(s, `"`, `""`) + `"` }

// Name returns "duckdb".
func (d *DuckDB) Name() string { return "duckdb" }

// Close ends the database.
func (d *DuckDB) Close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.db == nil {
		return nil
	}
	return d.db.Close()
}

// Totals lets DuckDB add up a chart, in exact decimals.
func (d *DuckDB) Totals(ctx context.Context, ch *Chart, year int) ([]Total, error) {
	if err := d.start(ctx); err != nil {
		return nil, err
	}
	if !d.tables[strings.ToLower(ch.ID)] {
		return nil, dossier.Errorf(dossier.NotFound, "Chart %q has no data file that can be added up.", ch.ID)
	}
	h := readHeader(ch.Columns)
	value, where := "", ""
	switch {
	case h.shape == Long:
		value = h.columns[h.value]
		if h.yearAt >= 0 {
			where = fmt.Sprintf(" WHERE %s = %d", identifier(h.columns[h.yearAt]), year)
		}
	default:
		for i, y := range h.years {
			if y == year {
				value = h.columns[i]
			}
		}
	}
	if value == "" {
		return []Total{}, nil
	}
	column := func(i int) string {
		if i < 0 {
			return "''"
		}
		return "coalesce(" + identifier(h.columns[i]) + ", '')"
	}
	rows, err := d.db.QueryContext(ctx, fmt.Sprintf(`SELECT %s AS s, %s AS u, count(%s), CAST(sum(CAST(%s AS DECIMAL(30, 9))) AS VARCHAR) FROM %s%s GROUP BY 1, 2`,
		column(h.scen), column(h.unit), identifier(value), identifier(value), identifier(ch.ID), where))
	if err != nil {
		return nil, dossier.Errorf(dossier.Invalid, "Chart %q cannot be added up.", ch.ID).Because(err)
	}
	defer rows.Close()
	var out []Total
	for rows.Next() {
		var t Total
		var text sql.NullString
		if err := rows.Scan(&t.Scenario, &t.Unit, &t.Rows, &text); err != nil {
			return nil, fmt.Errorf("totals of %s: %w", ch.ID, err)
		}
		if !text.Valid {
			continue
		}
		t.Scenario = d.Catalog.Scenario(t.Scenario)
		if t.Value, err = faith.Decimal(text.String); err != nil {
			return nil, err
		}
		out = append(out, t)
	}
	out = merge(out)
	sortTotals(out)
	return out, rows.Err()
}

// merge adds up totals whose scenarios are spellings of one name.
func merge(list []Total) []Total {
	var out []Total
	for _, t := range list {
		i := slices.IndexFunc(out, func(o Total) bool { return o.Scenario == t.Scenario && o.Unit == t.Unit })
		if i < 0 {
			out = append(out, t)
			continue
		}
		out[i].Rows += t.Rows
		out[i].Value = out[i].Value.Add(t.Value)
	}
	return out
}

// Query answers one SELECT over the catalog's tables, within limits.
func (d *DuckDB) Query(ctx context.Context, statement string, lim Limits) (*Result, error) {
	if err := d.start(ctx); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, lim.Time)
	defer cancel()
	statement = strings.TrimRight(strings.TrimSpace(statement), "; \n\t")
	if err := d.allowed(ctx, statement); err != nil {
		return nil, err
	}
	rows, err := d.db.QueryContext(ctx, fmt.Sprintf("SELECT CAST(COLUMNS(*) AS VARCHAR) FROM (%s\n) LIMIT %d", statement, lim.Rows+1))
	if err != nil {
		return nil, queryError(ctx, lim, err)
	}
	defer rows.Close()
	res := &Result{Rows: [][]string{}}
	if res.Columns, err = rows.Columns(); err != nil {
		return nil, fmt.Errorf("columns: %w", err)
	}
	for rows.Next() {
		if len(res.Rows) == lim.Rows {
			res.Truncated = true
			break
		}
		values := make([]sql.NullString, len(res.Columns))
		into := make([]any, len(values))
		for i := range values {
			into[i] = &values[i]
		}
		if err := rows.Scan(into...); err != nil {
			return nil, queryError(ctx, lim, err)
		}
		row := make([]string, len(values))
		for i, v := range values {
			row[i] = v.String
		}
		res.Rows = append(res.Rows, row)
	}
	if err := rows.Err(); err != nil && !res.Truncated {
		return nil, queryError(ctx, lim, err)
	}
	return res, nil
}

func queryError(ctx context.Context, lim Limits, err error) error {
	if ctx.Err() != nil {
		return dossier.Errorf(dossier.Invalid, "The query took longer than %s; ask for less.", lim.Time).Because(err)
	}
	text, _, _ := strings.Cut(err.Error(), "\n")
	return dossier.Errorf(dossier.Invalid, "The query cannot be answered: %s.", strings.TrimSuffix(text, ".")).Because(err)
}

// allowed has DuckDB itself parse the statement and refuses anything but one SELECT
// over the catalog's tables.
func (d *DuckDB) allowed(ctx context.Context, statement string) error {
	var text string
	err := d.db.QueryRowContext(ctx, "SELECT CAST(json_serialize_sql(CAST(? AS VARCHAR)) AS VARCHAR)", statement).Scan(&text)
	if err != nil {
		return dossier.Errorf(dossier.Invalid, "The query cannot be parsed.").Because(err)
	}
	var tree struct {
		Error      bool              `json:"error"`
		Message    string            `json:"error_message"`
		Statements []json.RawMessage `json:"statements"`
	}
	if err := json.Unmarshal([]byte(text), &tree); err != nil {
		return dossier.Errorf(dossier.Invalid, "The query cannot be parsed.").Because(err)
	}
	switch {
	case tree.Error:
		return dossier.Errorf(dossier.Invalid, "Only one SELECT statement is answered: %s.", strings.TrimSuffix(tree.Message, "."))
	case len(tree.Statements) != 1:
		return dossier.Errorf(dossier.Invalid, "Only one SELECT statement is answered, not %d.", len(tree.Statements))
	}
	used := &tablesUsed{ctes: map[string]bool{}}
	if err := used.walk(tree.Statements[0]); err != nil {
		return err
	}
	for _, t := range used.tables {
		if !d.tables[t] && !used.ctes[t] {
			return dossier.Errorf(dossier.Forbidden, "There is no table %q; tables are named after the charts' ids.", t)
		}
	}
	return nil
}

// tablesUsed collects what a parsed statement reads.
type tablesUsed struct {
	tables []string
	ctes   map[string]bool
}

// A node is what is looked at in a parsed statement.
type node struct {
	Type    string `json:"type"`
	Table   string `json:"table_name"`
	Schema  string `json:"schema_name"`
	Catalog string `json:"catalog_name"`
	Func    string `json:"function_name"`
	Map     []struct {
		Key string `json:"key"`
	} `json:"map"`
}

// closed are functions that make much of nothing before a limit can stop them, or that
// tell how the product is set up.
var closed = []string{"repeat", "range", "generate_series", "lpad", "rpad", "list_resize", "array_resize", "current_setting", "getvariable"}

// A query within a query may have a plain name that is none of the database's own: such
// a name could stand for the database's table outside that query.
var (
	cteName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
	ownName = regexp.MustCompile(`(?i)^(?:duckdb|pragma|sqlite|pg|information)_`)
)

func (u *tablesUsed) walk(raw json.RawMessage) error {
	if len(raw) == 0 {
		return nil
	}
	switch raw[0] {
	case '{':
		var n node
		_ = json.Unmarshal(raw, &n) // members of another type are not what is looked for
		switch n.Type {
		case "BASE_TABLE":
			if n.Schema != "" || n.Catalog != "" {
				return dossier.Errorf(dossier.Forbidden, "Name tables without a schema.")
			}
			u.tables = append(u.tables, strings.ToLower(n.Table))
		case "TABLE_FUNCTION":
			return dossier.Errorf(dossier.Forbidden, "Table functions are not allowed; tables are named after the charts' ids.")
		}
		if slices.Contains(closed, strings.ToLower(n.Func)) {
			return dossier.Errorf(dossier.Forbidden, "The function %s is not allowed here.", n.Func)
		}
		for _, m := range n.Map {
			if !cteName.MatchString(m.Key) || ownName.MatchString(m.Key) {
				return dossier.Errorf(dossier.Forbidden, "Name the query %q otherwise: with letters, digits and _, and not like a table of the database itself.", m.Key)
			}
			u.ctes[strings.ToLower(m.Key)] = true
		}
		var members map[string]json.RawMessage
		if err := json.Unmarshal(raw, &members); err != nil {
			return fmt.Errorf("parsed query: %w", err)
		}
		for _, m := range members {
			if err := u.walk(m); err != nil {
				return err
			}
		}
	case '[':
		var list []json.RawMessage
		if err := json.Unmarshal(raw, &list); err != nil {
			return fmt.Errorf("parsed query: %w", err)
		}
		for _, m := range list {
			if err := u.walk(m); err != nil {
				return err
			}
		}
	}
	return nil
}
