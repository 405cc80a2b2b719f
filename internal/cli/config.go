package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/BurntSushi/toml"

	"dossier"
	"dossier/internal/app"
)

// A Config is every setting of the product. Each has one key in the file, and one
// environment variable whose name follows from the key: http.addr is
// DOSSIER_HTTP_ADDR.
type Config struct {
	Data   string                    `toml:"data"` // the folder the product keeps its files in
	HTTP   HTTPConfig                `toml:"http"`
	Store  StoreConfig               `toml:"store"`
	Work   WorkConfig                `toml:"work"`
	Ledger LedgerConfig              `toml:"ledger"`
	Mail   MailConfig                `toml:"mail"`
	OIDC   OIDCConfig                `toml:"oidc"`
	Trace  TraceConfig               `toml:"trace"`
	Log    LogConfig                 `toml:"log"`
	Models map[string]ModelConfig    `toml:"models"` // by alias: fast, strong
	Agents map[string]string         `toml:"agents"` // "poolpatrol.shift" to an alias, in place of the agent's own
	Gates  map[string]string         `toml:"gates"`  // "poolpatrol.shift" to "shift>=0.95"
	Prices map[string]PriceConfig    `toml:"prices"` // by "provider/model"
	Apps   map[string]toml.Primitive `toml:"apps"`   // each app's own settings, decoded into its own type
}

// HTTPConfig is where the product listens.
type HTTPConfig struct {
	Addr string `toml:"addr"`
	URL  string `toml:"url"` // the address people use; "": made from addr
	// Proxied says that a proxy of yours stands in front: a visitor's address is then the
	// last of X-Forwarded-For.
	Proxied bool `toml:"proxied"`
}

// StoreConfig is where records are kept.
type StoreConfig struct {
	URL    string `toml:"url"`     // "" is sqlite:DATA/dossier.db; or postgres://…
	URLEnv string `toml:"url_env"` // the environment variable that holds the URL, where it has a password
}

// WorkConfig is how due work is done.
type WorkConfig struct {
	Workers int `toml:"workers"` // at the same time in one process
}

// LedgerConfig is how evidence is sealed.
type LedgerConfig struct {
	Every   time.Duration `toml:"every"`    // between checkpoints
	KeyFile string        `toml:"key_file"` // ed25519 seed; "" is DATA/ledger.key, made when missing
}

// MailConfig is how mail goes out.
type MailConfig struct {
	Via      string `toml:"via"` // outbox, smtp or resend
	From     string `toml:"from"`
	Host     string `toml:"host"`
	Port     int    `toml:"port"`
	User     string `toml:"user"`
	Password Secret `toml:"password"`
	TLS      string `toml:"tls"` // starttls, implicit or none
	Key      Secret `toml:"key"` // of the mail service
}

// OIDCConfig is sign-in through an identity provider. An empty issuer turns it off.
type OIDCConfig struct {
	Issuer string                    `toml:"issuer"`
	Client string                    `toml:"client"`
	Secret Secret                    `toml:"secret"`
	Claim  string                    `toml:"claim"` // the claim that holds groups
	Roles  map[string][]dossier.Role `toml:"roles"` // group to roles
}

// TraceConfig is where traces go. Nothing is sent while the endpoint is empty and
// LANGSMITH_API_KEY is not set.
type TraceConfig struct {
	Endpoint string            `toml:"endpoint"` // OTLP over HTTP
	Headers  map[string]Secret `toml:"headers"`  // env:NAME and file:PATH are read; other values are sent as they are
	Text     bool              `toml:"text"`     // send prompts and answers, redacted
}

// LogConfig is what the product writes to standard error.
type LogConfig struct {
	Level  string `toml:"level"`  // debug, info, warn, error
	Format string `toml:"format"` // text or json
}

// ModelConfig is one language model under an alias.
type ModelConfig struct {
	Provider string        `toml:"provider"` // openai, compatible, anthropic, gemini, azure, bedrock, openrouter
	Model    string        `toml:"model"`
	BaseURL  string        `toml:"base_url"`
	Key      Secret        `toml:"key"`
	Timeout  time.Duration `toml:"timeout"`
	Parallel int           `toml:"parallel"` // calls at the same time
	Retries  int           `toml:"retries"`
	Region   string        `toml:"region"` // for bedrock
}

// PriceConfig is what a million tokens cost.
type PriceConfig struct {
	In     float64 `toml:"in"`
	Out    float64 `toml:"out"`
	Cached float64 `toml:"cached"`
}

// A Secret names where a secret is: "env:NAME" or "file:PATH". The secret itself is
// never in the configuration.
type Secret string

// String says where the secret is and never what it is.
func (s Secret) String() string { return string(s) }

// named reports whether s says where a secret is.
func (s Secret) named() bool {
	return strings.HasPrefix(string(s), "env:") || strings.HasPrefix(string(s), "file:")
}

// Reveal reads the secret. "" reveals "".
func (s Secret) Reveal(env func(string) string) (string, error) {
	switch kind, rest, _ := strings.Cut(string(s), ":"); {
	case s == "":
		return "", nil
	case kind == "env":
		v := env(rest)
		if v == "" {
			return "", dossier.Errorf(dossier.Invalid, "The environment variable %s is not set; the configuration reads a secret from it.", rest)
		}
		return v, nil
	case kind == "file":
		raw, err := os.ReadFile(rest)
		if err != nil {
			return "", dossier.Errorf(dossier.Invalid, "The secret file %s cannot be read.", rest).Because(err)
		}
		return strings.TrimSpace(string(raw)), nil
	}
	return "", dossier.Errorf(dossier.Invalid, "A secret must be given as env:NAME or file:PATH, never in the configuration itself.")
}

