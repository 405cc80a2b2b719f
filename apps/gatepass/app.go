package gatepass

import (
	"cmp"
	"context"
	"embed"
	"encoding/json"
	"net/http"
	"path/filepath"
	"strings"
	"time"

	"gocloud.dev/blob"
	"gocloud.dev/blob/fileblob"
	_ "gocloud.dev/blob/s3blob" // for photos = "s3://…"

	"dossier"
	"dossier/apps/gatepass/client"
	"dossier/apps/gatepass/office"
	"dossier/apps/gatepass/operation"
	"dossier/apps/gatepass/rest"
	"dossier/internal/agent"
	"dossier/internal/app"
	"dossier/internal/tool"
)

//go:embed prompts migrations evals/*.yaml
var files embed.FS

// App is the gate pass app.
var App = app.Define(app.Def[Config]{
	ID:    "gatepass",
	Title: "Gate Pass",
	Doc:   "Gate passes for HR, admin and gate desks: create, approve, print, scan out and in, by talking or by REST.",
	Roles: map[dossier.Role]string{
		rest.HR:        "Asks for passes, prints them and follows them up.",
		rest.PassAdmin: "Approves, rejects and deletes passes.",
		rest.Gate:      "Scans people out and in.",
	},
	Files:    files,
	Default:  defaults,
	Rules:    []app.Rule{{Name: "return", Version: "1", Doc: "Whether the holder of a pass came back in time.", Apply: office.ReturnRule}},
	Commands: commands,
	Build:    build,
})

// A house is the app built: its office, its API and its tools.
type house struct {
	cfg    Config
	env    app.Env
	zone   *time.Location
	office *office.Office
	api    *rest.API
	client *client.Client
	tools  []tool.Tool
}

func build(env app.Env, cfg Config) (*app.Kit, error) {
	h, err := newHouse(env, cfg)
	if err != nil {
		return nil, err
	}
	kit := &app.Kit{
		Tools:    h.tools,
		Routes:   h.api.Routes,
		Jobs:     map[string]app.Job{office.OverdueJob: h.overdue},
		Triggers: []app.Trigger{{Name: "sweep", Doc: "Forgets idempotency keys of last week.", Cron: "17 3 * * *", Run: func(ctx context.Context, _ json.RawMessage) error { return h.office.Sweep(ctx) }}},
		Demo:     h.demo, Background: h.background,
		Views: map[string]app.View{"gatepass_answer": app.Table, "photo": app.Table, "pass_out": app.Table},
	}
	for _, desk := range operation.Desks {
		kit.Agents = append(kit.Agents, h.agent(desk, env.Now))
	}
	kit.Suites = h.suites(kit.Agents)
	return kit, nil
}

func newHouse(env app.Env, cfg Config) (*house, error) {
	zone, err := time.LoadLocation(cfg.Timezone)
	if err != nil {
		return nil, dossier.Errorf(dossier.Invalid, "apps.gatepass.timezone: there is no %q.", cfg.Timezone).Because(err)
	}
	h := &house{cfg: cfg, env: env, zone: zone}
	bucket, err := openBucket(cfg.Photos, env.Dir)
	if err != nil {
		return nil, err
	}
	h.office = &office.Office{
		DB: env.DB, Desk: env.Desk, Photos: bucket, Log: env.Log, Now: env.Now, NewID: env.NewID,
		MaxPhoto: cfg.PhotoLimit, Grace: cfg.Grace, Validity: cfg.Validity, Zone: zone, URL: env.URL,
		Sign: env.Sign, PublicKey: env.PublicKey,
	}
	h.api = &rest.API{Office: h.office}
	// Attached photos are here, also where the passes are elsewhere.
	files, err := h.newClient("")
	if err != nil {
		return nil, err
	}
	h.client = files
	if address := cfg.address(); address != "" {
		if h.client, err = h.newClient(address); err != nil {
			return nil, err
		}
	}
	box := &toolbox{api: h.client, files: files, base: cmp.Or(cfg.address(), env.URL), maxPhoto: cfg.PhotoLimit, say: voice{zone}}
	h.tools = box.all()
	return h, nil
}

