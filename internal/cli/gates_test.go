package cli

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"dossier/apps"
	"dossier/internal/api"
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
	const again = "`dossier eval run poolpatrol/shift --model fast` measures it"
	says("compatible/m waits: it was never measured in shift; it needs 0.95", "the reference policy stays in place: compatible/m waits: it was never measured in shift; it needs 0.95; "+again)
	measure(dull{func() {}})
	if p.runner.Model("poolpatrol", shift) != nil {
		t.Error("a model plays that is below its gate")
	}
	says("compatible/m waits: it reached 0.000 in shift; it needs 0.95", "BAD  poolpatrol.shift in shift: 0.000 of 0.95")
	if st := gateOf(t, p); st.Holds || !st.Checked || st.Least != 0.95 {
		t.Errorf("the console is told %+v", st)
	}
	measure(twin{shift.Policy})
	if m := p.runner.Model("poolpatrol", shift); m == nil || m.Name() != "compatible/m" {
		t.Errorf("a model that reached its gate does not play: %v", m)
	}
	says("compatible/m, which reached 1.000 in shift", "ok   poolpatrol.shift in shift: 1.000 of 0.95")
	if st := gateOf(t, p); !st.Holds || st.Stale != "" {
		t.Errorf("the console is told %+v", st)
	}
	expires := func(stale, doctor string) {
		t.Helper()
		if p.runner.Model("poolpatrol", shift) != nil {
			t.Errorf("a model plays that was measured with %s", stale)
		}
		says(doctor, "BAD  poolpatrol.shift in shift: 1.000 of 0.95; the reference policy stays in place: "+doctor)
		if st := gateOf(t, p); st.Holds || !st.Checked || st.Stale != stale || !strings.Contains(st.Note, again+" again") {
			t.Errorf("the console is told %+v", st)
		}
		measure(twin{shift.Policy})
		if p.runner.Model("poolpatrol", shift) == nil {
			t.Errorf("%s was measured, and the model does not play", stale)
		}
	}
	shift.Prompt += " Be brief."
	expires("another prompt or other tools", "compatible/m waits: it reached 1.000 in shift, but was measured with another prompt or other tools; "+again+" again")
	shift.Tools[0].Doc += " Quickly."
	expires("another prompt or other tools", "compatible/m waits: it reached 1.000 in shift, but was measured with another prompt or other tools; "+again+" again")
	a, _ := p.app("poolpatrol")
	a.Kit.Suites[0].Targets = append(a.Kit.Suites[0].Targets, eval.Target{Name: "cost_per_case", Bound: 1, Most: true})
	if err := p.setGates(); err != nil {
		t.Fatal(err)
	}
	expires("another suite", "compatible/m waits: it reached 1.000 in shift, but was measured with another suite; "+again+" again")
}

// gateOf is what the console is told of the shift specialist.
func gateOf(t *testing.T, p *product) api.GateState {
	t.Helper()
	all := p.status(t.Context()).Gates
	i := slices.IndexFunc(all, func(g api.GateState) bool { return g.App == "poolpatrol" && g.Agent == "shift" })
	if i < 0 || !all[i].Set {
		t.Fatalf("the shift specialist has no gate: %+v", all)
	}
	return all[i]
}

// TestGateNamesAgentsWithoutOne looks for every agent of the product in the command's
// words: who plays it, that nothing stands before it, and what was last measured.
func TestGateNamesAgentsWithoutOne(t *testing.T) {
	t.Parallel()
	l, p, out, err := withConfig(t, fast)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := l.playTagged(t.Context(), p, "poolpatrol/casemanager", "eval-", eval.Options{}, false); err != nil {
		t.Fatal(err)
	}
	if err := l.evalGate().ExecuteContext(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"none poolpatrol.shift: compatible/m plays, and no gate stands before it; compatible/m was never measured in shift\n",
		"none poolpatrol.casemanager: no model is configured as \"strong\": the reference policy plays; reference last reached 1.000 in casemanager\n",
		"none netra.analyst: ", "no suite measures this agent\n",
		"No gate is configured. [gates] in the configuration sets one.\n",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is not in\n%s", want, out)
		}
	}
	for _, a := range p.apps {
		for _, ag := range a.Kit.Agents {
			if !strings.Contains(out.String(), "none "+a.ID+"."+ag.Name+": ") {
				t.Errorf("%s.%s is not named", a.ID, ag.Name)
			}
		}
	}
	manager, _ := p.agent("poolpatrol", "casemanager")
	manager.Prompt += " Be brief."
	out.Reset()
	if err := l.evalGate().ExecuteContext(t.Context()); err != nil || !strings.Contains(out.String(), "reached 1.000 in casemanager, with another prompt or other tools\n") {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestCommandsOfAppsObeyTheAppsGate asks for the player of a command of the report's,
// whose gate stands in the app's own settings.
func TestCommandsOfAppsObeyTheAppsGate(t *testing.T) {
	t.Parallel()
	const models = "[models.strong]\nprovider = \"compatible\"\nmodel = \"m\"\nbase_url = \"http://127.0.0.1:1\"\nkey = \"env:KEY\"\n"
	for text, plays := range map[string]bool{models: true, models + "[apps.report]\ngate = \"faithfulness>=1\"\n": false} {
		l, p, _, err := withConfig(t, text)
		if err != nil {
			t.Fatal(err)
		}
		writer, _ := p.agent("report", "writer")
		a, _ := p.app("report")
		_, who, err := (&appCLI{line: l, app: a.App}).Stage(t.Context(), writer, "")
		if err != nil || (who.Model != nil) != plays {
			t.Errorf("%v: %q plays, want a model: %v", err, who.Name(), plays)
		}
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
		"[gates]\n\"poolpatrol.shift\" = \"location>=0.95\"\n":         "does not measure this agent, but location",
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
