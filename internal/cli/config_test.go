package cli

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/BurntSushi/toml"
	"time"

	"dossier"
	"dossier/internal/app"
)

type testConfig struct {
	Threshold float64       `toml:"threshold"`
	Every     time.Duration `toml:"every"`
	Names     []string      `toml:"names"`
}

func (c testConfig) Validate() error {
	if c.Threshold < 0 {
		return dossier.Errorf(dossier.Invalid, "threshold must not be negative.")
	}
	return nil
}

var testApp = app.Define(app.Def[testConfig]{
	ID: "tester", Title: "Tester", Doc: "Tests.", Roles: map[dossier.Role]string{"r": "d"},
	Default: testConfig{Threshold: 50, Every: time.Hour},
	Build:   func(app.Env, testConfig) (*app.Kit, error) { return &app.Kit{}, nil },
})

func loadText(t *testing.T, text string, env map[string]string, sets ...string) (*settings, error) {
	t.Helper()
	file := ""
	if text != "" {
		file = filepath.Join(t.TempDir(), "dossier.toml")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return load(file, func(k string) string { return env[k] }, sets, []app.App{testApp})
}

func TestOrderOfSettings(t *testing.T) {
	t.Parallel()
	text := "[http]\naddr = \"file:1\"\n[apps.tester]\nthreshold = 40.5\n"
	env := map[string]string{"DOSSIER_HTTP_ADDR": "env:2", "DOSSIER_APPS_TESTER_EVERY": "90s", "DOSSIER_APPS_TESTER_NAMES": "a, b"}
	s, err := loadText(t, text, env, "http.addr=flag:3")
	if err != nil {
		t.Fatal(err)
	}
	c := s.apps["tester"].(*testConfig)
	if s.HTTP.Addr != "flag:3" || c.Threshold != 40.5 || c.Every != 90*time.Second || strings.Join(c.Names, "|") != "a|b" || s.Work.Workers != 8 {
		t.Errorf("got addr %s, app %+v, workers %d", s.HTTP.Addr, c, s.Work.Workers)
	}
	if s, err := loadText(t, text, nil); err != nil || s.HTTP.Addr != "file:1" {
		t.Errorf("file alone: %v %v", s, err)
	}
}

func TestWrongSettingsAreNamed(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text string
		env  map[string]string
		sets []string
		want string
		hide string
	}{
		{text: "[http]\nadr = \"x\"\n", want: `there is no setting "http.adr". Did you mean "http.addr"?`},
		{text: "[htp]\naddr = \"x\"\n", want: `there is no setting "htp". Did you mean "http"?`},
		{text: "http = 3\n", want: `line 1: the setting "http" does not fit: expected table but found int64`},
		{text: "[work]\nworkers = \"two\"\n", want: `the setting "work.workers" does not fit`},
		{text: "[log]\nlevel = \"loud\"\n", want: "must be debug, info, warn or error"},
		{text: "[log]\nformat = \"xml\"\n", want: "must be text or json"},
		{text: "[mail]\ntls = \"maybe\"\n", want: "must be starttls, implicit or none"},
		{text: "[apps.tester]\ntreshold = 1.0\n", want: `"apps.tester.treshold". Did you mean "apps.tester.threshold"?`},
		{text: "[apps.testr]\nx = 1\n", want: `there is no app "testr". Did you mean "tester"?`},
		{text: "[http]\naddr = \n", want: "line 2"},
		{text: "[apps.tester]\nthreshold = -1.0\n", want: "threshold must not be negative"},
		{env: map[string]string{"DOSSIER_WORK_WORKERS": "many"}, want: `DOSSIER_WORK_WORKERS: "many" is not a whole number`},
		{env: map[string]string{"DOSSIER_LEDGER_EVERY": "soon"}, want: "not a duration"},
		{sets: []string{"http.add=x"}, want: `Did you mean "http.addr"?`},
		{text: "[mail]\nvia = \"pigeon\"\n", want: "must be outbox, smtp or resend"},
		{sets: []string{"http.url=dossier.example.org"}, want: `http.url is "dossier.example.org"; it must be an address such as`},
		{sets: []string{"http.url=ftp://dossier.example.org"}, want: "http.url is"},
		{sets: []string{"http.url=https://"}, want: "http.url is"},
		{sets: []string{"http.url=https://example.org/dossier"}, want: "with nothing after the host"},
		{sets: []string{"http.url=https://me:hunter2@example.org"}, want: `"https://me:[secret]@example.org"`},
		{sets: []string{"store.url=mysql://me:hunter2@db/x"}, want: "not mysql:….", hide: "hunter2"},
		{sets: []string{"mail.via=smtp"}, want: "mail.host must name the server"},
		{sets: []string{"mail.port=70000"}, want: "mail.port is 70000"},
		{sets: []string{"mail.from=the desk"}, want: `mail.from is "the desk"`},
		{text: "[mail]\npassword = \"hunter2\"\n", want: "mail.password must be given as env:NAME or file:PATH", hide: "hunter2"},
		{text: "[models.fast]\nprovider = \"openai\"\nmodel = \"m\"\nkey = \"hunter2\"\n", want: "models.fast.key must be given as", hide: "hunter2"},
		{text: "[oidc]\nissuer = \"https://login.test\"\n", want: "oidc.client must say"},
		{text: "[oidc]\nissuer = \"login.test\"\nclient = \"d\"\n", want: `oidc.issuer is "login.test"`},
		{text: "[oidc]\nissuer = \"https://login.test\"\nclient = \"d\"\n[oidc.roles]\nbosses = [\"admn\"]\n", want: `oidc.roles.bosses: there is no role "admn". Did you mean "admin"?`},
		{text: "[models.fast]\nprovider = \"openai\"\n", want: "models.fast needs a provider and a model"},
	} {
		_, err := loadText(t, c.text, c.env, c.sets...)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q %q: got %v, want %q", c.text, c.sets, err, c.want)
		} else if c.hide != "" && strings.Contains(err.Error(), c.hide) {
			t.Errorf("a secret is shown: %v", err)
		}
	}
}