func openBucket(address, dir string) (*blob.Bucket, error) {
	if address == "" {
		b, err := fileblob.OpenBucket(filepath.Join(dir, "photos"), &fileblob.Options{CreateDir: true, NoTempDir: true})
		if err != nil {
			return nil, dossier.Errorf(dossier.Invalid, "The folder for photos cannot be opened.").Because(err)
		}
		return b, nil
	}
	b, err := blob.OpenBucket(context.Background(), address)
	if err != nil {
		return nil, dossier.Errorf(dossier.Invalid, "apps.gatepass.photos: the bucket %q cannot be opened.", address).Because(err)
	}
	return b, nil
}

// newClient returns a client of the remote API at an address or, for "", in the same
// process, of this product's own.
func (h *house) newClient(address string) (*client.Client, error) {
	c, err := client.New(cmp.Or(address, "http://gatepass.local"), h.cfg.Timeout, h.env.Now)
	if err != nil {
		return nil, err
	}
	c.Log, c.NewKey = h.env.Log, func() string { return h.env.NewID("key-") }
	c.OnRetry = func(ctx context.Context, r client.Retry) { agent.Progress(ctx, r.String()) }
	if address != "" {
		c.HTTP = h.env.HTTP
		c.Authorize = h.withToken
		return c, nil
	}
	c.HTTP = &http.Client{Transport: rest.Transport{Handler: h.api.Local()}}
	c.Authorize = h.acting
	return c, nil
}

// acting lets a request act for the person whose tool call it serves.
func (h *house) acting(ctx context.Context, r *http.Request) error {
	p, ok := ctx.Value(forKey{}).(dossier.Principal)
	if !ok {
		return dossier.Errorf(dossier.NotSignedIn, "The call does not say whom it is for.")
	}
	r.Header.Set("Dossier-Acting-For", rest.Acting(p, h.env.Sign, h.env.Now()))
	return nil
}

// withToken signs a request to a remote API with the configured token.
func (h *house) withToken(_ context.Context, r *http.Request) error {
	token, err := h.env.Secret(h.cfg.APIToken)
	if err != nil {
		return err
	}
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	return nil
}

func (h *house) overdue(ctx context.Context, raw json.RawMessage) error {
	var a office.OverdueArgs
	if err := json.Unmarshal(raw, &a); err != nil {
		return dossier.Errorf(dossier.Internal, "The overdue job has arguments it cannot read.").Because(err)
	}
	return h.office.Overdue(ctx, a, h.cfg.Escalate)
}

// agent returns the agent of a desk: only that desk's tools. now is its policy's clock.
func (h *house) agent(desk string, now func() time.Time) *agent.Agent {
	var tools []tool.Tool
	for _, o := range operation.For(desk) {
		for _, t := range h.tools {
			if t.Name == o.Name {
				tools = append(tools, t)
			}
		}
	}
	prompt, err := files.ReadFile("prompts/desk.md")
	if err != nil {
		panic("embedded prompt: " + err.Error())
	}
	p := &policy{desk: desk, grammar: operation.Grammar(), now: func() time.Time { return now().In(h.zone) }}
	return &agent.Agent{
		Name: desk, Doc: "The assistant of the " + desk + " desk.", Model: "fast", Chat: true, Policy: p.play, Tools: tools, Check: checkSaid,
		Prompt: strings.ReplaceAll(string(prompt), "{desk}", desk),
		Preload: func(_ context.Context, run dossier.Run) (agent.Preloaded, error) {
			if !run.For.HasAny(rest.RolesOf(desk)) {
				info := client.UnknownRole(desk, rolesHeld(run.For))
				return agent.Preloaded{}, dossier.Errorf(dossier.Forbidden, "The %s desk needs different permissions than yours.", desk).Because(errText(info.Message))
			}
			return agent.Preloaded{Context: briefing{Desk: desk, Name: run.For.Name, Today: h.env.Now().In(h.zone).Format("Monday 2 January 2006 15:04"), Zone: h.cfg.Timezone}}, nil
		},
	}
}

type errText string

func (e errText) Error() string { return string(e) }

func rolesHeld(p dossier.Principal) []string {
	var out []string
	for _, r := range p.Roles {
		out = append(out, string(r))
	}
	return out
}
