package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"dossier/apps"
	"dossier/apps/report/demo"
)

// A scribe is an OpenAI-compatible server that plays the report's writer: it looks at
// the section and its charts, puts drafts forward one after the other, the last of
// them again and again, and ends when one is kept.
type scribe struct {
	drafts []string
	asked  atomic.Int64
}

type chatMessage struct {
	Role    string `json:"role"`
	Content any    `json:"content"`
}

func (s *scribe) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.asked.Add(1)
	var req struct {
		Messages []chatMessage `json:"messages"`
	}
	if err := json.NewDecoder(r.Body).Decode(&req); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	looked, refused, kept := false, 0, false
	for _, m := range req.Messages {
		text := fmt.Sprint(m.Content)
		if m.Role != "tool" {
			continue
		}
		looked = looked || strings.Contains(text, "row_count")
		kept = kept || strings.Contains(text, `"numerals"`)
		if strings.Contains(text, "is not kept") || strings.Contains(text, "cannot be kept") {
			refused++
		}
	}
	w.Header().Set("Content-Type", "application/json")
	message := `{"role":"assistant","content":"{\"section_id\":\"emissions\",\"status\":\"written\",\"round\":1}"}`
	switch {
	case kept:
	case !looked:
		message = toolCalls(
			"get_section_context", `{"section_id":"emissions"}`, "get_section_charts", `{"section_id":"emissions"}`,
			"get_chart_data", `{"chart_id":"emissions_reduction_by_sector"}`, "check_consistency", `{"section_id":"emissions"}`,
		)
	default:
		args, _ := json.Marshal(map[string]string{"section_id": "emissions", "content": s.drafts[min(refused, len(s.drafts)-1)]})
		message = toolCalls("write_section_draft", string(args))
	}
	fmt.Fprintf(w, `{"id":"x","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"finish_reason":"stop","message":%s}],"usage":{"prompt_tokens":100,"completion_tokens":20,"total_tokens":120}}`, message)
}

func toolCalls(namesAndArgs ...string) string {
	var calls []string
	for i := 0; i+1 < len(namesAndArgs); i += 2 {
		args, _ := json.Marshal(namesAndArgs[i+1])
		calls = append(calls, fmt.Sprintf(`{"id":"c%d","type":"function","function":{"name":%q,"arguments":%s}}`, i, namesAndArgs[i], args))
	}
	return `{"role":"assistant","content":null,"tool_calls":[` + strings.Join(calls, ",") + `]}`
}

// fileCommand runs `dossier report …` with a model at url, or none, where no product
// can be opened.
func fileCommand(t *testing.T, dir, url string, args ...string) (string, string, int) {
	t.Helper()
	return fileCommandWithin(t, "1m", dir, url, args...)
}

// fileCommandWithin is fileCommand with a model that must answer within a time.
func fileCommandWithin(t *testing.T, limit, dir, url string, args ...string) (string, string, int) {
	t.Helper()
	config := filepath.Join(dir, "dossier.toml")
	text := "[store]\nurl = \"postgres://nobody@127.0.0.1:1/none\"\n"
	if url != "" {
		text += fmt.Sprintf("[models.strong]\nprovider = \"compatible\"\nmodel = \"m\"\nbase_url = %q\nkey = \"env:SCRIBE_KEY\"\ntimeout = %q\nretries = -1\n[prices.\"compatible/m\"]\nin = 10\nout = 50\n", url, limit)
	}
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	env := func(name string) string { return map[string]string{"SCRIBE_KEY": "k"}[name] }
	term := Terminal{In: strings.NewReader(""), Out: &out, Err: &errs, Env: env}
	code := Main(t.Context(), append([]string{"--config", config, "--data", filepath.Join(dir, "data"), "report"}, args...), term, apps.All())
	return out.String(), errs.String(), code
}

