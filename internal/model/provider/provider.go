// Package provider talks to vendors of language models. It is one adapter over the
// fantasy library's LanguageModel, so OpenAI, every compatible server, Anthropic,
// Gemini, Azure, Bedrock and OpenRouter look the same to the rest of the product.
//
// A model made here bounds its calls: a time-out, a limit on calls at the same time,
// and retries with backoff and jitter that honour Retry-After. Which failures are
// worth retrying is decided in one place, [classify]. A library that panics is a
// provider that is unavailable. Nothing here runs a tool or keeps a key longer than
// the client that needs it.
package provider

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"time"

	"charm.land/fantasy"
	"charm.land/fantasy/providers/anthropic"
	"charm.land/fantasy/providers/azure"
	"charm.land/fantasy/providers/bedrock"
	"charm.land/fantasy/providers/google"
	"charm.land/fantasy/providers/openai"
	"charm.land/fantasy/providers/openaicompat"
	"charm.land/fantasy/providers/openrouter"

	"dossier"
	"dossier/internal/model"
)

// Names are the providers that a configuration may name.
var Names = []string{"openai", "compatible", "anthropic", "gemini", "azure", "bedrock", "openrouter"}

// A Config says which model to talk to and how patiently.
type Config struct {
	Provider string
	Model    string
	BaseURL  string // required for compatible and azure
	Key      string
	Region   string // for bedrock
	Client   *http.Client

	Timeout  time.Duration // of one try; 0: two minutes
	Retries  int           // after the first try; 0: 3, negative: none
	Parallel int           // calls at the same time; 0: 4

	// Sleep waits between tries; nil: a timer. Jitter is in [0,1); nil: none.
	Sleep  func(ctx context.Context, d time.Duration) error
	Jitter func() float64
}

// New returns the model that cfg describes.
func New(ctx context.Context, cfg Config) (model.Model, error) {
	if !slices.Contains(Names, cfg.Provider) {
		return nil, dossier.Errorf(dossier.Invalid, "There is no provider %q. There are: %s.", cfg.Provider, strings.Join(Names, ", "))
	}
	if cfg.Model == "" {
		return nil, dossier.Errorf(dossier.Invalid, "The provider %s needs a model.", cfg.Provider)
	}
	if cfg.BaseURL == "" && (cfg.Provider == "compatible" || cfg.Provider == "azure") {
		return nil, dossier.Errorf(dossier.Invalid, "The provider %s needs a base_url.", cfg.Provider)
	}
	p, err := vendor(cfg.withDefaults())
	if err != nil {
		return nil, dossier.Errorf(dossier.Invalid, "The provider %s could not be set up. Check its settings.", cfg.Provider).Because(err)
	}
	lm, err := p.LanguageModel(ctx, cfg.Model)
	if err != nil {
		return nil, dossier.Errorf(dossier.Invalid, "The provider %s does not offer %s.", cfg.Provider, cfg.Model).Because(err)
	}
	cfg = cfg.withDefaults()
	return &guarded{
		inner: adapter{lm}, name: cfg.Provider + "/" + cfg.Model, cfg: cfg,
		slots: make(chan struct{}, cfg.Parallel),
	}, nil
}

func (c Config) withDefaults() Config {
	client := http.Client{}
	if c.Client != nil {
		client = *c.Client
	}
	if client.Transport == nil {
		client.Transport = http.DefaultTransport
	}
	if _, wrapped := client.Transport.(transport); !wrapped {
		client.Transport = transport{base: client.Transport, gemini: c.Provider == "gemini"}
	}
	c.Client = &client
	if c.Timeout == 0 {
		c.Timeout = 2 * time.Minute
	}
	if c.Retries == 0 {
		c.Retries = 3
	}
	if c.Parallel == 0 {
		c.Parallel = 4
	}
	if c.Sleep == nil {
		c.Sleep = sleep
	}
	if c.Jitter == nil {
		c.Jitter = func() float64 { return 0 }
	}
	return c
}

func vendor(c Config) (fantasy.Provider, error) {
	switch c.Provider {
	case "openai":
		opts := []openai.Option{openai.WithAPIKey(c.Key), openai.WithHTTPClient(c.Client)}
		if c.BaseURL != "" {
			opts = append(opts, openai.WithBaseURL(c.BaseURL))
		}
		return openai.New(opts...)
	case "compatible":
		return openaicompat.New(openaicompat.WithBaseURL(c.BaseURL), openaicompat.WithAPIKey(c.Key), openaicompat.WithHTTPClient(c.Client))
	case "anthropic":
		opts := []anthropic.Option{anthropic.WithAPIKey(c.Key), anthropic.WithHTTPClient(c.Client)}
		if c.BaseURL != "" {
			opts = append(opts, anthropic.WithBaseURL(c.BaseURL))
		}
		return anthropic.New(opts...)
	case "gemini":
		opts := []google.Option{google.WithGeminiAPIKey(c.Key), google.WithHTTPClient(c.Client)}
		if c.BaseURL != "" {
			opts = append(opts, google.WithBaseURL(c.BaseURL))
		}
		return google.New(opts...)
	case "azure":
		return azure.New(azure.WithBaseURL(c.BaseURL), azure.WithAPIKey(c.Key), azure.WithHTTPClient(c.Client))
	case "bedrock":
		opts := []bedrock.Option{bedrock.WithHTTPClient(c.Client)}
		if c.Key != "" {
			opts = append(opts, bedrock.WithAPIKey(c.Key))
		}
		if c.Region != "" {
			opts = append(opts, bedrock.WithRegion(c.Region))
		}
		if c.BaseURL != "" {
			opts = append(opts, bedrock.WithBaseURL(c.BaseURL))
		}
		return bedrock.New(opts...)
	default:
		return openrouter.New(openrouter.WithAPIKey(c.Key), openrouter.WithHTTPClient(c.Client))
	}
}

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
