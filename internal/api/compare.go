package api

import (
	"bytes"
	"context"
	"slices"

	"dossier"
)

// A Comparison is two runs side by side.
type Comparison struct {
	A     RunSide `json:"a"`
	B     RunSide `json:"b"`
	Pairs []Pair  `json:"pairs" doc:"The steps of both, lined up"`
	Same  bool    `json:"same" doc:"Both took the same steps and gave the same answer"`
}

// A RunSide is one of two compared runs.
type RunSide struct {
	dossier.Run
	Usage Spent `json:"usage"`
}

// A Pair is a step of each run that belong together, or a step that only one took.
type Pair struct {
	A    *StepView `json:"a,omitempty"`
	B    *StepView `json:"b,omitempty"`
	Same bool      `json:"same" doc:"They did the same and it came to the same"`
}

type compareOutput struct{ Body Comparison }

func (s *Server) compare(ctx context.Context, in *struct {
	RunRef
	Other dossier.RunID `path:"other"`
}) (*compareOutput, error) {
	a, err := s.tree(ctx, in.ID, 0)
	if err != nil {
		return nil, err
	}
	b, err := s.tree(ctx, in.Other, 0)
	if err != nil {
		return nil, err
	}
	c := Comparison{A: RunSide{a.Run, a.Usage}, B: RunSide{b.Run, b.Usage}, Pairs: lineUp(a.Steps, b.Steps)}
	c.Same = bytes.Equal(a.Answer, b.Answer) && !slices.ContainsFunc(c.Pairs, func(p Pair) bool { return !p.Same })
	return &compareOutput{c}, nil
}

// lineUp pairs steps of the same kind and tool, keeping both orders and as many
// pairs as can be (the longest common subsequence).
func lineUp(a, b []StepView) []Pair {
	best := make([][]int, len(a)+1) // best[i][j]: pairs to be had from a[i:] and b[j:]
	for i := range best {
		best[i] = make([]int, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if alike(a[i], b[j]) {
				best[i][j] = best[i+1][j+1] + 1
			} else {
				best[i][j] = max(best[i+1][j], best[i][j+1])
			}
		}
	}
	out := []Pair{}
	i, j := 0, 0
	for i < len(a) || j < len(b) {
		switch {
		case i < len(a) && j < len(b) && alike(a[i], b[j]):
			out = append(out, Pair{&a[i], &b[j], equalSteps(a[i], b[j])})
			i, j = i+1, j+1
		case j == len(b) || i < len(a) && best[i+1][j] >= best[i][j+1]:
			out = append(out, Pair{A: &a[i]})
			i++
		default:
			out = append(out, Pair{B: &b[j]})
			j++
		}
	}
	return out
}

func alike(a, b StepView) bool {
	return a.Kind == b.Kind && a.Tool == b.Tool &&
		slices.EqualFunc(a.Calls, b.Calls, func(x, y CallView) bool { return x.Tool == y.Tool })
}

func equalSteps(a, b StepView) bool {
	return a.Text == b.Text && a.Failed == b.Failed && bytes.Equal(a.Value, b.Value) &&
		slices.EqualFunc(a.Calls, b.Calls, func(x, y CallView) bool { return bytes.Equal(x.Args, y.Args) })
}