// TestFileCommandsWriteWithTheModel proves that the commands on files write with the
// configured model through the product's loop and checks, and go on without it.
func TestFileCommandsWriteWithTheModel(t *testing.T) {
	t.Parallel()
	honest := "Between 2025 and the horizon, Ampol-1p5DS cuts 472.53 Mt CO₂-e, Ampol-2p5DS cuts 397.51 Mt CO₂-e and Ampol-House-View cuts 195.63 Mt CO₂-e, a model wrote. " +
		"In Ampol-House-View, Land Use rises by 33.58 Mt CO₂-e. Net Emissions by Sector and Built Environment Emissions are left out: they show the same totals."
	change := func(old, new string) string {
		if !strings.Contains(honest, old) {
			t.Fatalf("no %q", old)
		}
		return strings.Replace(honest, old, new, 1)
	}
	slow := func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // the server notices a client that leaves only after that
		<-r.Context().Done()
	}
	refuses := func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `{"id":"x","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"finish_reason":"content_filter","message":{"role":"assistant","content":""}}]}`)
	}
	denies := func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, `{"error":{"message":"bad key"}}`, http.StatusUnauthorized)
	}
	tests := []struct {
		name   string
		server http.Handler
		by     string   // who wrote what was kept
		log    []string // parts of what the command says
	}{
		{"R-005 answers well", &scribe{drafts: []string{honest}}, "compatible/m", nil},
		{"R-086 R8 wrong digit, mended", &scribe{drafts: []string{change("472.53", "472.35"), honest}}, "compatible/m", []string{"a draft was stopped", "No number in the evidence gives “472.35 Mt CO₂-e”"}},
		{"R-086 R8 wrong unit, mended", &scribe{drafts: []string{change("397.51 Mt CO₂-e", "397.51 PJ"), honest}}, "compatible/m", []string{"has the wrong unit"}},
		{"R-086 R8 wrong scenario, kept at", &scribe{drafts: []string{change("Ampol-House-View cuts 195.63", "Ampol-2p5DS cuts 195.63")}}, "reference/writer", []string{"belongs to Ampol-House-View", "the reference policy stepped in. compatible/m made 2 calls in a row that were refused."}},
		{"R-086 R8 wrong direction, kept at", &scribe{drafts: []string{change("rises by 33.58", "falls by 33.58")}}, "reference/writer", []string{"opposite direction", "stepped in"}},
		{"R-087 a scenario left out, kept at", &scribe{drafts: []string{strings.ReplaceAll(honest, "Ampol-2p5DS", "the middle path")}}, "reference/writer", []string{"does not name the scenario Ampol-2p5DS"}},
		{"a heading of its own", &scribe{drafts: []string{"# Mine\n\n" + honest, honest}}, "compatible/m", []string{"cannot be kept in the outline"}},
		{"hangs", http.HandlerFunc(slow), "reference/writer", []string{"did not answer within 300ms"}},
		{"refuses", http.HandlerFunc(refuses), "reference/writer", []string{"stepped in"}},
		{"denies the key", http.HandlerFunc(denies), "reference/writer", []string{"refused the key"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			if err := demo.Write(dir); err != nil {
				t.Fatal(err)
			}
			srv := httptest.NewServer(tt.server)
			t.Cleanup(srv.Close)
			t.Cleanup(srv.CloseClientConnections)
			out := filepath.Join(dir, "draft.md")
			limit := "1m"
			if tt.name == "hangs" {
				limit = "300ms"
			}
			_, log, code := fileCommandWithin(t, limit, dir, srv.URL, "generate-section", "--outline", filepath.Join(dir, "outline.md"), "--data-root", filepath.Join(dir, "run"), "--section", "emissions", "--output", out)
			if code != 0 {
				t.Fatalf("exit %d: %s", code, log)
			}
			for _, want := range tt.log {
				if !strings.Contains(log, want) {
					t.Errorf("log lacks %q:\n%s", want, log)
				}
			}
			var usage struct {
				Model, Asked string
				TokensIn     int     `json:"tokens_in"`
				Cost         float64 `json:"cost"`
			}
			raw, err := os.ReadFile(filepath.Join(dir, "draft.artefacts", "emissions", "usage.json"))
			if err != nil || json.Unmarshal(raw, &usage) != nil || usage.Model != tt.by || usage.Asked != "compatible/m" {
				t.Errorf("usage %s, %v; want it written by %s", raw, err, tt.by)
			}
			text, err := os.ReadFile(out)
			if err != nil || strings.Contains(string(text), "a model wrote") != (tt.by == "compatible/m") {
				t.Errorf("the report holds another draft than usage.json says (%v):\n%s", err, text)
			}
			if s, ok := tt.server.(*scribe); ok && (usage.TokensIn != 100*int(s.asked.Load()) || usage.Cost < 0.001) {
				t.Errorf("%d tokens at %v after %d questions", usage.TokensIn, usage.Cost, s.asked.Load())
			}
		})
	}
}

func TestFileCommandsWithoutAModel(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := demo.Write(dir); err != nil {
		t.Fatal(err)
	}
	s := &scribe{drafts: []string{"x"}}
	srv := httptest.NewServer(s)
	t.Cleanup(srv.Close)
	where := []string{"--outline", filepath.Join(dir, "outline.md"), "--data-root", filepath.Join(dir, "run")}
	out, log, code := fileCommand(t, dir, srv.URL, append([]string{"generate-section", "--section", "emissions", "--dry-run"}, where...)...)
	if code != 0 || !strings.Contains(out, "writer: compatible/m") || !strings.Contains(out, "You write one section") || s.asked.Load() != 0 {
		t.Errorf("R-117 a dry run must show what the model would be asked and ask nothing; it asked %d times: %d %s\n%s", s.asked.Load(), code, log, out)
	}
	_, log, code = fileCommand(t, dir, srv.URL, append([]string{"generate-section", "--section", "emissions", "--model", "reference"}, where...)...)
	if code != 0 || s.asked.Load() != 0 {
		t.Errorf("the reference policy must write where it is asked for: %d %s", code, log)
	}
	_, log, code = fileCommand(t, dir, srv.URL, append([]string{"generate-section", "--section", "emissions", "--model", "none"}, where...)...)
	if code == 0 || !strings.Contains(log, `No model is configured as "none"`) {
		t.Errorf("an unknown alias must be refused: %d %s", code, log)
	}
	_, log, code = fileCommand(t, dir, "", append([]string{"generate-report", "--output", filepath.Join(dir, "all.md")}, where...)...)
	if code != 0 || !strings.Contains(log, "9 sections") {
		t.Errorf("without a model the reference policy must write: %d %s", code, log)
	}
}
