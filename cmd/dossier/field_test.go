package main

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// field sets a variable of the script to a value in the last command's JSON:
//
//	field NAME path.to.0.value
//
// An element of a list may be picked by what it holds: `[tool=cancel_membership].id`.
func field(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: field NAME path")
	}
	var v any
	ts.Check(json.Unmarshal([]byte(ts.ReadFile("stdout")), &v))
	for part := range strings.SplitSeq(args[1], ".") {
		v = pick(ts, v, part)
	}
	text, ok := v.(string)
	if !ok {
		raw, err := json.Marshal(v)
		ts.Check(err)
		text = string(raw)
	}
	ts.Setenv(args[0], text)
}

func pick(ts *testscript.TestScript, v any, part string) any {
	switch v := v.(type) {
	case []any:
		if cond, ok := strings.CutPrefix(part, "["); ok {
			name, want, _ := strings.Cut(strings.TrimSuffix(cond, "]"), "=")
			for _, e := range v {
				if m, ok := e.(map[string]any); ok && m[name] == want {
					return e
				}
			}
			ts.Fatalf("no element with %s", part)
		}
		i, err := strconv.Atoi(part)
		if err != nil || i >= len(v) {
			ts.Fatalf("no element %s in a list of %d", part, len(v))
		}
		return v[i]
	case map[string]any:
		got, ok := v[part]
		if !ok {
			ts.Fatalf("no field %s", part)
		}
		return got
	}
	ts.Fatalf("%s leads nowhere", part)
	return nil
}
