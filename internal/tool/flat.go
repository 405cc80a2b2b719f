package tool

import (
	"bytes"
	"encoding/json"
)

// A flat schema is an object of plain values, as most tools take: it can be seen in
// one pass whether arguments fit it. It only ever accepts; what it does not accept is
// left to the whole schema, which also says what is wrong.
type flat struct {
	fields   []flatField
	required uint64 // a bit for each field
}

type flatField struct {
	name string
	kind string // string, integer, number or boolean
}

// flatOf returns the flat form of a schema document, or nil if it says more than that.
func flatOf(text json.RawMessage) *flat {
	var doc struct {
		Type       string `json:"type"`
		Properties map[string]struct {
			Type        string `json:"type"`
			Description string `json:"description"`
		} `json:"properties"`
		Required   []string `json:"required"`
		Additional *bool    `json:"additionalProperties"`
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	if dec.Decode(&doc) != nil || doc.Type != "object" || doc.Additional == nil || *doc.Additional || len(doc.Properties) > 64 {
		return nil
	}
	f := &flat{}
	for name, p := range doc.Properties {
		switch p.Type {
		case "string", "integer", "number", "boolean":
			f.fields = append(f.fields, flatField{name, p.Type})
		default:
			return nil
		}
	}
	for _, name := range doc.Required {
		i := f.find([]byte(name))
		if i < 0 {
			return nil
		}
		f.required |= 1 << i
	}
	return f
}

func (f *flat) find(name []byte) int {
	for i := range f.fields {
		if f.fields[i].name == string(name) {
			return i
		}
	}
	return -1
}

// accepts reports whether raw surely fits: an object with known fields, each once and of
// its kind, and none missing.
func (f *flat) accepts(raw []byte) bool {
	var seen uint64
	rest, ok := symbol(raw, '{')
	if !ok {
		return false
	}
	if end, ok := symbol(rest, '}'); ok {
		return f.required == 0 && len(space(end)) == 0
	}
	for {
		name, after, ok := quoted(space(rest))
		i := f.find(name)
		if !ok || i < 0 || seen&(1<<i) != 0 {
			return false
		}
		seen |= 1 << i
		if rest, ok = symbol(after, ':'); !ok {
			return false
		}
		if rest, ok = plainValue(space(rest), f.fields[i].kind); !ok {
			return false
		}
		if end, ok := symbol(rest, '}'); ok {
			return seen&f.required == f.required && len(space(end)) == 0
		}
		if rest, ok = symbol(rest, ','); !ok {
			return false
		}
	}
}

// plainValue takes a value of a kind from the front of b. It leaves escapes and
// exponents to the whole schema.
func plainValue(b []byte, kind string) (rest []byte, ok bool) {
	switch kind {
	case "string":
		_, rest, ok = quoted(b)
		return rest, ok
	case "boolean":
		if rest, ok = bytes.CutPrefix(b, []byte("true")); !ok {
			rest, ok = bytes.CutPrefix(b, []byte("false"))
		}
		return rest, ok
	}
	b, _ = bytes.CutPrefix(b, []byte("-"))
	n := digits(b)
	if n == 0 || n > 15 || n > 1 && b[0] == '0' {
		return nil, false
	}
	if b = b[n:]; kind == "number" && len(b) > 0 && b[0] == '.' {
		if n = digits(b[1:]); n == 0 {
			return nil, false
		}
		b = b[1+n:]
	}
	return b, len(b) > 0 && b[0] != '.' && b[0] != 'e' && b[0] != 'E'
}

// quoted takes a string without escapes from the front of b.
func quoted(b []byte) (text, rest []byte, ok bool) {
	if len(b) == 0 || b[0] != '"' {
		return nil, nil, false
	}
	for i := 1; i < len(b); i++ {
		switch {
		case b[i] == '"':
			return b[1:i], b[i+1:], true
		case b[i] == '\\' || b[i] < ' ':
			return nil, nil, false
		}
	}
	return nil, nil, false
}

func digits(b []byte) int {
	n := 0
	for n < len(b) && '0' <= b[n] && b[n] <= '9' {
		n++
	}
	return n
}

// symbol takes c, after spaces, from the front of b.
func symbol(b []byte, c byte) ([]byte, bool) {
	if b = space(b); len(b) == 0 || b[0] != c {
		return b, false
	}
	return b[1:], true
}

func space(b []byte) []byte {
	for len(b) > 0 && (b[0] == ' ' || b[0] == '\t' || b[0] == '\n' || b[0] == '\r') {
		b = b[1:]
	}
	return b
}
