package airshed

import (
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"dossier"
	"dossier/apps/airshed/book"
	"dossier/apps/airshed/casefile"
	"dossier/apps/airshed/filing"
	"dossier/apps/airshed/lake"
	"dossier/internal/agent"
	"dossier/internal/app"
	"dossier/internal/tool"
)

// The roles of the app.
const (
	investigator dossier.Role = "investigator"
	legalOf      dossier.Role = "legal"
)

//go:embed prompts evals migrations
var files embed.FS

// App is the air-quality accountability app.
var App = app.Define(app.Def[Config]{
	ID:    "airshed",
	Title: "Airshed",
	Doc:   "Finds the cross-border fires behind a pollution surge and files the legal report with the Commission.",
	Roles: map[dossier.Role]string{
		investigator: "Starts sweeps, reads cases and reports, asks what-if.",
		legalOf:      "Legal officer: approves the filing of reports and the notices to states.",
	},
	Files:    files,
	Default:  defaults(),
	Rules:    ledgerRules(),
	Commands: commands,
	Build:    build,
})

// An airshed is the app at work.
type airshed struct {
	app.Env
	cfg  Config
	book book.Book
	lake *lake.Lake
	file *filing.Filer
	recv *filing.Receiver // nil unless the submission is simulated
}

func ledgerRules() []app.Rule {
	var out []app.Rule
	for _, r := range casefile.Ledger {
		out = append(out, app.Rule{Name: r.Check, Version: r.Version, Doc: r.Doc, Apply: r.Apply})
	}
	return out
}

func build(env app.Env, cfg Config) (*app.Kit, error) {
	a, err := newAirshed(env, cfg)
	if err != nil {
		return nil, err
	}
	ag, err := a.agent()
	if err != nil {
		return nil, err
	}
	return &app.Kit{
		Agents: []*agent.Agent{ag}, Triggers: a.triggers(), Suites: a.suites(ag), Routes: a.routes, Demo: a.demo,
		Tools: []tool.Tool{a.readTool()}, Background: a.background,
		Views: map[string]app.View{
			casefile.Settings: app.Table, casefile.Readings: app.Table, casefile.Fires: app.Map, casefile.Share: app.Table,
			casefile.Wind: app.Table, casefile.History: app.Table, casefile.Report: app.JSON, casefile.Filing: app.Table,
		},
	}, nil
}

func newAirshed(env app.Env, cfg Config) (*airshed, error) {
	a := &airshed{Env: env, cfg: cfg, book: book.Book{DB: env.DB}}
	base := time.Duration(cfg.RetryBackoffBaseSeconds * float64(time.Second))
	bucket := cfg.Bucket
	if bucket == "" {
		dir := filepath.Join(env.Dir, "lake")
		if err := os.MkdirAll(dir, 0o750); err != nil {
			return nil, fmt.Errorf("make the lake's folder: %w", err)
		}
		abs, err := filepath.Abs(dir)
		if err != nil {
			return nil, fmt.Errorf("find the lake's folder: %w", err)
		}
		bucket = (&url.URL{Scheme: "file", Path: filepath.ToSlash(abs)}).String() + "?no_tmp_dir=true"
	}
	a.lake = &lake.Lake{URL: bucket, Retries: cfg.S3ReadRetries, Base: base, Dir: env.Dir, Sleep: sleep, Log: env.Log}
	a.file = &filing.Filer{
		Dir: env.Dir, Lake: a.lake, Prefix: cfg.ReportsPrefix, Endpoint: cfg.CAQMEndpoint, Retries: cfg.CAQMSubmissionRetries, Base: base,
		HTTP: env.HTTP, Sleep: sleep, Now: env.Now, Log: env.Log, First: a.book.First,
	}
	var err error
	if a.file.Token, err = a.secret(cfg.CAQMToken); err != nil {
		return nil, err
	}
	if a.file.HMACKey, err = a.secret(cfg.CAQMHMACKey); err != nil {
		return nil, err
	}
	if cfg.CAQMEndpoint == "" {
		a.recv = &filing.Receiver{Dir: filepath.Join(env.Dir, "caqm"), Token: a.file.Token, HMACKey: a.file.HMACKey, Now: env.Now, Log: env.Log}
		a.file.Endpoint, a.file.HTTP = filing.SimulatedEndpoint, filing.Simulate(a.recv)
	}
	if a.file.HTTP == nil {
		a.file.HTTP = http.DefaultClient
	}
	return a, nil
}

func (a *airshed) secret(name string) (string, error) {
	if name == "" {
		return "", nil
	}
	v, err := a.Secret(name)
	if err != nil {
		return "", dossier.Errorf(dossier.Invalid, "The secret %q of apps.airshed is not set.", name).Because(err)
	}
	return v, nil
}

// sleep waits, unless ctx ends first.
func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (a *airshed) triggers() []app.Trigger {
	sweep := func(cause string) func(context.Context, json.RawMessage) error {
		return func(ctx context.Context, _ json.RawMessage) error {
			_, err := a.sweep(ctx, cause)
			return err
		}
	}
	out := []app.Trigger{{
		Name: "uploaded", Doc: "Looks for surges when an ingester says that it has written new data.", On: "uploaded", Run: sweep("event"),
	}}
	if a.cfg.Schedule != "" {
		out = append(out, app.Trigger{Name: "sweep", Doc: "Looks for unreported surges in the newest data, by the clock.", Cron: a.cfg.Schedule, Run: sweep("schedule")})
	}
	if a.cfg.Watch != "" {
		out = append(out, app.Trigger{
			Name: "watch", Doc: "Looks whether the bucket holds something new, and sweeps if so.", Cron: a.cfg.Watch,
			Run: func(ctx context.Context, _ json.RawMessage) error { return a.watch(ctx) },
		})
	}
	return out
}
