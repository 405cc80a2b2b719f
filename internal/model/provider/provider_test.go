package provider

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"charm.land/fantasy"

	"dossier"
	"dossier/internal/model"
	"dossier/internal/model/modeltest"
)

var openAIWire = modeltest.Wire{
	Text:     `{"id":"x","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"Hello."},"finish_reason":"stop"}],"usage":{"prompt_tokens":7,"completion_tokens":2,"total_tokens":9}}`,
	Calls:    `{"id":"x","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"look","arguments":"{\"name\":\"a\"}"}},{"id":"b","type":"function","function":{"name":"look","arguments":"{\"name\":\"b\"}"}}]},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":7,"completion_tokens":2,"total_tokens":9}}`,
	CutShort: `{"id":"x","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"Hel"},"finish_reason":"length"}],"usage":{"prompt_tokens":7,"completion_tokens":2,"total_tokens":9}}`,
	Refused:  `{"id":"x","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":""},"finish_reason":"content_filter"}],"usage":{"prompt_tokens":7,"completion_tokens":2,"total_tokens":9}}`,
	NoUsage:  `{"id":"x","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"Hello."},"finish_reason":"stop"}]}`,
	Error:    func(int) string { return `{"error":{"message":"no","type":"server_error","code":"x"}}` },
	Stream: `data: {"id":"x","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":"Hel"}}]}

data: {"id":"x","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"content":"lo."}}]}

data: {"id":"x","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}

data: {"id":"x","object":"chat.completion.chunk","created":1,"model":"m","choices":[],"usage":{"prompt_tokens":7,"completion_tokens":2,"total_tokens":9}}

data: [DONE]

`,
	Truncated: `data: {"id":"x","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":"Hel"}}]}

`,
}

var anthropicWire = modeltest.Wire{
	Text:     `{"id":"msg","type":"message","role":"assistant","model":"m","content":[{"type":"text","text":"Hello."}],"stop_reason":"end_turn","stop_sequence":null,"usage":{"input_tokens":7,"output_tokens":2}}`,
	Calls:    `{"id":"msg","type":"message","role":"assistant","model":"m","content":[{"type":"tool_use","id":"a","name":"look","input":{"name":"a"}},{"type":"tool_use","id":"b","name":"look","input":{"name":"b"}}],"stop_reason":"tool_use","stop_sequence":null,"usage":{"input_tokens":7,"output_tokens":2}}`,
	CutShort: `{"id":"msg","type":"message","role":"assistant","model":"m","content":[{"type":"text","text":"Hel"}],"stop_reason":"max_tokens","stop_sequence":null,"usage":{"input_tokens":7,"output_tokens":2}}`,
	Refused:  `{"id":"msg","type":"message","role":"assistant","model":"m","content":[],"stop_reason":"refusal","stop_sequence":null,"usage":{"input_tokens":7,"output_tokens":0}}`,
	NoUsage:  `{"id":"msg","type":"message","role":"assistant","model":"m","content":[{"type":"text","text":"Hello."}],"stop_reason":"end_turn","stop_sequence":null}`,
	Error: func(status int) string {
		kind := map[int]string{401: "authentication_error", 400: "invalid_request_error", 404: "not_found_error", 429: "rate_limit_error", 500: "api_error"}[status]
		return `{"type":"error","error":{"type":"` + kind + `","message":"no"}}`
	},
	Stream: `event: message_start
data: {"type":"message_start","message":{"id":"msg","type":"message","role":"assistant","model":"m","content":[],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":7,"output_tokens":1}}}

event: content_block_start
data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hel"}}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"lo."}}

event: content_block_stop
data: {"type":"content_block_stop","index":0}

event: message_delta
data: {"type":"message_delta","delta":{"stop_reason":"end_turn","stop_sequence":null},"usage":{"output_tokens":2}}

event: message_stop
data: {"type":"message_stop"}

`,
	Truncated: `event: message_start
data: {"type":"message_start","message":{"id":"msg","type":"message","role":"assistant","model":"m","content":[],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":7,"output_tokens":1}}}

event: content_block_start
data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hel"}}

`,
}

