package report

import (
	"time"

	"dossier"
)

// Config is the app's settings.
type Config struct {
	Root    string        `toml:"root"`         // folder that run folders must lie in; "": the app's own
	MaxRows int           `toml:"max_rows"`     // most rows of one chart given to a model
	SQLRows int           `toml:"sql_rows"`     // most rows a query returns
	SQLTime time.Duration `toml:"sql_time"`     // longest a query may run
	Model   string        `toml:"model"`        // alias that writes
	Expires time.Duration `toml:"review_after"` // reviewers are reminded of a section that waits this long
}

var defaults = Config{MaxRows: 2000, SQLRows: 200, SQLTime: 10 * time.Second, Model: "strong", Expires: 7 * 24 * time.Hour}

// Validate implements app.Config.
func (c Config) Validate() error {
	switch {
	case c.MaxRows < 1 || c.SQLRows < 1:
		return dossier.Errorf(dossier.Invalid, "max_rows and sql_rows must be at least 1.")
	case c.SQLTime <= 0 || c.SQLTime > time.Minute:
		return dossier.Errorf(dossier.Invalid, "sql_time must lie between 0 and one minute.")
	case c.Model == "":
		return dossier.Errorf(dossier.Invalid, "model needs the alias of a model, such as \"strong\".")
	}
	return nil
}
