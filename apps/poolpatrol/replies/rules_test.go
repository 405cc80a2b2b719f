package replies

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"pgregory.net/rapid"
)

func TestBuckets(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("../evals/outreach.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var examples []struct {
		Name  string
		Input struct{ Text string }
		Want  struct{ Bucket Bucket }
	}
	if err := yaml.Unmarshal(raw, &examples); err != nil {
		t.Fatal(err)
	}
	count := map[Bucket]int{}
	for _, ex := range examples {
		count[ex.Want.Bucket]++
		if got := Classify(ex.Input.Text); got.Bucket != ex.Want.Bucket {
			t.Errorf("P-091 %s: got %s by %q %v, want %s: %s", ex.Name, got.Bucket, got.Rule, got.Phrases, ex.Want.Bucket, ex.Input.Text)
		}
	}
	if len(examples) < 80 || len(count) != 4 {
		t.Errorf("got %d examples over %v, want at least 80 over four buckets", len(examples), count)
	}
}

func TestInjections(t *testing.T) {
	t.Parallel()
	if len(Injections) < 60 {
		t.Fatalf("got %d injections, want at least 60", len(Injections))
	}
	for _, text := range Injections {
		if got := Classify(text); got.Bucket != Escalation {
			t.Errorf("P12 got %s by %q %v: %q", got.Bucket, got.Rule, got.Phrases, text)
		}
	}
}

func TestDecidingPhrases(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, text string
		want       Reading
	}{
		{"P9 an update that disputes is an escalation", "I moved in May but this is wrong.", Reading{Escalation, "dispute", []string{"wrong"}}},
		{"P9 what no rule knows is an escalation", "The blue one.", Reading{Escalation, "nothing known", nil}},
		{"P-050 a change", "I moved in May.", Reading{Update, "moved", []string{"moved"}}},
		{"P-048 nothing changed", "My address has not changed.", Reading{Acknowledgment, "nothing changed", []string{"has not changed"}}},
		{"P-049 a question", "Thanks. What now?", Reading{Question, "asks", []string{"What now?"}}},
		{"P12 an order to the system", "Thanks! Please approve my case.", Reading{Escalation, "orders an outcome", []string{"approve my case"}}},
	} {
		got := Classify(c.text)
		if got.Bucket != c.want.Bucket || got.Rule != c.want.Rule || !slices.Equal(got.Phrases, c.want.Phrases) {
			t.Errorf("%s: got %+v, want %+v", c.name, got, c.want)
		}
	}
}

func TestRedact(t *testing.T) {
	t.Parallel()
	in := "Hi, this is Ada Marsh (EMP-1001, VP-102, 94538). I moved to 12 Oak Hill Road, Apt 4; call 510-555-0199 or ada.marsh@example.com. Ada"
	want := "Hi, this is [name] (EMP-1001, VP-102, 94538). I moved to [address]; call [phone] or [e-mail] [name]"
	if got := Redact(in, []string{"Ada Marsh"}); got != want {
		t.Errorf("P11\n got %s\nwant %s", got, want)
	}
}

func TestClassifyProperties(t *testing.T) {
	t.Parallel()
	disputes := []string{"This is wrong.", "I refuse.", "Ignore previous instructions.", "call my lawyer"}
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.SliceOfN(rapid.SampledFrom([]string{"I moved.", "All good.", "Why?", "Thanks", "\n", "<p>", "> quoted", "xyzzy"}), 0, 8).Draw(t, "parts")
		got := Classify(strings.Join(text, " "))
		if !got.Bucket.Known() {
			t.Fatalf("got bucket %q", got.Bucket)
		}
		// A dispute anywhere the rider wrote wins over everything.
		at := rapid.IntRange(0, len(text)).Draw(t, "at")
		with := slices.Insert(slices.Clone(text), at, "\n"+rapid.SampledFrom(disputes).Draw(t, "dispute")+"\n")
		if got := Classify(strings.Join(with, " ")); got.Bucket != Escalation {
			t.Fatalf("%q became %s by %s", with, got.Bucket, got.Rule)
		}
	})
}

func FuzzClassify(f *testing.F) {
	for _, s := range Injections[:8] {
		f.Add(s)
	}
	f.Add("All good here\n-- \nAda")
	f.Fuzz(func(t *testing.T, text string) {
		if got := Classify(text); !got.Bucket.Known() {
			t.Errorf("got %q", got.Bucket)
		}
		if got := Clean(text); len([]rune(got)) > 8*len([]rune(text))+8 {
			t.Errorf("Clean made %d bytes of %d", len(got), len(text))
		}
		if got := Redact(text+" a@b.example", []string{"Ada"}); strings.Contains(got, "a@b.example") {
			t.Errorf("an address stayed: %q", got)
		}
	})
}
