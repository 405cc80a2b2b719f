package cli

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"dossier"
	"dossier/internal/agent"
	"dossier/internal/app"
	"dossier/internal/approval"
	"dossier/internal/auth"
	"dossier/internal/desk"
	"dossier/internal/ledger"
	"dossier/internal/mail"
	"dossier/internal/mcp"
	"dossier/internal/scratch"
	"dossier/internal/store"
	"dossier/internal/tool"
	"dossier/internal/work"
)

// A product is all parts wired together.
type product struct {
	*settings
	env    func(string) string
	log    *slog.Logger
	now    func() time.Time
	store  *store.Store
	auth   *auth.Auth
	runner *agent.Runner
	inbox  *approval.Inbox
	ledger *ledger.Ledger
	models *models
	outbox *mail.Outbox
	key    ed25519.PrivateKey
	apps   []installed
	undo   []func() // what close does, last first
}

// An installed app is one with its kit and its way to the core.
type installed struct {
	app.App
	Kit  *app.Kit
	Env  app.Env
	Desk *desk.Desk
	mcp  *agent.Agent // carries out calls of other assistants
}

// build wires the parts. Read from top to bottom it is the architecture.
func build(ctx context.Context, s *settings, env func(string) string, log *slog.Logger, now func() time.Time, apps []app.App) (_ *product, err error) {
	p := &product{settings: s, env: env, log: log, now: now}
	defer func() {
		if err != nil {
			p.close()
		}
	}()
	url, err := s.storeURL(env)
	if err != nil {
		return nil, err
	}
	if p.store, err = store.Open(ctx, store.Options{URL: url, Now: now, Dir: s.Data, Log: log}); err != nil {
		return nil, err
	}
	p.undo = append(p.undo, p.store.Close)
	if p.key, err = ledgerKey(s); err != nil {
		return nil, err
	}
	if p.models, err = newModels(ctx, s, env, p.store); err != nil {
		return nil, err
	}
	if err := p.buildAuth(apps); err != nil {
		return nil, err
	}
	p.runner = &agent.Runner{
		Log: p.store, Now: now, NewID: store.NewID, Slog: log, Agent: p.agent, Model: p.models.play,
		Roles: p.auth.Current, Price: p.models.price,
	}
	p.inbox = &approval.Inbox{Store: p.store, Now: now, Tool: p.tool, Redact: p.redact}
	p.ledger = &ledger.Ledger{
		Store: p.store, Now: now, Key: p.key.Public().(ed25519.PublicKey),
		Sign: func(m []byte) []byte { return ed25519.Sign(p.key, m) },
	}
	if p.outbox, err = p.mailer(); err != nil {
		return nil, err
	}
	for _, a := range apps {
		if err := p.install(ctx, a); err != nil {
			return nil, err
		}
	}
	if err := p.setGates(); err != nil {
		return nil, err
	}
	stop, err := startTracing(ctx, s, env)
	if err != nil {
		return nil, err
	}
	p.undo = append(p.undo, stop)
	return p, nil
}

func (p *product) buildAuth(apps []app.App) (err error) {
	roles, err := app.Roles(apps)
	if err != nil {
		return err
	}
	cfg := auth.Config{Store: p.store, Now: p.now, NewID: store.NewID, URL: p.url(), Roles: roles}
	if p.OIDC.Issuer != "" {
		if cfg.OIDC, err = p.oidc(); err != nil {
			return err
		}
	}
	p.auth, err = auth.New(cfg)
	return err
}

// install builds one app and brings its tables up to date.
func (p *product) install(ctx context.Context, a app.App) error {
	if a.Files != nil {
		if err := p.store.Migrate(ctx, a.ID, a.Files); err != nil {
			return err
		}
	}
	d := &desk.Desk{
		Suite: func(name string) string { return p.suiteVersion(a.ID + "/" + name) },
		ID:    a.ID, Store: p.store, Runner: p.runner, Inbox: p.inbox, Now: p.now, NewID: store.NewID, Redact: a.Redact,
	}
	dir := filepath.Join(p.Data, a.ID)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return dossier.Errorf(dossier.Invalid, "The folder %s cannot be made.", dir).Because(err)
	}
	env := app.Env{
		Log: p.log.With("app", a.ID), Now: p.now, NewID: store.NewID, HTTP: &http.Client{Timeout: 30 * time.Second},
		Secret: func(name string) (string, error) { return Secret(name).Reveal(p.env) },
		DB:     p.store.DB(), Notices: p.store.Notices(), Desk: d, Mail: p.outbox, Dir: dir, URL: p.url(),
		Sign: p.ledger.Sign, PublicKey: p.ledger.Key,
	}
	copies := &scratch.Maker{App: a, Config: p.settings.apps[a.ID], Secret: env.Secret}
	env.Scratch = copies.Open
	kit, err := a.Build(env, p.settings.apps[a.ID])
	if err != nil {
		return err
	}
	for _, t := range kit.Triggers {
		if t.Cron == "" {
			continue
		}
		if err := p.store.Work().Every(a.ID, t.Name, t.Cron); err != nil {
			return fmt.Errorf("app %s: %w", a.ID, err)
		}
	}
	p.apps = append(p.apps, installed{a, kit, env, d, mcp.Agent(kit)})
	return nil
}

