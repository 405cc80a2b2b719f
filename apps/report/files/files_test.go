package files_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"dossier"
	"dossier/apps/report/demo"
	"dossier/apps/report/files"
	"dossier/internal/agent"
	"dossier/internal/app"
	"dossier/internal/eval"
	"dossier/internal/model"

	"github.com/spf13/cobra"
)

// terminal is a command line for tests.
type terminal struct {
	out, err bytes.Buffer
	json     bool
	model    model.Model // nil: none is configured
}

func (t *terminal) In() io.Reader  { return strings.NewReader("") }
func (t *terminal) Out() io.Writer { return &t.out }
func (t *terminal) Err() io.Writer { return &t.err }
func (t *terminal) JSON() bool     { return t.json }
func (t *terminal) Print(v any, text func(io.Writer) error) error {
	if !t.json {
		return text(&t.out)
	}
	return json.NewEncoder(&t.out).Encode(v)
}

func (t *terminal) Open(context.Context) (*app.Kit, app.Env, error) {
	return nil, app.Env{}, dossier.Errorf(dossier.Internal, "A file command opened the product.")
}
func (t *terminal) Config() (app.Config, error) { return nil, nil }
func (t *terminal) Now() time.Time              { return time.Date(2025, 12, 3, 14, 0, 0, 0, time.UTC) }
func (t *terminal) As() dossier.Principal       { return dossier.Principal{} }
func (t *terminal) Stage(_ context.Context, a *agent.Agent, alias string) (eval.Stage, eval.Player, error) {
	if t.model == nil || alias == "reference" {
		return eval.Stage{App: "report"}, eval.Player{}, nil
	}
	price := func(_ string, u model.Usage) float64 { return float64(u.In+2*u.Out) / 1000 }
	return eval.Stage{App: "report", Price: price}, eval.Player{Alias: a.Model, Model: t.model}, nil
}

// run runs one command line and returns what it printed.
func run(t *testing.T, asJSON bool, args ...string) (string, string, error) {
	t.Helper()
	return runWith(t, &terminal{json: asJSON}, args...)
}

func runWith(t *testing.T, term *terminal, args ...string) (string, string, error) {
	t.Helper()
	root := &cobra.Command{Use: "report", SilenceErrors: true, SilenceUsage: true}
	root.AddCommand(files.Writer{Version: "v1"}.Commands(term)...)
	root.SetArgs(args)
	err := root.ExecuteContext(t.Context())
	return term.out.String(), term.err.String(), err
}

func demoDir(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := demo.Write(dir); err != nil {
		t.Fatal(err)
	}
	return dir
}

