package records

import "testing"

func TestReached(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name         string
		means, gates map[string]float64
		want         float64
	}{
		{"the lowest that is gated", map[string]float64{"a": 0.9, "b": 0.8, "c": 0.1}, map[string]float64{"a": 0.5, "b": 0.5}, 0.8},
		{"the lowest of all without gates", map[string]float64{"a": 0.9, "b": 0.8}, nil, 0.8},
		{"a gated grade that applied to no row", map[string]float64{"a": 0.9}, map[string]float64{"a": 0.5, "b": 0.5}, 0},
		{"nothing", nil, nil, 0},
	} {
		if got := (EvalResult{Means: c.means, Gates: c.gates}).Reached(); got != c.want {
			t.Errorf("%s: got %v, want %v", c.name, got, c.want)
		}
	}
}

func TestStale(t *testing.T) {
	t.Parallel()
	r := EvalResult{Prompt: "p", Version: "s"}
	for of, want := range map[[2]string]string{{"p", "s"}: "", {"q", "s"}: "another prompt or other tools", {"p", "r"}: "another suite", {"q", "r"}: "another prompt or other tools"} {
		if got := r.Stale(of[0], of[1], ""); got != want {
			t.Errorf("%v: got %q, want %q", of, got, want)
		}
	}
	for of, want := range map[[2]string]string{{"", ""}: "", {"server:a", "server:a"}: "", {"server:a", "server:b"}: "another server", {"server:a", ""}: "another server", {"", "server:a"}: "another server"} {
		r.Tags = []string{"ab_test", of[0]}
		if got := r.Stale("p", "s", of[1]); got != want {
			t.Errorf("%v: got %q, want %q", of, got, want)
		}
	}
}
