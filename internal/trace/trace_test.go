package trace

import (
	"maps"
	"strings"
	"testing"

	"go.opentelemetry.io/otel"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"dossier"
)

func TestRedact(t *testing.T) {
	t.Parallel()
	in := `{"person_name":"Asha Rao","email":"asha.rao@example.org","home_address":"12 Long Oak Street","employee_id":"EMP-1006","home_zip":"94107"} ` +
		`Write to asha.rao@example.org or call +91 98765 43210; she lives at 12 Long Oak Street.`
	out := Redact(in)
	for _, gone := range []string{"Asha", "example.org", "Oak", "98765"} {
		if strings.Contains(out, gone) {
			t.Errorf("%q survived in %s", gone, out)
		}
	}
	for _, kept := range []string{"EMP-1006", "94107"} {
		if !strings.Contains(out, kept) {
			t.Errorf("%q is gone from %s", kept, out)
		}
	}
}

// This test sets the global tracer, so it is the only one that records.
func TestSpansFollowTheConventions(t *testing.T) {
	exp := tracetest.NewInMemoryExporter()
	stop, err := Start(t.Context(), Options{Exporter: exp, Version: "test"})
	if err != nil {
		t.Fatal(err)
	}
	ctx, run := Run(t.Context(), dossier.Run{ID: "run-1", App: "poolpatrol", Agent: "shift", Case: "CASE-1"})
	_, m := Model(ctx, "openai/gpt")
	m.Tell(Turn{Model: "openai/gpt", In: 12, Out: 3, Prompt: "mail a@b.org", Answer: "ok"})
	m.End(nil)
	_, tl := Tool(ctx, "get_employee_shifts", "c1", "read")
	tl.End(dossier.Errorf(dossier.NotFound, "none"))
	run.End(nil)
	Decision(t.Context(), dossier.Approval{ID: "ap-1", Tool: "cancel"}, dossier.Approve)
	got := map[string]map[string]string{}
	flush(t)
	for _, s := range exp.GetSpans() {
		attrs := map[string]string{}
		for _, a := range s.Attributes {
			attrs[string(a.Key)] = a.Value.String()
		}
		got[s.Name] = attrs
	}
	stop()
	for span, want := range map[string]map[string]string{
		"invoke_agent shift":               {"gen_ai.agent.name": "poolpatrol.shift", "gen_ai.conversation.id": "CASE-1"},
		"chat openai/gpt":                  {"gen_ai.request.model": "gpt", "gen_ai.usage.input_tokens": "12", "gen_ai.prompt": "mail [mail]"},
		"execute_tool get_employee_shifts": {"gen_ai.tool.name": "get_employee_shifts", "dossier.effect": "read"},
		"decide cancel":                    {"dossier.verb": "approve"},
	} {
		for k, v := range want {
			if got[span][k] != v {
				t.Errorf("%s: %s is %q, want %q", span, k, got[span][k], v)
			}
		}
	}
}

func TestNothingIsSentUnlessConfigured(t *testing.T) {
	t.Parallel()
	if exp, err := exporter(t.Context(), Options{}); exp != nil || err != nil {
		t.Errorf("got %v, %v; want no exporter", exp, err)
	}
	if exp, err := exporter(t.Context(), Options{LangSmith: "key"}); exp == nil || err != nil {
		t.Errorf("a LangSmith key alone: %v, %v", exp, err)
	}
	if _, err := exporter(t.Context(), Options{Endpoint: "nonsense"}); err == nil {
		t.Error("a bad endpoint was taken")
	}
}

func flush(t *testing.T) {
	t.Helper()
	tp, ok := otel.GetTracerProvider().(*sdktrace.TracerProvider)
	if !ok {
		t.Fatal("tracing was not started")
	}
	if err := tp.ForceFlush(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func TestAKeyAloneIsEnough(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		row      string
		o        Options
		endpoint string
		headers  map[string]string
	}{
		{"nowhere", Options{Project: "vans"}, "", nil},
		{"P-018 a key", Options{LangSmith: "ls-1"}, LangSmithEndpoint, map[string]string{"x-api-key": "ls-1", "Langsmith-Project": "dossier"}},
		{"P-018 a key and a project", Options{LangSmith: "ls-1", Project: "vans"}, LangSmithEndpoint, map[string]string{"x-api-key": "ls-1", "Langsmith-Project": "vans"}},
		{"an endpoint of one's own goes first", Options{Endpoint: "http://here:4318", LangSmith: "ls-1"}, "http://here:4318", nil},
	} {
		endpoint, headers := c.o.target()
		if endpoint != c.endpoint || !maps.Equal(headers, c.headers) {
			t.Errorf("%s: got %q %v, want %q %v", c.row, endpoint, headers, c.endpoint, c.headers)
		}
	}
}