func defaults(env func(string) string) Config {
	data := env("XDG_DATA_HOME")
	if data == "" {
		data = filepath.Join(env("HOME"), ".local", "share")
	}
	return Config{
		Data:   filepath.Join(data, "dossier"),
		HTTP:   HTTPConfig{Addr: "127.0.0.1:8080"},
		Work:   WorkConfig{Workers: 8},
		Ledger: LedgerConfig{Every: time.Hour},
		Mail:   MailConfig{Via: "outbox", From: "dossier@localhost", Port: 587, TLS: "starttls"},
		OIDC:   OIDCConfig{Claim: "groups"},
		Log:    LogConfig{Level: "info", Format: "text"},
	}
}

// A settings is a configuration with each app's own part decoded.
type settings struct {
	Config
	apps map[string]app.Config // by app ID: a pointer to the app's own type

	appGates map[string]gateList // by app ID: what its models must reach
	file     string              // "" if there was none
}

// load reads the settings: defaults, then the file, then the environment, then
// flags given as key=value.
func load(file string, env func(string) string, sets []string, apps []app.App) (*settings, error) {
	s := &settings{Config: defaults(env), apps: map[string]app.Config{}, appGates: map[string]gateList{}}
	for _, a := range apps {
		s.apps[a.ID] = a.Default()
	}
	if file == "" {
		file = env("DOSSIER_CONFIG")
	}
	if file != "" {
		if err := s.readFile(file); err != nil {
			return nil, err
		}
	}
	keys := s.keys()
	for _, k := range keys {
		if v := env(k.env()); v != "" {
			if err := k.set(v); err != nil {
				return nil, dossier.Errorf(dossier.Invalid, "%s: %v", k.env(), err)
			}
		}
	}
	for _, kv := range sets {
		name, v, ok := strings.Cut(kv, "=")
		i := slices.IndexFunc(keys, func(k key) bool { return k.name == name })
		if !ok || i < 0 {
			return nil, dossier.Errorf(dossier.Invalid, "--set %s: there is no setting %q.%s", kv, name, nearest(name, keyNames(keys)))
		}
		if err := keys[i].set(v); err != nil {
			return nil, dossier.Errorf(dossier.Invalid, "--set %s: %v", kv, err)
		}
	}
	return s, s.validate(apps)
}

func (s *settings) readFile(file string) error {
	raw, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return dossier.Errorf(dossier.Invalid, "There is no configuration file %s.", file)
	}
	if err != nil {
		return dossier.Errorf(dossier.Invalid, "The configuration file %s cannot be read.", file).Because(err)
	}
	s.file = file
	md, err := toml.NewDecoder(bytes.NewReader(raw)).Decode(&s.Config)
	if pe, ok := errors.AsType[toml.ParseError](err); ok {
		return dossier.Errorf(dossier.Invalid, "%s, line %d: %s.", file, pe.Position.Line, pe.Message)
	}
	if err != nil {
		return dossier.Errorf(dossier.Invalid, "%s: %s.", file, misfit(err))
	}
	for id, part := range s.Apps {
		into, ok := s.apps[id]
		if !ok {
			return dossier.Errorf(dossier.Invalid, "%s: there is no app %q.%s", file, id, nearest(id, slices.Collect(maps.Keys(s.apps))))
		}
		var own struct {
			Gate gateList `toml:"gate"`
		}
		if err := errors.Join(md.PrimitiveDecode(part, &own), md.PrimitiveDecode(part, into)); err != nil {
			return dossier.Errorf(dossier.Invalid, "%s: apps.%s: %s.", file, id, misfit(err))
		}
		s.appGates[id] = own.Gate
	}
	for _, k := range md.Undecoded() {
		return dossier.Errorf(dossier.Invalid, "%s: there is no setting %q.%s", file, k, nearest(k.String(), withTables(keyNames(s.keys()))))
	}
	return nil
}

// misfitForm is how the library reports a value of the wrong kind.
var misfitForm = regexp.MustCompile(`^toml: (?:line (\d+) )?\(last key "([^"]*)"\): (?:(?:incompatible types|type mismatch)[^:]*: )?(.*)$`)

// misfit says which setting has a value of the wrong kind, without the program's own
// types.
func misfit(err error) string {
	m := misfitForm.FindStringSubmatch(err.Error())
	if m == nil {
		return strings.TrimPrefix(err.Error(), "toml: ")
	}
	text := fmt.Sprintf("the setting %q does not fit: %s", m[2], m[3])
	if m[1] != "" {
		text = "line " + m[1] + ": " + text
	}
	return text
}

// withTables adds the tables that keys lie in.
func withTables(keys []string) []string {
	out := slices.Clone(keys)
	for _, k := range keys {
		for i := strings.LastIndexByte(k, '.'); i > 0; i = strings.LastIndexByte(k[:i], '.') {
			if !slices.Contains(out, k[:i]) {
				out = append(out, k[:i])
			}
		}
	}
	return out
}

func (s *settings) storeURL(env func(string) string) (string, error) {
	if s.Store.URLEnv != "" {
		return Secret("env:" + s.Store.URLEnv).Reveal(env)
	}
	if s.Store.URL != "" {
		return s.Store.URL, nil
	}
	return "sqlite:" + filepath.Join(s.Data, "dossier.db"), nil
}

func (s *settings) url() string {
	if s.HTTP.URL != "" {
		return strings.TrimRight(s.HTTP.URL, "/")
	}
	return "http://" + s.HTTP.Addr
}
