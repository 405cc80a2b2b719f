package gatepass_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"pgregory.net/rapid"

	"dossier"
	"dossier/apps/gatepass"
	"dossier/apps/gatepass/grammar"
	"dossier/apps/gatepass/operation"
	"dossier/apps/gatepass/pass"
	"dossier/apps/gatepass/rest"
	"dossier/internal/app"
	"dossier/internal/app/apptest"
	"dossier/internal/tool"
)

// A recorder is a Gate Pass API that writes down what it is asked and answers with a
// picture for QR codes and an empty pass for everything else.
type recorder struct {
	url   string
	mu    sync.Mutex
	seen  []request
	image []byte
	print string // what it prints; "": it does not
	cut   atomic.Bool
}

type request struct {
	method, path string
	query        url.Values
	body         map[string]any
	form         map[string]string
	photo        []byte
	key          string
}

func (r *recorder) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	got := request{method: req.Method, path: req.URL.Path, query: req.URL.Query(), key: req.Header.Get("Idempotency-Key"), form: map[string]string{}}
	if strings.HasPrefix(req.Header.Get("Content-Type"), "multipart/") {
		if err := req.ParseMultipartForm(8 << 20); err == nil {
			for k, v := range req.MultipartForm.Value {
				got.form[k] = v[0]
			}
			if f, _, err := req.FormFile("photo"); err == nil {
				got.photo, _ = io.ReadAll(f)
			}
		}
	} else {
		_ = json.NewDecoder(req.Body).Decode(&got.body)
	}
	r.mu.Lock()
	r.seen = append(r.seen, got)
	img := r.image
	r.mu.Unlock()
	if r.cut.Load() {
		panic(http.ErrAbortHandler)
	}
	if strings.HasPrefix(req.URL.Path, "/qr/") {
		w.Header().Set("Content-Type", "image/png")
		_, _ = w.Write(img)
		return
	}
	if r.print != "" && strings.HasSuffix(req.URL.Path, "/print") {
		w.Header().Set("Content-Type", "application/pdf")
		fmt.Fprint(w, r.print)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	fmt.Fprint(w, `{"items":[],"pass_number":"GP-2026-0001","status":"pending"}`)
}

func (r *recorder) take() []request {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := r.seen
	r.seen = nil
	return out
}

// remote builds the app with its tools pointed at a recorder.
func remote(t testing.TB) (*apptest.Bench, *recorder) {
	rec := &recorder{}
	s := httptest.NewServer(rec)
	t.Cleanup(s.Close)
	rec.url = s.URL
	b := apptest.Open(t, gatepass.App, apptest.Options{At: monday, Change: func(c app.Config) { c.(*gatepass.Config).APIURL = s.URL }})
	return b, rec
}

var people = map[string]dossier.Principal{"hr": hr, "admin": admin, "gate": gate}

func call(t interface{ Fatalf(string, ...any) }, ctx context.Context, tl tool.Tool, who dossier.Principal, args string) (gatepass.Reply, error) {
	plan, err := tl.Plan(json.RawMessage(args))
	if err != nil {
		return gatepass.Reply{}, err
	}
	res, err := tl.Run(ctx, tool.Call{For: who, Now: monday, Key: "k/" + args}, plan.Args)
	var out gatepass.Reply
	if err == nil {
		if e := json.Unmarshal(res.Value, &out); e != nil {
			t.Fatalf("decode: %v", e)
		}
	}
	return out, err
}

// Feature: gatepass-ai-agent, Property 1: every tool has a name, a description, a typed
// parameter schema, a required role, an endpoint and a method.
func TestProperty1(t *testing.T) {
	t.Parallel()
	b, _ := remote(t)
	rapid.Check(t, func(t *rapid.T) {
		o := rapid.SampledFrom(operation.All).Draw(t, "operation")
		tl, ok := b.Kit.Tool(o.Name)
		if !ok || tl.Doc == "" || !strings.Contains(tl.Doc, o.Example) {
			t.Fatalf("Property 1: %s has no tool or description", o.Name)
		}
		var schema struct {
			Type       string
			Properties map[string]struct{ Type, Description string }
			Required   []string
		}
		if err := json.Unmarshal(tl.Input.Text, &schema); err != nil || schema.Type != "object" {
			t.Fatalf("Property 1: schema of %s: %s %v", o.Name, tl.Input.Text, err)
		}
		for _, slot := range o.Slots {
			p, ok := schema.Properties[slot.Name]
			if !ok || p.Type == "" || p.Description == "" || slices.Contains(schema.Required, slot.Name) == slot.Optional {
				t.Fatalf("Property 1: parameter %s of %s: %+v, required %v", slot.Name, o.Name, p, schema.Required)
			}
		}
		if len(schema.Properties) != len(o.Slots) {
			t.Fatalf("Property 1: %s takes %d parameters, declares %d", o.Name, len(schema.Properties), len(o.Slots))
		}
		if !strings.HasPrefix(o.Endpoint, "/") || o.Method != "GET" && o.Method != "POST" {
			t.Fatalf("Property 1: %s has endpoint %s %s", o.Name, o.Method, o.Endpoint)
		}
		for role := range strings.SplitSeq(operation.RequiredRole(o.Desks), ", ") {
			if !slices.Contains([]string{"HR_User", "Admin_User", "Gate_User", "All"}, role) {
				t.Fatalf("Property 1: %s needs role %q", o.Name, role)
			}
		}
	})
}

