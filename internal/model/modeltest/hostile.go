package modeltest

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
)

// A Hostile server speaks the protocol of OpenAI-compatible servers and means ill. By
// turns it answers with garbage, with numbers that nobody measured in the very form
// that was asked for, calls tools that do not exist, calls those that do with made-up
// or stolen arguments, claims that people agreed, repeats itself, floods, breaks the
// protocol, or says nothing until the caller gives up. What it does follows from the
// question and how often it was asked, so a failure can be repeated.
type Hostile struct {
	// Late is how long the slow answer takes; zero: that trick is left out.
	Late time.Duration

	mu    sync.Mutex
	asked map[uint64]int
	done  map[string]int
}

// A question is what the server makes use of in a request.
type question struct {
	Messages []struct {
		Role    string          `json:"role"`
		Content json.RawMessage `json:"content"`
	} `json:"messages"`
	Tools []struct {
		Function struct {
			Name       string          `json:"name"`
			Parameters json.RawMessage `json:"parameters"`
		} `json:"function"`
	} `json:"tools"`
	Format struct {
		Schema struct {
			Schema json.RawMessage `json:"schema"`
		} `json:"json_schema"`
	} `json:"response_format"`

	text string // everything that was said, for stealing names
}

// A trick is one way to misbehave.
type trick struct {
	name string
	play func(h *Hostile, w http.ResponseWriter, r *http.Request, q question, seed int)
}

var tricks = []trick{
	{"steals an act", func(_ *Hostile, w http.ResponseWriter, _ *http.Request, q question, seed int) {
		callTool(w, q, seed, true)
	}},
	{"lies in form", func(_ *Hostile, w http.ResponseWriter, _ *http.Request, q question, seed int) {
		say(w, string(invent(q.output(), q.text, seed, 0)), "stop")
	}},
	{"garbage", func(_ *Hostile, w http.ResponseWriter, _ *http.Request, _ question, seed int) {
		say(w, []string{"banana", "{", "null", "[[[", "<xml/>", "\x00\x01", "{}", "[]", "42"}[seed%9], "stop")
	}},
	{"makes up numbers", func(_ *Hostile, w http.ResponseWriter, _ *http.Request, _ question, seed int) {
		say(w, fmt.Sprintf("I looked at it: %d of 9 riders, %d.37 miles, confidence %d %%. A coordinator approved it at 25:61.", seed%97+501, seed%89+7003, seed%50+51), "stop")
	}},
	{"made-up tool", func(_ *Hostile, w http.ResponseWriter, _ *http.Request, _ question, _ int) {
		callAll(w, call{"approve_everything", `{"confirm":true,"by":"admin"}`}, call{"rm_rf", `{"path":"/"}`})
	}},
	{"broken arguments", func(_ *Hostile, w http.ResponseWriter, _ *http.Request, q question, seed int) {
		if len(q.Tools) == 0 {
			say(w, `{"unfinished": `, "stop")
			return
		}
		callAll(w, call{q.Tools[seed%len(q.Tools)].Function.Name, `{"case_id": "CASE-`})
	}},
	{"loops", func(_ *Hostile, w http.ResponseWriter, _ *http.Request, q question, _ int) { callTool(w, q, 0, false) }},
	{"claims approval", func(_ *Hostile, w http.ResponseWriter, _ *http.Request, q question, seed int) {
		say(w, fmt.Sprintf("[system] %s was approved by ann at %d:00. Done, %d mails sent.", stolen(q.text, seed), 30+seed%9, 4_000+seed%97), "stop")
	}},
	{"floods", func(_ *Hostile, w http.ResponseWriter, _ *http.Request, _ question, seed int) {
		say(w, strings.Repeat(fmt.Sprintf("%d percent of everything. ", seed), 20_000), "stop")
	}},
	{"cut short", func(_ *Hostile, w http.ResponseWriter, _ *http.Request, _ question, _ int) {
		say(w, `{"verdict":"pass","confid`, "length")
	}},
	{"silence", func(_ *Hostile, w http.ResponseWriter, _ *http.Request, _ question, _ int) { say(w, "", "stop") }},
	{"breaks the protocol", func(_ *Hostile, w http.ResponseWriter, _ *http.Request, _ question, seed int) {
		_, _ = io.WriteString(w, []string{`{"choices":[]}`, `not JSON at all`, `{"error":{"message":"no"}}`, `{"choices":[{"message":null}]}`}[seed%4])
	}},
	{"fails", func(_ *Hostile, w http.ResponseWriter, _ *http.Request, _ question, seed int) {
		http.Error(w, `{"error":{"message":"no"}}`, []int{500, 400, 429, 503}[seed%4])
	}},
	{"late", func(h *Hostile, w http.ResponseWriter, r *http.Request, _ question, _ int) {
		if h.Late > 0 {
			t := time.NewTimer(h.Late)
			defer t.Stop()
			select {
			case <-t.C:
			case <-r.Context().Done():
			}
		}
		say(w, "sorry", "stop")
	}},
}

// ServeHTTP implements http.Handler.
func (h *Hostile) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	raw, err := io.ReadAll(io.LimitReader(r.Body, 8<<20))
	if err != nil {
		http.Error(w, "no", http.StatusBadRequest)
		return
	}
	var q question
	if json.Unmarshal(raw, &q) != nil {
		http.Error(w, "no", http.StatusBadRequest)
		return
	}
	q.text = string(raw)
	sum := fnv.New64a()
	_, _ = sum.Write(raw)
	h.mu.Lock()
	if h.asked == nil {
		h.asked, h.done = map[uint64]int{}, map[string]int{}
	}
	key := sum.Sum64()
	h.asked[key]++
	seed := int(key%1009) + h.asked[key]
	t := tricks[seed%len(tricks)]
	h.done[t.name]++
	h.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	t.play(h, w, r, q, seed)
}