func read(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestGenerateReport(t *testing.T) {
	t.Parallel()
	dir := demoDir(t)
	outline, root := filepath.Join(dir, "outline.md"), filepath.Join(dir, "run")
	out := filepath.Join(dir, "draft.md")
	_, log, err := run(t, false, "generate-report", "--outline", outline, "--data-root", root, "--output", out)
	if err != nil {
		t.Fatal(err)
	}
	draft := read(t, out)
	t.Run("R-048 R-111 R-112 outline order, comments kept", func(t *testing.T) {
		t.Parallel()
		var was, is []string
		for line := range strings.Lines(read(t, outline)) {
			if strings.HasPrefix(line, "#") || strings.HasPrefix(line, "<!--") {
				was = append(was, line)
			}
		}
		for line := range strings.Lines(draft) {
			if strings.HasPrefix(line, "#") || strings.HasPrefix(line, "<!--") {
				is = append(is, line)
			}
		}
		if strings.Join(was, "") != strings.Join(is, "") || len(was) != 27 {
			t.Errorf("headings and comments changed:\n%s", strings.Join(is, ""))
		}
	})
	t.Run("R-113 figures", func(t *testing.T) {
		t.Parallel()
		if !strings.Contains(draft, "](emissions/emissions_reduction_by_sector.png)") || !strings.Contains(draft, "](chart:renewable_share)") {
			t.Error("figures are missing")
		}
	})
	t.Run("R-115 R-116 artefacts and cost", func(t *testing.T) { // before those that write the same files again
		for _, name := range []string{"prompt.md", "calls.json", "draft.md", "checks.json", "usage.json"} {
			if read(t, filepath.Join(dir, "draft.artefacts", "emissions", name)) == "" {
				t.Errorf("%s is empty", name)
			}
		}
		if !strings.Contains(log, "9 sections") || !strings.Contains(log, "0 tokens") {
			t.Errorf("log %q", log)
		}
	})
	t.Run("R-049 R-074 R-114 one section leaves the others", func(t *testing.T) {
		t.Parallel()
		again := filepath.Join(dir, "one.md")
		if _, _, err := run(t, false, "generate-section", "--outline", outline, "--data-root", root, "--section", "emissions", "--output", again); err != nil {
			t.Fatal(err)
		}
		one := read(t, again)
		i, j := strings.Index(one, "## Emissions"), strings.Index(one, "## Electricity generation")
		if !strings.HasPrefix(read(t, outline), one[:i]) || !strings.HasSuffix(read(t, outline), one[j:]) || !strings.Contains(one[i:j], "472.53") {
			t.Error("another section changed, or this one did not")
		}
	})
	for _, format := range []string{"html", "pdf", "docx"} {
		t.Run("R-075 "+format, func(t *testing.T) {
			t.Parallel()
			name := filepath.Join(dir, "draft."+format)
			if _, _, err := run(t, false, "generate-report", "--outline", outline, "--data-root", root, "--output", name); err != nil {
				t.Fatal(err)
			}
			if len(read(t, name)) < 20_000 {
				t.Errorf("%s has %d bytes", format, len(read(t, name)))
			}
		})
	}
}

func TestFormatOnStandardOutput(t *testing.T) {
	t.Parallel()
	dir := demoDir(t)
	out, _, err := run(t, false, "generate-section", "--outline", filepath.Join(dir, "outline.md"), "--data-root", filepath.Join(dir, "run"), "--section", "emissions", "--format", "html")
	if err != nil || !strings.HasPrefix(out, "<!doctype html>") || !strings.Contains(out, "472.53") {
		t.Errorf("%v\n%.300s", err, out)
	}
}

func TestDryRun(t *testing.T) {
	t.Parallel()
	dir := demoDir(t)
	outline := filepath.Join(dir, "outline.md")
	text := strings.Replace(read(t, outline), "against the trend. -->\n<!-- Review comments: -->", "against the trend. -->\n<!-- Review comments: RATING: accuracy=4\nNOTES: Mention Transport. -->", 1)
	if err := os.WriteFile(outline, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	out, _, err := run(t, false, "generate-section", "--outline", outline, "--data-root", filepath.Join(dir, "run"), "--section", "emissions", "--dry-run")
	if err != nil {
		t.Fatal(err)
	}
	t.Run("R-117 prompt and charts", func(t *testing.T) {
		t.Parallel()
		for _, want := range []string{"You write one section", "writer: reference", "tools: get_section_context", "emissions/emissions_reduction_by_sector", `"total_reduction":-472.53`, "Explain the emissions results"} {
			if !strings.Contains(out, want) {
				t.Errorf("dry run lacks %q", want)
			}
		}
	})
	t.Run("R-092 notes are in the prompt", func(t *testing.T) {
		t.Parallel()
		if !strings.Contains(out, "Review note N1, to be answered: Mention Transport.") {
			t.Errorf("dry run lacks the note:\n%s", out)
		}
	})
	if read(t, outline) != text {
		t.Error("a dry run changed the outline")
	}
}

func TestInspect(t *testing.T) {
	t.Parallel()
	dir := demoDir(t)
	outline, root := filepath.Join(dir, "outline.md"), filepath.Join(dir, "run")
	tests := []struct {
		name string
		args []string
		want string
	}{
		{"R-050 charts", []string{"inspect-charts", "--data-root", root, "--category", "emissions"}, "Net Emissions by Sector"},
		{"R-052 mapping", []string{"inspect-section-mapping", "--outline", outline, "--data-root", root}, `matches "electricity/*" in the map`},
		{"sections", []string{"inspect-sections", "--outline", outline}, "electricity-generation  Electricity generation"},
		{"chart", []string{"chart", "emissions_reduction_by_sector", "--data-root", root}, "401.05 Mt CO₂-e"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			out, _, err := run(t, false, tt.args...)
			if err != nil || !strings.Contains(out, tt.want) {
				t.Errorf("%v\n%s lacks %q", err, out, tt.want)
			}
		})
	}
	t.Run("R-028 R-122 chart as JSON", func(t *testing.T) {
		t.Parallel()
		out, _, err := run(t, true, "chart", "emissions_reduction_by_sector", "--data-root", root)
		var data struct {
			RowCount int `json:"row_count"`
			Rows     []json.RawMessage
		}
		if err != nil || json.Unmarshal([]byte(out), &data) != nil || data.RowCount != 24 || len(data.Rows) != 24 {
			t.Errorf("%v, %d rows", err, len(data.Rows))
		}
	})
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	dir := demoDir(t)
	outline, root := filepath.Join(dir, "outline.md"), filepath.Join(dir, "run")
	for name, tt := range map[string]struct {
		args []string
		want string
	}{
		"no outline":        {[]string{"generate-report", "--outline", "none.md", "--data-root", root}, "cannot be read"},
		"no data":           {[]string{"generate-report", "--outline", outline, "--data-root", filepath.Join(dir, "none")}, "cannot be opened"},
		"no section":        {[]string{"generate-section", "--outline", outline, "--data-root", root, "--section", "moon"}, `no section "moon"`},
		"no category":       {[]string{"inspect-charts", "--data-root", root, "--category", "moon"}, `no category "moon"`},
		"no chart":          {[]string{"chart", "../secret", "--data-root", root}, "no chart"},
		"bad format, early": {[]string{"generate-report", "--outline", "none.md", "--data-root", root, "--format", "rtf"}, `no format "rtf"`},
		"bad format":        {[]string{"generate-report", "--outline", outline, "--data-root", root, "--output", filepath.Join(dir, "x.rtf")}, `no format "rtf"`},
		"missing flag":      {[]string{"generate-section", "--outline", outline, "--data-root", root}, `"section" not set`},
	} {
		t.Run("R-090 "+name, func(t *testing.T) {
			t.Parallel()
			_, _, err := run(t, false, tt.args...)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v lacks %q", err, tt.want)
			}
		})
	}
}

