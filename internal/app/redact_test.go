package app

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestRedactedJSON(t *testing.T) {
	t.Parallel()
	a := App{Redact: func(s string) string { return strings.ReplaceAll(s, "98765", "[phone]") }}
	for in, want := range map[string]string{
		`{"a":"call 98765","b":[98765,"x\"98765",{"98765":null}],"c":1.5e3,"d":true}`: `{"a":"call [phone]","b":["[phone]","x\"[phone]",{"[phone]":null}],"c":1.5e3,"d":true}`,
		`"\u00398765"`: `"[phone]"`,
		`-98765`:       `"-[phone]"`,
		`{}`:           `{}`,
		`"98765`:       `""`,
		``:             ``,
	} {
		if got := string(a.RedactedJSON(json.RawMessage(in))); got != want {
			t.Errorf("%s became %s, want %s", in, got, want)
		}
	}
	if got := string(App{}.RedactedJSON(json.RawMessage(`"98765"`))); got != `"98765"` {
		t.Errorf("an app that keeps everything has %s", got)
	}
}

func FuzzRedactedJSON(f *testing.F) {
	for _, s := range []string{`{"a":[1,"b\\",-2.5e+9]}`, `"\ud800"`, `{"a":"\"}`, `[0,"",null]`} {
		f.Add(s)
	}
	a := App{Redact: func(s string) string { return strings.ReplaceAll(s, "1", "[one]") }}
	f.Fuzz(func(t *testing.T, doc string) {
		got := a.RedactedJSON(json.RawMessage(doc))
		if json.Valid([]byte(doc)) && !json.Valid(got) {
			t.Errorf("%q became %q", doc, got)
		}
		if json.Valid([]byte(doc)) && strings.Contains(string(got), "1") && !strings.Contains(doc, `\u`) {
			t.Errorf("%q kept a one: %q", doc, got)
		}
	})
}