func TestSecrets(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(file, []byte("from-file\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	env := func(k string) string { return map[string]string{"K": "from-env"}[k] }
	for s, want := range map[Secret]string{"env:K": "from-env", Secret("file:" + file): "from-file", "": ""} {
		if got, err := s.Reveal(env); err != nil || got != want {
			t.Errorf("%s: got %q, %v", s, got, err)
		}
	}
	for _, s := range []Secret{"sk-plain", "env:NONE", "file:/nowhere"} {
		if _, err := s.Reveal(env); err == nil || strings.Contains(err.Error(), "sk-plain") {
			t.Errorf("%s: got %v", s, err)
		}
	}
}

func TestNothingSecretIsShown(t *testing.T) {
	t.Parallel()
	s, err := loadText(t, `
[store]
url = "postgres://user:hunter2@db/dossier"
[trace]
endpoint = "http://127.0.0.1:4318"
[trace.headers]
x-plain = "hunter3"
x-named = "env:TRACE_KEY"
`, map[string]string{"TRACE_KEY": "hunter4"})
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if err := toml.NewEncoder(&text).Encode(s.shown()); err != nil {
		t.Fatal(err)
	}
	raw, err := json.Marshal(s.shown())
	if err != nil {
		t.Fatal(err)
	}
	for _, out := range []string{text.String(), string(raw)} {
		if strings.Contains(out, "hunter") {
			t.Errorf("a secret is shown:\n%s", out)
		}
		if !strings.Contains(out, "env:TRACE_KEY") {
			t.Error("where the secret comes from is not shown")
		}
	}
	if s.Trace.Headers["x-plain"] != "hunter3" {
		t.Error("showing the configuration changed it")
	}
}