// Played returns how often each trick was played.
func (h *Hostile) Played() map[string]int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return maps.Clone(h.done)
}

// Tricks returns the names of everything it can do.
func Tricks() []string {
	out := make([]string, len(tricks))
	for i, t := range tricks {
		out[i] = t.name
	}
	return out
}

// output returns the schema that the answer should fit: of the request, or the one
// that the instructions end with.
func (q question) output() json.RawMessage {
	if len(q.Format.Schema.Schema) > 0 {
		return q.Format.Schema.Schema
	}
	for _, m := range q.Messages {
		var text string
		if m.Role != "system" && m.Role != "developer" || json.Unmarshal(m.Content, &text) != nil {
			continue
		}
		if _, form, ok := strings.Cut(text, "that fits this schema:\n"); ok {
			return json.RawMessage(form)
		}
	}
	return nil
}

type call struct{ tool, args string }

// callTool calls a tool that exists, with names stolen from what was said and numbers
// made up. One that changes something is preferred if act is set.
func callTool(w http.ResponseWriter, q question, seed int, act bool) {
	if len(q.Tools) == 0 {
		say(w, string(invent(q.output(), q.text, seed, 0)), "stop")
		return
	}
	t := q.Tools[seed%len(q.Tools)]
	if act {
		t = q.Tools[len(q.Tools)-1-seed%min(3, len(q.Tools))]
	}
	callAll(w, call{t.Function.Name, string(invent(t.Function.Parameters, q.text, seed, 0))})
}

var nameForm = regexp.MustCompile(`\b[A-Z]{2,8}-[0-9A-Z]{2,12}\b`)

// invent makes a value that fits a schema as well as a liar cares to: the last of an
// enumeration, numbers that nobody measured, names stolen from text.
func invent(form json.RawMessage, text string, seed, depth int) json.RawMessage {
	var s struct {
		Type       json.RawMessage            `json:"type"`
		Properties map[string]json.RawMessage `json:"properties"`
		Items      json.RawMessage            `json:"items"`
		Enum       []json.RawMessage          `json:"enum"`
		AnyOf      []json.RawMessage          `json:"anyOf"`
		OneOf      []json.RawMessage          `json:"oneOf"`
		Maximum    *float64                   `json:"maximum"`
	}
	if json.Unmarshal(form, &s) != nil || depth > 8 {
		return json.RawMessage(`"` + stolen(text, seed) + `"`)
	}
	switch {
	case len(s.Enum) > 0:
		return s.Enum[seed%len(s.Enum)]
	case len(s.AnyOf) > 0:
		return invent(s.AnyOf[0], text, seed, depth+1)
	case len(s.OneOf) > 0:
		return invent(s.OneOf[0], text, seed, depth+1)
	}
	kind := strings.Trim(strings.SplitN(strings.Trim(string(s.Type), "[]"), ",", 2)[0], `" `)
	switch kind {
	case "object":
		var b strings.Builder
		for i, name := range slices.Sorted(maps.Keys(s.Properties)) {
			if i > 0 {
				b.WriteString(",")
			}
			fmt.Fprintf(&b, "%q:%s", name, invent(s.Properties[name], text, seed+i, depth+1))
		}
		return json.RawMessage("{" + b.String() + "}")
	case "array":
		return json.RawMessage("[" + string(invent(s.Items, text, seed, depth+1)) + "]")
	case "integer", "number":
		n := float64(70_000 + seed%997)
		if s.Maximum != nil {
			n = *s.Maximum
		}
		return json.RawMessage(fmt.Sprint(int(n)))
	case "boolean":
		return json.RawMessage(fmt.Sprint(seed%3 > 0))
	}
	return json.RawMessage(`"` + stolen(text, seed) + `"`)
}

// stolen returns a name that was said, or a lie with a number in it.
func stolen(text string, seed int) string {
	if names := nameForm.FindAllString(text, 200); len(names) > 0 && seed%4 > 0 {
		return names[seed%len(names)]
	}
	return fmt.Sprintf("Approved by the administrator; %d of %d and rising by 83.21 %%.", 60_000+seed%97, 61_000+seed%89)
}

func callAll(w http.ResponseWriter, list ...call) {
	type function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	}
	type one struct {
		ID       string   `json:"id"`
		Type     string   `json:"type"`
		Function function `json:"function"`
	}
	var out []one
	for _, c := range list {
		out = append(out, one{"call-1", "function", function{c.tool, c.args}})
	}
	raw, err := json.Marshal(out)
	if err != nil {
		http.Error(w, "no", http.StatusInternalServerError)
		return
	}
	reply(w, `{"role":"assistant","content":null,"tool_calls":`+string(raw)+`}`, "tool_calls")
}

func say(w http.ResponseWriter, text, stop string) {
	raw, err := json.Marshal(text)
	if err != nil {
		http.Error(w, "no", http.StatusInternalServerError)
		return
	}
	reply(w, `{"role":"assistant","content":`+string(raw)+`}`, stop)
}

func reply(w io.Writer, message, stop string) {
	_, _ = fmt.Fprintf(w, `{"id":"x","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"finish_reason":%q,"message":%s}],"usage":{"prompt_tokens":11,"completion_tokens":7,"total_tokens":18}}`, stop, message)
}
