package netra

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
	"dossier/apps/netra/engine"
	"dossier/internal/agent"
	"dossier/internal/app"
	"dossier/internal/eval"

	"github.com/spf13/cobra"
)

// A terminal is an app.CLI over buffers. Without a product, opening one fails the test.
type terminal struct {
	t        *testing.T
	product  *product
	json     bool
	in       string
	out, err bytes.Buffer
}

func (c *terminal) In() io.Reader               { return strings.NewReader(c.in) }
func (c *terminal) Out() io.Writer              { return &c.out }
func (c *terminal) Err() io.Writer              { return &c.err }
func (c *terminal) JSON() bool                  { return c.json }
func (c *terminal) Config() (app.Config, error) { cfg := defaults; return &cfg, nil }
func (c *terminal) As() dossier.Principal       { return anOfficer }
func (c *terminal) Stage(context.Context, *agent.Agent, string) (eval.Stage, eval.Player, error) {
	return eval.Stage{}, eval.Player{}, nil
}
func (c *terminal) Now() time.Time { return exampleTime }

func (c *terminal) Print(v any, text func(io.Writer) error) error {
	if c.json {
		return json.NewEncoder(&c.out).Encode(v)
	}
	return text(&c.out)
}

func (c *terminal) Open(context.Context) (*app.Kit, app.Env, error) {
	if c.product == nil {
		c.t.Fatal("the command opened the product")
	}
	return c.product.Kit, c.product.Env, nil
}

func (c *terminal) run(args ...string) (string, error) {
	c.t.Helper()
	c.out.Reset()
	root := &cobra.Command{Use: "netra", SilenceErrors: true, SilenceUsage: true}
	root.AddCommand(commands(c)...)
	root.SetArgs(args)
	err := root.ExecuteContext(c.t.Context())
	return c.out.String(), err
}

func (c *terminal) must(args ...string) string {
	c.t.Helper()
	out, err := c.run(args...)
	if err != nil {
		c.t.Fatalf("%v: %v", args, err)
	}
	return out
}

func exampleFile(t *testing.T) string {
	t.Helper()
	_, signals := engine.Example(exampleTime)
	var b strings.Builder
	for _, s := range signals {
		raw, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		b.Write(raw)
		b.WriteByte('\n')
	}
	b.WriteString("not a signal\n")
	name := filepath.Join(t.TempDir(), "signals.jsonl")
	if err := os.WriteFile(name, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

func TestScoreFileAlone(t *testing.T) {
	t.Parallel()
	file := exampleFile(t)
	c := &terminal{t: t, json: true}
	var s engine.Score
	if err := json.Unmarshal([]byte(c.must("score", "--signals", file, "--district", "imphal west", "--state", "Manipur", "--window", "24h", "--at", "2026-02-03T14:58:29")), &s); err != nil {
		t.Fatal(err)
	}
	if s.Composite != 13.67 || s.District != "Imphal West" || !strings.Contains(c.err.String(), "line 4:") {
		t.Errorf("N-079 N-080: %.2f for %s, errors %q", s.Composite, s.District, c.err.String())
	}
	t.Run("N-079 block", func(t *testing.T) {
		c := &terminal{t: t}
		out := c.must("score", "--example")
		for _, want := range []string{"Composite Score: 13.67/100", "Risk Level: LOW", "Governance: " + engine.Disclaimer} {
			if !strings.Contains(out, want) {
				t.Errorf("%q is missing in\n%s", want, out)
			}
		}
	})
	t.Run("N-040 batch", func(t *testing.T) {
		var all []engine.Score
		if err := json.Unmarshal([]byte(c.must("batch", "--signals", file, "--at", "2026-02-03T14:58:29Z")), &all); err != nil || len(all) != 1 || all[0].Composite != 13.67 {
			t.Errorf("got %+v, %v", all, err)
		}
	})
	t.Run("N-104 a file is redacted too", func(t *testing.T) {
		c := &terminal{t: t, json: true, in: `{"state":"Assam","district":"Cachar","location":"call 98765 43210","event_summary":"Bandh, write a@b.in","timestamp":"2026-02-03","risk_layers":["network"],"polarity":"escalatory","severity_score":3}`}
		if out := c.must("score", "--signals", "-", "--district", "Cachar"); strings.Contains(out, "98765") || strings.Contains(out, "a@b") || !strings.Contains(out, "[phone]") {
			t.Error(out)
		}
	})
	rubbish := filepath.Join(t.TempDir(), "rubbish.jsonl")
	if err := os.WriteFile(rubbish, []byte("{\nrumour\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, bad := range [][]string{{"score"}, {"score", "--district", "Cachar", "--window", "48h"}, {"score", "--signals", file, "--district", "Cachar", "--at", "noon"}, {"score", "--signals", "missing.jsonl", "--district", "x"}, {"score", "--signals", rubbish, "--district", "Cachar"}, {"score", "--signals", file, "--district", "Gotham"}, {"score", "--signals", file, "--district", "Imphal West", "--state", "Assam"}, {"ingest", "missing.csv"}} {
		if _, err := c.run(bad...); err == nil {
			t.Errorf("%v was accepted", bad)
		}
	}
}

func TestCommandsOverRecords(t *testing.T) {
	t.Parallel()
	p := newProduct(t, nil)
	c := &terminal{t: t, product: p}
	dir := t.TempDir()
	file, auditFile := filepath.Join(dir, "in.csv"), filepath.Join(dir, "audit.json")
	if err := os.WriteFile(file, []byte("state,district,text,timestamp\nAssam,Cachar,Bandh called on NH-37,2026-03-02T11:00:00Z\nAssam,Gotham,Bandh,2026-03-02\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	out := c.must("ingest", file, "--audit", auditFile)
	if !strings.Contains(out, "2 read, 1 accepted") || !strings.Contains(out, "line 3: unknown district") {
		t.Errorf("N-093: %s", out)
	}
	if raw, err := os.ReadFile(auditFile); err != nil || !strings.Contains(string(raw), "“bandh” is network") {
		t.Errorf("N-093 audit: %s, %v", raw, err)
	}
	if out := c.must("score", "--district", "Cachar"); !strings.Contains(out, "Signals in Window: 1") {
		t.Error(out)
	}
	if out := c.must("batch"); !strings.Contains(out, "Cachar, Assam") || !strings.Contains(out, engine.Disclaimer) {
		t.Error(out)
	}
	if out := c.must("watch", "--rounds", "1"); !strings.Contains(out, "Cachar") || strings.Count(out, "\n") != 2 {
		t.Errorf("watch printed %q", out)
	}
	if out := c.must("backtest", "--layer", "network=2"); !strings.Contains(out, "1 scores") {
		t.Error(out)
	}
	if _, err := c.run("backtest", "--layer", "mental=2"); err == nil {
		t.Error("an unknown layer was accepted")
	}
	if out := c.must("retention"); !strings.Contains(out, "0 signals") {
		t.Error(out)
	}
	if out := c.must("methodology"); !strings.HasPrefix(out, "Methodology "+engine.FormulaVersion+"\n") {
		t.Errorf("N-004: %s", out)
	}
}