var geminiWire = modeltest.Wire{
	Text:     `{"candidates":[{"content":{"role":"model","parts":[{"text":"Hello."}]},"finishReason":"STOP","index":0}],"usageMetadata":{"promptTokenCount":7,"candidatesTokenCount":2,"totalTokenCount":9}}`,
	Calls:    `{"candidates":[{"content":{"role":"model","parts":[{"functionCall":{"name":"look","args":{"name":"a"}}},{"functionCall":{"name":"look","args":{"name":"b"}}}]},"finishReason":"STOP","index":0}],"usageMetadata":{"promptTokenCount":7,"candidatesTokenCount":2,"totalTokenCount":9}}`,
	CutShort: `{"candidates":[{"content":{"role":"model","parts":[{"text":"Hel"}]},"finishReason":"MAX_TOKENS","index":0}],"usageMetadata":{"promptTokenCount":7,"candidatesTokenCount":2,"totalTokenCount":9}}`,
	Refused:  `{"candidates":[{"content":{"role":"model","parts":[{"text":""}]},"finishReason":"SAFETY","index":0}],"usageMetadata":{"promptTokenCount":7,"totalTokenCount":7}}`,
	NoUsage:  `{"candidates":[{"content":{"role":"model","parts":[{"text":"Hello."}]},"finishReason":"STOP","index":0}]}`,
	Error: func(status int) string {
		return fmt.Sprintf(`{"error":{"code":%d,"message":"no","status":"X"}}`, status)
	},
	Stream:    "data: {\"candidates\":[{\"content\":{\"role\":\"model\",\"parts\":[{\"text\":\"Hel\"}]},\"index\":0}]}\n\ndata: {\"candidates\":[{\"content\":{\"role\":\"model\",\"parts\":[{\"text\":\"lo.\"}]},\"finishReason\":\"STOP\",\"index\":0}],\"usageMetadata\":{\"promptTokenCount\":7,\"candidatesTokenCount\":2,\"totalTokenCount\":9}}\n\n",
	Truncated: "data: {\"candidates\":[{\"content\":{\"role\":\"model\",\"parts\":[{\"text\":\"Hel\"}]},\"index\":0}]}\n\n",
}

func TestProviders(t *testing.T) {
	t.Parallel()
	for name, wire := range map[string]modeltest.Wire{
		"openai": openAIWire, "compatible": openAIWire, "azure": openAIWire,
		"openrouter": openAIWire, "anthropic": anthropicWire, "bedrock": anthropicWire, "gemini": geminiWire,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			modeltest.Run(t, wire, func(t *testing.T, o modeltest.Options) model.Model {
				t.Helper()
				m, err := New(t.Context(), Config{
					Provider: name, Model: "m", BaseURL: o.URL, Key: modeltest.Key, Region: "us-east-1",
					Sleep: o.Sleep, Timeout: o.Timeout, Retries: o.Retries, Client: &http.Client{Transport: to(o.URL)},
				})
				if err != nil {
					t.Fatal(err)
				}
				return m
			})
		})
	}
}

// to is a transport that sends every request to one address: some libraries know only
// their vendor's.
type to string

func (addr to) RoundTrip(r *http.Request) (*http.Response, error) {
	u, err := url.Parse(string(addr))
	if err != nil {
		return nil, err
	}
	r = r.Clone(r.Context())
	r.URL.Scheme, r.URL.Host, r.Host = u.Scheme, u.Host, ""
	return http.DefaultTransport.RoundTrip(r)
}

func TestWrongSettings(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		cfg  Config
		want string
	}{
		{Config{Provider: "opnai", Model: "m"}, `There is no provider "opnai"`},
		{Config{Provider: "openai"}, "needs a model"},
		{Config{Provider: "compatible", Model: "m"}, "needs a base_url"},
	} {
		if _, err := New(t.Context(), c.cfg); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: got %v, want %q", c.cfg, err, c.want)
		}
	}
}

// A panicker is a library that panics.
type panicker struct{ fantasy.LanguageModel }

func (panicker) Generate(context.Context, fantasy.Call) (*fantasy.Response, error) { panic("boom") }

func TestAPanicIsAProviderThatIsUnavailable(t *testing.T) {
	t.Parallel()
	g := &guarded{inner: adapter{panicker{}}, name: "x/y", cfg: Config{}.withDefaults(), slots: make(chan struct{}, 1)}
	_, err := g.Generate(t.Context(), &model.Request{}, nil)
	if !errors.Is(err, dossier.Unavailable) {
		t.Errorf("got %v", err)
	}
}

func TestPause(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		try    int
		after  time.Duration
		jitter float64
		want   time.Duration
	}{
		{0, 0, 0, 500 * time.Millisecond}, {2, 0, 0, 2 * time.Second}, {0, 0, 0.5, 750 * time.Millisecond},
		{0, 3 * time.Second, 0.5, 3 * time.Second}, {0, time.Hour, 0, time.Minute}, {50, 0, 0, time.Minute},
	} {
		if got := pause(c.try, c.after, c.jitter); got != c.want {
			t.Errorf("pause(%d, %v, %v) = %v, want %v", c.try, c.after, c.jitter, got, c.want)
		}
	}
}
