package tool

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

type flatIn struct {
	Name  string  `json:"name" jsonschema:"whose"`
	Count int     `json:"count"`
	Share float64 `json:"share,omitempty"`
	Open  bool    `json:"open,omitempty"`
}

// whole is what the schema says without the quick look.
func whole(s Schema, raw []byte) error {
	var v any
	if err := json.Unmarshal(raw, &v); err != nil {
		return err
	}
	return s.checks().whole.Validate(v)
}

func TestFlatSchemas(t *testing.T) {
	t.Parallel()
	f := SchemaOf[flatIn]().checks().flat
	if f == nil {
		t.Fatal("a struct of plain fields has a flat schema")
	}
	for raw, want := range map[string]bool{
		`{"name":"a","count":1}`:                                true,
		` { "count" : -12 , "name" : "a b" , "open" : false } `: true,
		`{"name":"é","count":0,"share":0.25,"open":true}`:       true,
		`{"name":"a"}`:                         false,
		`{"name":"a","count":1,"more":1}`:      false,
		`{"name":"a","count":1,"count":2}`:     false,
		`{"name":"a","count":1.5}`:             false,
		`{"name":"a","count":01}`:              false,
		`{"name":1,"count":1}`:                 false,
		`{"name":"a","count":"1"}`:             false,
		`{"name":"a","count":null}`:            false,
		`{"name":"a","count":1,"open":truest}`: false,
		`{"name":"a","count":1,}`:              false,
		`{"name":"a","count":1}}`:              false,
		`{"name":"a","count":1`:                false,
		"{\"name\":\"a\nb\",\"count\":1}":      false,
		`[]`:                                   false, ``: false, `{`: false, `{}`: false, `{"name"`: false,
	} {
		if got := f.accepts([]byte(raw)); got != want {
			t.Errorf("accepts(%s) = %v", raw, got)
		}
	}
	for name, s := range map[string]Schema{
		"a list":      SchemaOf[struct{ L []string }](),
		"an optional": SchemaOf[struct{ P *string }](),
		"an enum":     SchemaOf[struct{ E colour }](),
		"nested":      SchemaOf[struct{ N flatIn }](),
	} {
		if s.checks().flat != nil {
			t.Errorf("%s is not flat: %s", name, s.Text)
		}
	}
}

type colour string

func (colour) Values() []string { return []string{"red", "green"} }

// TestFlatAgreesWithTheWholeSchema: what the quick look accepts, the schema accepts.
func TestFlatAgreesWithTheWholeSchema(t *testing.T) {
	t.Parallel()
	s := SchemaOf[flatIn]()
	key := rapid.SampledFrom([]string{`"name"`, `"count"`, `"share"`, `"open"`, `"Name"`, `"x"`, `name`})
	value := rapid.OneOf(
		rapid.SampledFrom([]string{`"a"`, `""`, `"a\"b"`, `true`, `false`, `null`, `1e3`, `-0`, `-`, `.5`, `1.`, `00`, `[]`, `{}`, `1.0`, `9007199254740993`}),
		rapid.Custom(func(t *rapid.T) string { return fmt.Sprint(rapid.Int().Draw(t, "int")) }),
		rapid.Custom(func(t *rapid.T) string { return fmt.Sprint(rapid.Float64().Draw(t, "float")) }),
		rapid.Custom(func(t *rapid.T) string { return `"` + rapid.String().Draw(t, "string") + `"` }),
	)
	accepted := 0
	rapid.Check(t, func(t *rapid.T) {
		var fields []string
		for range rapid.IntRange(0, 4).Draw(t, "fields") {
			fields = append(fields, key.Draw(t, "key")+":"+value.Draw(t, "value"))
		}
		raw := []byte("{" + strings.Join(append(fields, `"name":"n"`, `"count":3`)[rapid.IntRange(0, len(fields)).Draw(t, "from"):], ",") + "}")
		if s.checks().flat.accepts(raw) {
			accepted++
			if err := whole(s, raw); err != nil {
				t.Fatalf("%s: %v", raw, err)
			}
		}
	})
	if accepted == 0 {
		t.Error("nothing was accepted, so nothing was shown")
	}
}

func FuzzFlat(f *testing.F) {
	s := SchemaOf[flatIn]()
	for _, seed := range []string{`{"name":"a","count":1}`, `{"name":"a","count":1,"share":1.5}`, `{ "open" : true }`, `{"count":-0,"name":""}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		if s.checks().flat.accepts(raw) {
			if err := whole(s, raw); err != nil {
				t.Errorf("%s: %v", raw, err)
			}
		}
	})
}
