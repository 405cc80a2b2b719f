package agenttest

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"dossier"
	"dossier/internal/agent"
	"dossier/internal/model"
)

// A Script is a model that says what it was told to, one line a turn.
type Script struct {
	mu    sync.Mutex
	lines []Line
	Seen  []*model.Request // what it was asked, in order
}

// A Line is one turn of a script: a reply, an error, or a function of the request.
type Line struct {
	Reply *model.Reply
	Err   error
	Func  func(*model.Request) (*model.Reply, error)
}

// NewScript returns a model that gives these lines in turn and fails after the last.
func NewScript(lines ...Line) *Script { return &Script{lines: lines} }

// Name implements model.Model.
func (s *Script) Name() string { return "script/test" }

// Generate implements model.Model.
func (s *Script) Generate(_ context.Context, req *model.Request, sink func(string)) (*model.Reply, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.Seen = append(s.Seen, req)
	if len(s.lines) == 0 {
		return nil, dossier.Errorf(dossier.Internal, "The script has no more lines.")
	}
	line := s.lines[0]
	s.lines = s.lines[1:]
	if line.Func != nil {
		return line.Func(req)
	}
	if line.Err != nil {
		return nil, line.Err
	}
	if sink != nil {
		sink(line.Reply.Text())
	}
	return line.Reply, nil
}

// Calls returns a line that calls tools: name and JSON arguments in turn.
func Calls(namesAndArgs ...string) Line {
	r := &model.Reply{Stop: model.WantsTool}
	for i := 0; i+1 < len(namesAndArgs); i += 2 {
		r.Parts = append(r.Parts, model.Call{
			ID: fmt.Sprintf("c%d", i/2+1), Tool: namesAndArgs[i], Args: json.RawMessage(namesAndArgs[i+1]),
		})
	}
	return Line{Reply: r}
}

// Says returns a line of prose.
func Says(text string) Line { return Line{Reply: model.Say(text)} }

// NewRunner returns a runner over l for the agents of one app, played by m, or by
// their reference policies if m is nil. The clock stands still unless now is given.
func NewRunner(l agent.Log, m model.Model, agents ...*agent.Agent) *agent.Runner {
	byName := map[string]*agent.Agent{}
	var add func(a *agent.Agent)
	add = func(a *agent.Agent) {
		byName[a.Name] = a
		for _, s := range a.Specialists {
			add(s)
		}
	}
	for _, a := range agents {
		add(a)
	}
	var mu sync.Mutex
	n := 0
	return &agent.Runner{
		Log:  l,
		Now:  func() time.Time { return time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC) },
		Slog: slog.New(slog.DiscardHandler),
		NewID: func(prefix string) string {
			mu.Lock()
			defer mu.Unlock()
			n++
			return fmt.Sprintf("%s%08x", prefix, n)
		},
		Agent: func(_, name string) (*agent.Agent, bool) { a, ok := byName[name]; return a, ok },
		Model: func(string, *agent.Agent) model.Model { return m },
	}
}
