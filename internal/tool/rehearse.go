package tool

import (
	"context"
	"encoding/json"
)

// Rehearsed returns t with run in place of what it does. Everything that must hold
// before a call stays: schema, checks, roles, key, and whether a person is asked. A
// tool that was declared without [Def] has nothing of that but its schema. Suites use
// it to play an agent on an example's own returns.
func (t Tool) Rehearsed(run func(context.Context, Call, json.RawMessage) (Result, error)) Tool {
	if t.plan == nil {
		t.plan = func(json.RawMessage) (Plan, error) { return Plan{Title: "Run " + t.Name + "."}, nil }
	}
	t.run, t.before = run, nil
	return t
}