// sample draws arguments that fit an operation, as JSON and by slot.
func sample(t *rapid.T, o operation.Operation) (string, map[string]string) {
	values := map[string]string{}
	raw := map[string]json.RawMessage{}
	for _, s := range o.Slots {
		if s.Optional && rapid.Bool().Draw(t, "leave out "+s.Name) {
			continue
		}
		v := ""
		switch s.Kind {
		case grammar.Number:
			v = pass.Number(rapid.IntRange(1990, 2200).Draw(t, "year"), rapid.IntRange(1, 99999).Draw(t, "n"))
		case grammar.ID, grammar.PassRef:
			v = "pass-" + rapid.StringMatching(`[0-9a-f]{8}`).Draw(t, "id")
		case grammar.Note:
			v = "ntf-" + rapid.StringMatching(`[0-9a-f]{8}`).Draw(t, "note")
		case grammar.Status:
			v = rapid.SampledFrom(pass.FilterWords()).Draw(t, "status")
		case grammar.Day:
			v = "2026-11-16"
		case grammar.Moment:
			v = "2026-11-16T17:30"
		case grammar.YesNo:
			v = fmt.Sprint(rapid.Bool().Draw(t, "yes"))
			raw[s.Name] = json.RawMessage(v)
		case grammar.Page:
			v = fmt.Sprint(rapid.IntRange(2, 50).Draw(t, "page"))
			raw[s.Name] = json.RawMessage(v)
		case grammar.Photo:
			v = dataURL
		default:
			v = rapid.StringMatching(`[A-Za-z][A-Za-z '&?=/%]{0,30}[a-z]`).Draw(t, s.Name)
		}
		values[s.Name] = v
		if raw[s.Name] == nil {
			q, _ := json.Marshal(v)
			raw[s.Name] = q
		}
	}
	text, _ := json.Marshal(raw)
	return string(text), values
}

// asked makes a valid call of one of ops and returns the one request it made.
func asked(t *rapid.T, b *apptest.Bench, rec *recorder, ops []operation.Operation, property string) (operation.Operation, map[string]string, request) {
	o := rapid.SampledFrom(ops).Draw(t, "operation")
	tl, _ := b.Kit.Tool(o.Name)
	args, values := sample(t, o)
	rec.take()
	if _, err := call(t, context.Background(), tl, people[o.Desks[0]], args); err != nil {
		t.Fatalf("%s: %s %s: %v", property, o.Name, args, err)
	}
	seen := rec.take()
	if len(seen) != 1 {
		t.Fatalf("%s: %s made %d requests", property, o.Name, len(seen))
	}
	return o, values, seen[0]
}

// Feature: gatepass-ai-agent, Property 2: every valid call becomes one request with the
// right endpoint, method and parameters.
func TestProperty2(t *testing.T) {
	t.Parallel()
	b, rec := remote(t)
	rapid.Check(t, func(t *rapid.T) {
		o, values, got := asked(t, b, rec, operation.All, "Property 2")
		path := o.Endpoint
		for name, v := range values {
			path = strings.ReplaceAll(path, "{"+name+"}", v)
		}
		if got.method != o.Method || got.path != path {
			t.Fatalf("Property 2: %s asked %s %s, want %s %s", o.Name, got.method, got.path, o.Method, path)
		}
		if (got.key != "") != (o.Method == "POST") {
			t.Fatalf("Property 2: %s has idempotency key %q", o.Name, got.key)
		}
		for name, v := range values {
			switch {
			case strings.Contains(o.Endpoint, "{"+name+"}"), strings.HasPrefix(o.Name, "scan_"):
			case o.Method == "GET":
				if got.query.Get(name) != v {
					t.Fatalf("Property 2: %s asked %v, want %s=%s", o.Name, got.query, name, v)
				}
			default:
				if fmt.Sprint(got.body[name]) != v {
					t.Fatalf("Property 2: %s sent %v, want %s=%s", o.Name, got.body, name, v)
				}
			}
		}
	})
}

