package tool

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"sync"

	"github.com/google/jsonschema-go/jsonschema"

	"dossier"
	"dossier/internal/canon"
)

// A Schema is a JSON Schema that values can be checked against. The zero Schema
// accepts everything.
type Schema struct {
	Text   json.RawMessage // the schema document
	checks func() *checks
}

// checks are what values are checked with.
type checks struct {
	flat  *flat // nil unless the schema is flat
	whole *jsonschema.Resolved
}

// known holds the schemas of types that were asked for, by type: a type has one
// schema, however many tools take it.
var known sync.Map

// SchemaOf derives the schema of T from its type: fields are required unless
// omitempty or omitzero, and a jsonschema tag describes them. It panics for a type
// that has no schema, which only a programmer can mend.
func SchemaOf[T any]() Schema {
	t := reflect.TypeFor[T]()
	if s, ok := known.Load(t); ok {
		return s.(Schema)
	}
	s, err := jsonschema.For[T](&jsonschema.ForOptions{TypeSchemas: typeSchemas})
	if err != nil {
		panic(fmt.Sprintf("schema of %v: %v", t, err))
	}
	for _, enum := range enumsOf[T](s) {
		enum()
	}
	text, err := json.Marshal(s)
	if err != nil {
		panic(fmt.Sprintf("encode schema of %v: %v", t, err))
	}
	kept, _ := known.LoadOrStore(t, compiled(text))
	return kept.(Schema)
}

// typeSchemas are the types whose JSON form reflection cannot see.
var typeSchemas = map[reflect.Type]*jsonschema.Schema{
	reflect.TypeFor[json.RawMessage](): {},
}

// compiled returns the schema in text, which was made from a type. What checks values
// against it is made when the first value comes: most schemas of a process never see
// one, and a hundred of them would take a third of its start-up.
func compiled(text json.RawMessage) Schema {
	return Schema{Text: text, checks: sync.OnceValue(func() *checks {
		var s jsonschema.Schema
		err := json.Unmarshal(text, &s)
		if err != nil {
			panic(fmt.Sprintf("decode schema %s: %v", text, err))
		}
		r, err := s.Resolve(nil)
		if err != nil {
			panic(fmt.Sprintf("resolve schema %s: %v", text, err))
		}
		return &checks{flatOf(text), r}
	})}
}

// An Enum is a string type with a closed list of values. A field of such a type
// gets the list in its schema.
type Enum interface{ Values() []string }

// enumsOf returns the changes that put the values of Enum fields into s, at any depth.
func enumsOf[T any](s *jsonschema.Schema) []func() {
	var todo []func()
	var walk func(t reflect.Type, s *jsonschema.Schema)
	walk = func(t reflect.Type, s *jsonschema.Schema) {
		if s == nil {
			return
		}
		optional := t.Kind() == reflect.Pointer
		if optional {
			t = t.Elem()
		}
		if e, ok := reflect.Zero(t).Interface().(Enum); ok && t.Kind() == reflect.String {
			todo = append(todo, func() {
				for _, v := range e.Values() {
					s.Enum = append(s.Enum, v)
				}
				if optional {
					s.Enum = append(s.Enum, nil)
				}
			})
			return
		}
		switch t.Kind() {
		case reflect.Struct:
			for i := range t.NumField() {
				f := t.Field(i)
				name, _, _ := cutTag(f.Tag.Get("json"))
				if name == "" {
					name = f.Name
				}
				walk(f.Type, s.Properties[name])
			}
		case reflect.Slice, reflect.Array:
			walk(t.Elem(), s.Items)
		}
	}
	walk(reflect.TypeFor[T](), s)
	return todo
}

func cutTag(tag string) (name, rest string, ok bool) {
	for i := range len(tag) {
		if tag[i] == ',' {
			return tag[:i], tag[i+1:], true
		}
	}
	return tag, "", false
}

// Check reports what is wrong with raw, in words a model or a person can act on.
func (s Schema) Check(raw json.RawMessage) error {
	var c checks
	if s.checks != nil {
		c = *s.checks()
	}
	if c.flat != nil && c.flat.accepts(raw) {
		return nil
	}
	if canon.NUL(raw) >= 0 {
		return dossier.Errorf(dossier.Invalid, "A text in it holds the character U+0000, which cannot be stored. Leave it out.")
	}
	var v any
	if err := json.Unmarshal(raw, &v); err != nil {
		return dossier.Errorf(dossier.Invalid, "This is not JSON: %v.", err)
	}
	if c.whole == nil {
		return nil
	}
	if err := c.whole.Validate(v); err != nil {
		return dossier.Errorf(dossier.Invalid, "%s", explain(err))
	}
	return nil
}

// inexact returns the first whole number in raw that its canonical form changes: that
// holds what a float64 can.
func inexact(raw []byte) string {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	for {
		tok, err := dec.Token()
		if err != nil {
			return ""
		}
		n, ok := tok.(json.Number)
		if !ok || len(n) <= 15 || strings.ContainsAny(string(n), ".eE") {
			continue
		}
		if f, err := n.Float64(); err != nil || strconv.FormatFloat(f, 'f', -1, 64) != string(n) {
			return string(n)
		}
	}
}

// MarshalJSON writes the schema document.
func (s Schema) MarshalJSON() ([]byte, error) {
	if s.Text == nil {
		return []byte("{}"), nil
	}
	return s.Text, nil
}
