package observe

import (
	"bytes"
	"encoding/json"
	"testing"
)

// The scanner sees in valid JSON what the standard decoder sees.
func FuzzScan(f *testing.F) {
	f.Add([]byte(`{"a" : [1, {"b":"}"}, "]\\\""] , "c\u0064":null,"":-1e3 }`))
	f.Add([]byte(` [ ] `))
	f.Add([]byte(`{}`))
	f.Add([]byte(`[[],{},"",0 ,true]`))
	f.Add([]byte("\"\xff\""))
	f.Fuzz(func(t *testing.T, data []byte) {
		data = bytes.TrimSpace(data)
		if !json.Valid(data) {
			return
		}
		var list []json.RawMessage
		isList := json.Unmarshal(data, &list) == nil && string(data) != "null"
		n := 0
		if ok := elements(data, func(i int, one []byte) {
			if i != n || !bytes.Equal(one, bytes.TrimSpace(list[i])) {
				t.Fatalf("%d: %s, want %s", i, one, list[i])
			}
			n++
		}); ok != isList || n != len(list) || count(data) != n {
			t.Fatalf("%d elements, %v; want %d", n, ok, len(list))
		}
		var object map[string]json.RawMessage
		if json.Unmarshal(data, &object) != nil {
			object = nil
		}
		seen := map[string][]byte{}
		members(data, func(name, value []byte) { seen[string(name)] = value })
		if len(seen) != len(object) {
			t.Fatalf("%d members, want %d", len(seen), len(object))
		}
		for name, want := range object {
			if !bytes.Equal(seen[name], bytes.TrimSpace(want)) {
				t.Fatalf("%q: %s, want %s", name, seen[name], want)
			}
		}
		if data[0] == '"' {
			var s string
			if json.Unmarshal(data, &s) == nil && string(bare(data)) != s {
				t.Fatalf("%q, want %q", bare(data), s)
			}
		}
	})
}