// Feature: gatepass-ai-agent, Property 10: a scan, of an exit or a return, is a multipart
// request that holds the pass number and the photo, byte by byte.
func TestProperty10(t *testing.T) {
	t.Parallel()
	b, rec := remote(t)
	scans := slices.DeleteFunc(slices.Clone(operation.All), func(o operation.Operation) bool { return !strings.HasPrefix(o.Name, "scan_") })
	if len(scans) != 2 {
		t.Fatalf("%d scans", len(scans))
	}
	rapid.Check(t, func(t *rapid.T) {
		o, values, got := asked(t, b, rec, scans, "Property 10")
		if got.path != "/gate/"+strings.ReplaceAll(o.Name, "_", "-") || got.form["pass_number"] != values["pass_number"] || !slices.Equal(got.photo, photoBytes) {
			t.Fatalf("Property 10: %s sent %d bytes of photo and %v to %s", o.Name, len(got.photo), got.form, got.path)
		}
	})
}

// Feature: gatepass-ai-agent, Property 3: each role is offered the tools of its desk and
// no others.
func TestProperty3(t *testing.T) {
	t.Parallel()
	b, _ := remote(t)
	roles := []dossier.Role{rest.HR, rest.PassAdmin, dossier.Admin, rest.Gate, dossier.Auditor, "chef"}
	rapid.Check(t, func(t *rapid.T) {
		held := rapid.SliceOfDistinct(rapid.SampledFrom(roles), rapid.ID).Draw(t, "roles")
		who := dossier.Principal{ID: "x", Roles: held}
		offered := tool.For(who, b.Kit.Tools)
		for _, o := range operation.All {
			may := slices.ContainsFunc(o.Desks, func(d string) bool { return who.HasAny(rest.RolesOf(d)) })
			if is := slices.ContainsFunc(offered, func(tl tool.Tool) bool { return tl.Name == o.Name }); is != may {
				t.Fatalf("Property 3: %v is offered %s: %v, want %v", held, o.Name, is, may)
			}
		}
	})
}

// Feature: gatepass-ai-agent, Property 5: a call with the wrong role is blocked before any
// request is made.
func TestProperty5(t *testing.T) {
	t.Parallel()
	b, rec := remote(t)
	rapid.Check(t, func(t *rapid.T) {
		o := rapid.SampledFrom(operation.All).Draw(t, "operation")
		desk := rapid.SampledFrom(operation.Desks).Draw(t, "desk")
		if slices.Contains(o.Desks, desk) {
			return
		}
		tl, _ := b.Kit.Tool(o.Name)
		args, _ := sample(t, o)
		rec.take()
		_, err := call(t, context.Background(), tl, people[desk], args)
		if dossier.KindOf(err) != dossier.Forbidden || !strings.Contains(dossier.Message(err), "different permissions") {
			t.Fatalf("Property 5: %s uses %s: %v", desk, o.Name, err)
		}
		if n := len(rec.take()); n != 0 {
			t.Fatalf("Property 5: %d requests were made", n)
		}
		if tl.Allows(people[desk]) {
			t.Fatalf("Property 5: %s may call %s", desk, o.Name)
		}
	})
}

// Feature: gatepass-ai-agent, Property 6: the picture of a QR code reaches the person byte
// by byte.
func TestProperty6(t *testing.T) {
	t.Parallel()
	b, rec := remote(t)
	tl, _ := b.Kit.Tool("get_qr_code")
	rapid.Check(t, func(t *rapid.T) {
		img := rapid.SliceOfN(rapid.Byte(), 1, 4096).Draw(t, "image")
		rec.mu.Lock()
		rec.image = img
		rec.mu.Unlock()
		desk := rapid.SampledFrom(operation.Desks).Draw(t, "desk")
		got, err := call(t, context.Background(), tl, people[desk], `{"pass_number":"GP-2026-0012"}`)
		if err != nil || !got.OK || got.MIME != "image/png" || !slices.Equal(got.Image, img) {
			t.Fatalf("Property 6: %d bytes became %d (%v)", len(img), len(got.Image), err)
		}
	})
}

// Feature: gatepass-ai-agent, Property 9: what a conversation knows lasts for the session
// and is gone after a reset.
func TestProperty9(t *testing.T) {
	t.Parallel()
	b := apptest.Open(t, gatepass.App, apptest.Options{At: monday})
	k := begin(b, "hr", hr)
	for _, name := range []string{"Ravi Kumar", "Priya Nair", "John Mathew"} {
		k.must("create a pass for "+name+" to visit the bank, not coming back", name)
	}
	idle := []string{"hello", "thanks", "help", "what's the weather", "any notifications?", "approve GP-2026-0003"}
	rapid.Check(t, func(t *rapid.T) {
		k := begin(b, "hr", hr)
		n := pass.Number(2026, rapid.IntRange(1, 3).Draw(t, "n"))
		k.must("show "+n, n)
		for _, line := range rapid.SliceOfN(rapid.SampledFrom(idle), 0, 3).Draw(t, "idle") {
			k.say(line)
		}
		if got := k.say("what's its status?"); !strings.Contains(got, n) {
			t.Fatalf("Property 9: %s is forgotten: %q", n, got)
		}
		k.say("start over")
		if got := k.say("what's its status?"); strings.Contains(got, "GP-2026-000") {
			t.Fatalf("Property 9: %s is remembered after a reset: %q", n, got)
		}
	})
}