func (p *product) close() {
	for i := len(p.undo) - 1; i >= 0; i-- {
		p.undo[i]()
	}
	p.undo = nil
}

func (p *product) app(id string) (installed, bool) {
	for _, a := range p.apps {
		if a.ID == id {
			return a, true
		}
	}
	return installed{}, false
}

// agent finds an agent by app and name, among those the kit lists and the
// specialists they call.
func (p *product) agent(id, name string) (*agent.Agent, bool) {
	a, ok := p.app(id)
	if !ok {
		return nil, false
	}
	if name == mcp.AgentName {
		return a.mcp, true
	}
	return agent.Find(a.Kit.Agents, name)
}

func (p *product) tool(id, name string) (tool.Tool, bool) {
	a, ok := p.app(id)
	if !ok {
		return tool.Tool{}, false
	}
	return a.Kit.Tool(name)
}

// redact takes out of a note what the app must not keep.
func (p *product) redact(id, note string) string {
	a, _ := p.app(id)
	return a.Redacted(note)
}

// handle does one job of the work engine.
func (p *product) handle(ctx context.Context, j work.Job) error {
	if j.Kind == work.Run {
		_, err := p.runner.Drive(ctx, dossier.RunID(j.Name))
		return err
	}
	a, ok := p.app(j.App)
	if !ok {
		return dossier.Errorf(dossier.NotFound, "There is no app %q for the job %s.", j.App, j.Name)
	}
	if j.Kind == work.Due {
		job, ok := a.Kit.Jobs[j.Name]
		if !ok {
			return dossier.Errorf(dossier.NotFound, "The app %s has no job %q.", j.App, j.Name)
		}
		return job(ctx, j.Args)
	}
	for _, t := range a.Kit.Triggers {
		if t.Name == j.Name {
			return t.Run(ctx, j.Args)
		}
	}
	return dossier.Errorf(dossier.NotFound, "The app %s has no trigger %q.", j.App, j.Name)
}

// ledgerKey reads the ledger's signing key, and makes it when there is none yet.
func ledgerKey(s *settings) (ed25519.PrivateKey, error) {
	file := s.Ledger.KeyFile
	if file == "" {
		file = filepath.Join(s.Data, "ledger.key")
	}
	raw, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) && s.Ledger.KeyFile == "" {
		return newLedgerKey(file)
	}
	if err != nil {
		return nil, dossier.Errorf(dossier.Invalid, "The ledger's key %s cannot be read.", file).Because(err)
	}
	seed, err := hex.DecodeString(string(trimSpace(raw)))
	if err != nil || len(seed) != ed25519.SeedSize {
		return nil, dossier.Errorf(dossier.Invalid, "The ledger's key %s must hold 64 hex digits.", file)
	}
	return ed25519.NewKeyFromSeed(seed), nil
}

// newLedgerKey makes a key file. Two processes may try at once; the second reads
// what the first wrote.
func newLedgerKey(file string) (ed25519.PrivateKey, error) {
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("make the ledger's key: %w", err)
	}
	tmp := file + "." + store.NewID("")
	if err := os.WriteFile(tmp, []byte(hex.EncodeToString(key.Seed())+"\n"), 0o600); err != nil {
		return nil, dossier.Errorf(dossier.Invalid, "The ledger's key %s cannot be written.", file).Because(err)
	}
	defer os.Remove(tmp) //nolint:errcheck // linked below; a leftover name is harmless
	if err := os.Link(tmp, file); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, dossier.Errorf(dossier.Invalid, "The ledger's key %s cannot be written.", file).Because(err)
	}
	raw, err := os.ReadFile(file)
	if err != nil {
		return nil, dossier.Errorf(dossier.Invalid, "The ledger's key %s cannot be read.", file).Because(err)
	}
	seed, err := hex.DecodeString(string(trimSpace(raw)))
	if err != nil {
		return nil, dossier.Errorf(dossier.Invalid, "The ledger's key %s is damaged.", file)
	}
	return ed25519.NewKeyFromSeed(seed), nil
}

func trimSpace(b []byte) []byte {
	for len(b) > 0 && (b[len(b)-1] == '\n' || b[len(b)-1] == '\r' || b[len(b)-1] == ' ') {
		b = b[:len(b)-1]
	}
	return b
}
