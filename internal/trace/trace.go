// Package trace tells others what the product's agents do, in OpenTelemetry with its
// conventions for generative AI: a span per run, per model turn, per tool call and
// per decision.
//
// Nothing leaves unless an operator configured where to. Text of prompts and
// answers leaves only if asked for, and only after [Redact] has taken out what could
// name a person. The package observes; nothing in the product depends on it.
package trace

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	oteltrace "go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"

	"dossier"
)

// Options say where traces go.
type Options struct {
	Endpoint  string            // OTLP over HTTP: "https://host:4318"; "" with no LangSmith key: nowhere
	Headers   map[string]string // sent with every batch
	LangSmith string            // an API key; alone it is enough to send traces to LangSmith
	Project   string            // LangSmith's project; "": dossier
	Version   string

	// Exporter takes the place of the network, in tests.
	Exporter sdktrace.SpanExporter
}

// LangSmithEndpoint is where LangSmith takes OTLP.
const LangSmithEndpoint = "https://api.smith.langchain.com/otel/v1/traces"

// Start begins to send traces and returns what flushes and ends it. With nowhere to
// send to, it does nothing.
func Start(ctx context.Context, o Options) (stop func(), err error) {
	exp := o.Exporter
	if exp == nil {
		if exp, err = exporter(ctx, o); err != nil || exp == nil {
			return func() {}, err
		}
	}
	res := resource.NewSchemaless(attribute.String("service.name", "dossier"), attribute.String("service.version", o.Version))
	tp := sdktrace.NewTracerProvider(sdktrace.WithBatcher(exp), sdktrace.WithResource(res))
	otel.SetTracerProvider(tp)
	sending.Store(true)
	return func() {
		sending.Store(false)
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer cancel()
		if err := tp.Shutdown(ctx); err != nil {
			otel.Handle(err)
		}
	}, nil
}

// target returns where traces go and what is sent with them, or "".
func (o Options) target() (endpoint string, headers map[string]string) {
	if o.Endpoint != "" || o.LangSmith == "" {
		return o.Endpoint, o.Headers
	}
	return LangSmithEndpoint, map[string]string{"x-api-key": o.LangSmith, "Langsmith-Project": cmp.Or(o.Project, "dossier")}
}

func exporter(ctx context.Context, o Options) (sdktrace.SpanExporter, error) {
	endpoint, headers := o.target()
	if endpoint == "" {
		return nil, nil
	}
	u, err := url.Parse(endpoint)
	if err != nil || u.Host == "" {
		return nil, dossier.Errorf(dossier.Invalid, "trace.endpoint is %q; it must be a URL such as https://host:4318.", endpoint)
	}
	if u.Path == "" || u.Path == "/" {
		u.Path = "/v1/traces"
	}
	exp, err := otlptracehttp.New(ctx, otlptracehttp.WithEndpointURL(u.String()), otlptracehttp.WithHeaders(headers))
	if err != nil {
		return nil, fmt.Errorf("set up tracing: %w", err)
	}
	return exp, nil
}

// sending says that spans go somewhere. While they do not, none is made.
var sending atomic.Bool

// begin begins a span whose name is what is done and to what.
func begin(ctx context.Context, what, to string) (context.Context, Span) {
	if !sending.Load() {
		return ctx, Span{noop.Span{}}
	}
	ctx, s := otel.Tracer("dossier").Start(ctx, what+" "+to)
	return ctx, Span{s}
}

// A Span is one thing being done.
type Span struct{ s oteltrace.Span }

// Recording reports whether anybody will see the span, so that costly attributes
// can be left out if not.
func (s Span) Recording() bool { return s.s.IsRecording() }

// End closes the span, with the error that ended it if there was one.
func (s Span) End(err error) {
	if err != nil && s.s.IsRecording() {
		s.s.SetStatus(codes.Error, string(dossier.KindOf(err)))
	}
	s.s.End()
}

// Run begins the span of a run.
func Run(ctx context.Context, r dossier.Run) (context.Context, Span) {
	ctx, span := begin(ctx, "invoke_agent", r.Agent)
	if span.Recording() {
		span.s.SetAttributes(
			attribute.String("gen_ai.operation.name", "invoke_agent"), attribute.String("gen_ai.agent.name", r.App+"."+r.Agent),
			attribute.String("gen_ai.conversation.id", string(r.Case)), attribute.String("dossier.run", string(r.ID)),
			attribute.String("dossier.parent_run", string(r.ParentOf)), attribute.String("langsmith.span.kind", "chain"),
		)
	}
	return ctx, span
}

// A Turn is what is told about one model turn.
type Turn struct {
	Model   string // "provider/model"
	Agent   string
	Version string // of prompt and tools
	In, Out int
	Cost    float64
	Stop    string
	Prompt  string // "" unless text is sent
	Answer  string
}

// Model begins the span of a model turn.
func Model(ctx context.Context, name string) (context.Context, Span) {
	return begin(ctx, "chat", name)
}

// Tell adds what a model turn came to.
func (s Span) Tell(t Turn) {
	if !s.s.IsRecording() {
		return
	}
	vendor, name, _ := strings.Cut(t.Model, "/")
	s.s.SetAttributes(
		attribute.String("gen_ai.operation.name", "chat"), attribute.String("gen_ai.provider.name", vendor),
		attribute.String("gen_ai.request.model", name), attribute.Int("gen_ai.usage.input_tokens", t.In),
		attribute.Int("gen_ai.usage.output_tokens", t.Out), attribute.Float64("dossier.cost", t.Cost),
		attribute.String("gen_ai.agent.name", t.Agent), attribute.String("dossier.prompt_version", t.Version),
		attribute.StringSlice("gen_ai.response.finish_reasons", []string{t.Stop}), attribute.String("langsmith.span.kind", "llm"),
	)
	if t.Prompt != "" {
		s.s.SetAttributes(attribute.String("gen_ai.prompt", Redact(t.Prompt)), attribute.String("gen_ai.completion", Redact(t.Answer)))
	}
}

// Tool begins the span of a tool call.
func Tool(ctx context.Context, name, call, effect string) (context.Context, Span) {
	ctx, span := begin(ctx, "execute_tool", name)
	if span.Recording() {
		span.s.SetAttributes(
			attribute.String("gen_ai.operation.name", "execute_tool"), attribute.String("gen_ai.tool.name", name),
			attribute.String("gen_ai.tool.call.id", call), attribute.String("dossier.effect", effect), attribute.String("langsmith.span.kind", "tool"),
		)
	}
	return ctx, span
}

// Decision tells that a person decided.
func Decision(ctx context.Context, a dossier.Approval, verb dossier.Verb) {
	_, span := begin(ctx, "decide", a.Tool)
	if span.Recording() {
		span.s.SetAttributes(
			attribute.String("gen_ai.tool.name", a.Tool), attribute.String("dossier.approval", string(a.ID)),
			attribute.String("dossier.verb", string(verb)), attribute.String("dossier.status", string(a.Status)),
			attribute.String("gen_ai.conversation.id", string(a.Case)),
		)
	}
	span.End(nil)
}
