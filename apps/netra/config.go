package netra

import (
	"net/mail"
	"net/url"
	"time"

	"github.com/robfig/cron/v3"

	"dossier"
	"dossier/apps/netra/engine"
)

// Config is the app's settings.
type Config struct {
	Layers     LayerConfig   `toml:"layer_weights"` // used until a proposal is adopted
	Retain     time.Duration `toml:"retain"`        // how long signals are kept
	Poll       time.Duration `toml:"poll"`          // how often the records are looked at without word of a change
	Hot        time.Duration `toml:"hot"`           // how long a computed score answers requests
	Feeds      []string      `toml:"feeds"`         // RSS and Atom addresses to poll
	FeedCron   string        `toml:"feed_cron"`
	ScoreCron  string        `toml:"score_cron"`
	RetainCron string        `toml:"retain_cron"`
	Mail       []string      `toml:"mail"`        // who is told of crossings
	ModelClass string        `toml:"model_class"` // off, beside (stored, not used) or use (once the gate is met)
	ModelGate  float64       `toml:"model_gate"`  // share of labelled examples a model must get right
}

// LayerConfig is the weight of each layer in the sum.
type LayerConfig struct {
	Cognitive float64 `toml:"cognitive"`
	Network   float64 `toml:"network"`
	Physical  float64 `toml:"physical"`
}

var defaults = Config{
	Layers:     LayerConfig{1, 1, 1},
	Retain:     90 * 24 * time.Hour,
	Poll:       30 * time.Second,
	Hot:        2 * time.Second,
	FeedCron:   "*/15 * * * *",
	ScoreCron:  "5 * * * *",
	RetainCron: "30 2 * * *",
	ModelClass: "off",
	ModelGate:  0.95,
}

// Validate implements app.Config.
func (c Config) Validate() error {
	if err := c.params().Validate(); err != nil {
		return dossier.Errorf(dossier.Invalid, "apps.netra: the layer weights cannot be used: %v.", err)
	}
	switch {
	case c.Retain < engine.Week.Duration()+24*time.Hour:
		return dossier.Errorf(dossier.Invalid, "apps.netra.retain must be at least 192h, because scores look back a week.")
	case c.Poll <= 0 || c.Hot < 0:
		return dossier.Errorf(dossier.Invalid, "apps.netra: poll must be more than 0 and hot not below it.")
	case c.ModelClass != "off" && c.ModelClass != "beside" && c.ModelClass != "use":
		return dossier.Errorf(dossier.Invalid, "apps.netra.model_class must be off, beside or use.")
	case c.ModelGate <= 0 || c.ModelGate > 1:
		return dossier.Errorf(dossier.Invalid, "apps.netra.model_gate must be above 0 and at most 1.")
	}
	for _, f := range c.Feeds {
		if u, err := url.Parse(f); err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
			return dossier.Errorf(dossier.Invalid, "apps.netra.feeds must be http or https addresses.")
		}
	}
	for name, spec := range map[string]string{"feed_cron": c.FeedCron, "score_cron": c.ScoreCron, "retain_cron": c.RetainCron} {
		if _, err := cron.ParseStandard(spec); err != nil {
			return dossier.Errorf(dossier.Invalid, "apps.netra.%s: %q is not a schedule such as \"5 * * * *\".", name, spec).Because(err)
		}
	}
	for _, to := range c.Mail {
		if _, err := mail.ParseAddress(to); err != nil {
			return dossier.Errorf(dossier.Invalid, "apps.netra.mail: %q is not a mail address.", to)
		}
	}
	return nil
}

// params are the published numbers with the configured layer weights.
func (c Config) params() engine.Params {
	p := engine.Defaults()
	p.LayerWeights = map[engine.Layer]float64{
		engine.Cognitive: c.Layers.Cognitive, engine.Network: c.Layers.Network, engine.Physical: c.Layers.Physical,
	}
	return p
}