func TestRunEval(t *testing.T) {
	t.Parallel()
	dir := demoDir(t)
	outline := filepath.Join(dir, "outline.md")
	rate := func(name, rating string) string {
		file := filepath.Join(dir, name+".md")
		text := strings.Replace(read(t, outline), "<!-- Review comments: -->", "<!-- Review comments: RATING: "+rating+" -->", 1)
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		out := filepath.Join(dir, name+".json")
		if _, _, err := run(t, false, "run-eval", "--outline", file, "--run-id", name, "--output", out); err != nil {
			t.Fatal(err)
		}
		return out
	}
	one, two := rate("one", "accuracy=3, clarity=4"), rate("two", "accuracy=5")
	t.Run("R-051 R-058 R-128 record", func(t *testing.T) {
		t.Parallel()
		for _, want := range []string{`"run_id": "one"`, `"prompt_version": "v1"`, `"timestamp": "2025-12-03T14:00:00Z"`, `"accuracy": 3`} {
			if !strings.Contains(read(t, one), want) {
				t.Errorf("record lacks %s", want)
			}
		}
	})
	t.Run("R-061 R-133 compare", func(t *testing.T) {
		t.Parallel()
		svg := filepath.Join(dir, "c.svg")
		out, _, err := run(t, false, "compare", one, two, "--svg", svg)
		if err != nil || !strings.Contains(out, "change 2") || !strings.Contains(out, "accuracy from 3 to 5") || !strings.HasPrefix(read(t, svg), "<svg") {
			t.Errorf("%v\n%s", err, out)
		}
	})
}
