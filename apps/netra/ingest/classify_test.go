package ingest

import (
	"os"
	"slices"
	"strings"
	"testing"

	"dossier/apps/netra/engine"

	"github.com/goccy/go-yaml"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

type labelled struct {
	Name  string `yaml:"name"`
	Input struct {
		Text string `yaml:"text"`
	} `yaml:"input"`
	Want struct {
		Layers   []engine.Layer  `yaml:"risk_layers"`
		Polarity engine.Polarity `yaml:"polarity"`
		Severity int             `yaml:"severity_score"`
		Tags     []engine.Tag    `yaml:"geo_sensitivity"`
	} `yaml:"want"`
}

func TestClassifyExamples(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("../evals/classify.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var examples []labelled
	if err := yaml.Unmarshal(raw, &examples); err != nil {
		t.Fatal(err)
	}
	if len(examples) < 60 {
		t.Fatalf("only %d examples", len(examples))
	}
	for _, ex := range examples {
		t.Run("N-088 N-089 N-090 N-091 "+ex.Name, func(t *testing.T) {
			c := Classify(Clean(ex.Input.Text))
			if !slices.Equal(c.Layers, ex.Want.Layers) || c.Polarity != ex.Want.Polarity || c.Severity != ex.Want.Severity ||
				!cmp.Equal(c.Tags, ex.Want.Tags, cmpopts.EquateEmpty()) {
				t.Errorf("%q\n got %v %s %d %v\nwant %v %s %d %v\n%s", ex.Input.Text, c.Layers, c.Polarity, c.Severity, c.Tags,
					ex.Want.Layers, ex.Want.Polarity, ex.Want.Severity, ex.Want.Tags, c.Rationale())
			}
		})
	}
}

// What ends calm, or does not end, or ends houses, is not read as its end.
func TestClassifyWhatEndsN089(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]engine.Polarity{
		"Houses torched, destroyed in a village":          engine.Escalatory,
		"Poppy fields destroyed by police":                engine.Stabilizing,
		"Bandh called off":                                engine.Stabilizing,
		"Bandh not called off":                            engine.Escalatory,
		"Curfew yet to be lifted":                         engine.Escalatory,
		"Curfew in the town lifted":                       engine.Stabilizing,
		"No end to violence":                              engine.Escalatory,
		"Without warning, militants attacked the village": engine.Escalatory,
		"No violence reported":                            engine.Neutral,
		"Ceasefire violated yet again":                    engine.Escalatory,
		"Violations of the truce on the border":           engine.Escalatory,
		"Ceasefire not violated, army says":               engine.Stabilizing,
		"Ceasefire ends at midnight":                      engine.Escalatory,
		"Peace talks collapse":                            engine.Escalatory,
		"Peace talks end on a good note":                  engine.Stabilizing,
		"Surrender of cadres ends insurgency":             engine.Stabilizing,
	} {
		if c := Classify(text); c.Polarity != want {
			t.Errorf("N-089 %q is %s", text, c.Rationale())
		}
	}
	broken := Classify("Truce broken in border village")
	if got := broken.Rationale(); !strings.Contains(got, "“truce” broken, is physical") {
		t.Errorf("N-089 the words that decided: %s", got)
	}
}

func TestClassifyNamesWords(t *testing.T) {
	t.Parallel()
	for text, wants := range map[string][]string{
		"Arms cache recovered near border area": {"“arms cache” is physical", "“border” marks border", "escalatory, severity 3"},
		"No violence at the peace march":        {"“violence” does not count: negated", "“peace march” is cognitive"},
		"Bandh called off after talks":          {"“bandh” ended, is network"},
		"Threat of flooding":                    {"“threat” does not count: weather"},
	} {
		c := Classify(text)
		for _, want := range wants {
			if got := c.Rationale(); !strings.Contains(got, want) {
				t.Errorf("%q: %q lacks %q", text, got, want)
			}
		}
	}
	t.Run("N10 whole words", func(t *testing.T) {
		for _, text := range []string{"Farms and alarms", "Studying abroad", "Charms of the broadway"} {
			if c := Classify(text); c.Known() {
				t.Errorf("%q was read as %s", text, c.Rationale())
			}
		}
	})
	t.Run("N-014 N-015 N-016 layers", func(t *testing.T) {
		for layer, list := range map[engine.Layer]string{
			engine.Cognitive: "rumours misinformation propaganda protests agitation threats",
			engine.Network:   "bandhs shutdowns strikes mobilised coordinated",
			engine.Physical:  "violence arms explosives narcotics infiltration",
		} {
			for _, word := range strings.Fields(list) {
				if c := Classify("Reports of " + word); len(c.Layers) != 1 || c.Layers[0] != layer {
					t.Errorf("%q is %v, want %s", word, c.Layers, layer)
				}
			}
		}
	})
}
