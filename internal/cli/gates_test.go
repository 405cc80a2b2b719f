package cli

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"dossier/apps"
	"dossier/internal/eval"
	"dossier/internal/model"
)

// withConfig opens the product with a configuration file.
func withConfig(t *testing.T, text string) (*line, *product, *bytes.Buffer, error) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "dossier.toml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	l := &line{
		Terminal: Terminal{In: strings.NewReader(""), Out: &out, Err: &bytes.Buffer{}, Env: func(name string) string { return map[string]string{"KEY": "none"}[name] }},
		apps:     apps.All(), now: time.Now, data: t.TempDir(), config: file,
	}
	p, err := l.product(t.Context())
	if err == nil {
		t.Cleanup(func() { p.close() })
	}
	return l, p, &out, err
}

const fast = `
[models.fast]
provider = "compatible"
model = "m"
base_url = "http://127.0.0.1:1"
key = "env:KEY"
[agents]
"poolpatrol.shift" = "fast"
`

// A twin plays as the reference policy does, under another name.
type twin struct{ policy model.Policy }

func (twin) Name() string { return "compatible/m" }

func (w twin) Generate(ctx context.Context, req *model.Request, sink func(string)) (*model.Reply, error) {
	return model.Reference("shift", w.policy).Generate(ctx, req, sink)
}

// dull is a model of no use, under the same name.
type dull struct{ stopper }

func (dull) Name() string { return "compatible/m" }

// TestGate goes through a model's life: it is configured and waits, it is measured and
// falls short, it is measured and reaches its gate. Doctor, the eval command and the
// status that the console shows say so each time, and the runner obeys.
func TestGate(t *testing.T) {
	t.Parallel()
	l, p, out, err := withConfig(t, fast+"[apps.poolpatrol]\ngate = \"shift>=0.95\"\n")
	if err != nil {
		t.Fatal(err)
	}
	shift, ok := p.agent("poolpatrol", "shift")
	if !ok {
		t.Fatal("there is no agent to play")
	}
	says := func(doctor, gate string) {
		t.Helper()
		for args, want := range map[string]string{"doctor": doctor, "eval gate": gate} {
			out.Reset()
			if args == "doctor" {
				err = l.doctor().ExecuteContext(t.Context())
			} else {
				err = l.evalGate().ExecuteContext(t.Context())
			}
			if err != nil || !strings.Contains(out.String(), want) {
				t.Errorf("%s: %v; %q is not in\n%s", args, err, want, out)
			}
		}
	}
	measure := func(m model.Model) {
		t.Helper()
		if _, _, err := l.playTagged(t.Context(), p, "poolpatrol/shift", "eval-", eval.Options{Player: eval.Player{Alias: "fast", Model: m}, Parallel: 2}, false); err != nil {
			t.Fatal(err)
		}
	}
	p.models.byAlias["fast"] = twin{shift.Policy}
	if p.runner.Model("poolpatrol", shift) != nil {
		t.Error("a model plays that was never measured")
	}
	says("compatible/m waits: it was never measured in shift; it needs 0.95", "never measured: the reference policy stays in place")
	measure(dull{func() {}})
	if p.runner.Model("poolpatrol", shift) != nil {
		t.Error("a model plays that is below its gate")
	}
	says("compatible/m waits: it reached 0.000 in shift; it needs 0.95", "BAD  poolpatrol.shift in shift: 0.000 of 0.95")
	if st := p.status(t.Context()); len(st.Gates) != 1 || st.Gates[0].Holds || !st.Gates[0].Checked || st.Gates[0].Least != 0.95 {
		t.Errorf("the console is told %+v", st.Gates)
	}
	measure(twin{shift.Policy})
	if m := p.runner.Model("poolpatrol", shift); m == nil || m.Name() != "compatible/m" {
		t.Errorf("a model that reached its gate does not play: %v", m)
	}
	says("compatible/m, which reached 1.000 in shift", "ok   poolpatrol.shift in shift: 1.000 of 0.95")
	if st := p.status(t.Context()); !st.Gates[0].Holds {
		t.Errorf("the console is told %+v", st.Gates)
	}
}

func TestGatesThatCannotBe(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"[apps.poolpatrol]\ngate = \"shfit>=0.95\"\n":                  `Did you mean "poolpatrol/shift"?`,
		"[apps.poolpatrol]\ngate = \"shift>0.95\"\n":                   "A gate reads like shift>=0.95",
		"[apps.poolpatrol]\ngate = [\"shift>=0.95\", 3]\n":             "a gate reads like shift>=0.95",
		"[apps.poolpatrol]\ngaet = \"shift>=0.95\"\n":                  "there is no setting",
		"[gates]\n\"poolpatrol.shit\" = \"shift>=0.95\"\n":             `Did you mean "poolpatrol.shift"?`,
		"[gates]\n\"poolpatrol.shift\" = \"nowhere>=0.95\"\n":          "There is no suite",
		"[gates]\n\"poolpatrol.shift\" = \"shift>=95\"\n":              "A gate reads like shift>=0.95",
		"[apps.poolpatrol]\ngate = [\"shift>=0.95\", \"outreach>=2\"]": "A gate reads like shift>=0.95",
	} {
		if _, _, _, err := withConfig(t, text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", text, err, want)
		}
	}
	_, p, _, err := withConfig(t, "[apps.poolpatrol]\ngate = [\"shift>=0.95\", \"outreach>=0.85\"]\n[gates]\n\"poolpatrol.shift\" = \"shift>=0.5\"\n")
	if err != nil || p.models.gates["poolpatrol.shift"].least != 0.5 || p.models.gates["poolpatrol.outreach"].least != 0.85 {
		t.Errorf("%v: %+v", err, p.models.gates)
	}
}
