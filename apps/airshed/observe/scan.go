package observe

import (
	"bytes"
	"encoding/json"
	"fmt"
	"unicode/utf8"
)

// The scanner walks JSON that is known to be valid without building anything from it.
// A day holds tens of thousands of fires, and a tree of each costs more than the fire.

// members calls f with the name and the raw value of every member of an object. What
// is no object has none.
func members(raw []byte, f func(name, value []byte)) {
	i := space(raw, 0)
	if i >= len(raw) || raw[i] != '{' {
		return
	}
	for i = space(raw, i+1); raw[i] != '}'; {
		end := skip(raw, i)
		name := bare(raw[i:end])
		i = space(raw, space(raw, end)+1) // over the colon
		end = skip(raw, i)
		f(name, raw[i:end])
		if i = space(raw, end); raw[i] == ',' {
			i = space(raw, i+1)
		}
	}
}

// elements calls f with every element of a list, and reports whether raw is one.
func elements(raw []byte, f func(n int, value []byte)) bool {
	i := space(raw, 0)
	if i >= len(raw) || raw[i] != '[' {
		return false
	}
	i = space(raw, i+1)
	for n := 0; raw[i] != ']'; n++ {
		end := skip(raw, i)
		f(n, raw[i:end])
		if i = space(raw, end); raw[i] == ',' {
			i = space(raw, i+1)
		}
	}
	return true
}

// count returns how many elements a list has, 0 for what is none.
func count(raw []byte) int {
	n := 0
	elements(raw, func(int, []byte) { n++ })
	return n
}

// space returns the place of the first byte from i on that is not blank.
func space(raw []byte, i int) int {
	for i < len(raw) && (raw[i] == ' ' || raw[i] == '\n' || raw[i] == '\t' || raw[i] == '\r') {
		i++
	}
	return i
}

// skip returns the end of the value that begins at i.
func skip(raw []byte, i int) int {
	switch raw[i] {
	case '"':
		for i++; raw[i] != '"'; i++ {
			if raw[i] == '\\' {
				i++
			}
		}
		return i + 1
	case '{', '[':
		for depth := 0; ; {
			switch raw[i] {
			case '"':
				i = skip(raw, i)
				continue
			case '{', '[':
				depth++
			case '}', ']':
				if depth--; depth == 0 {
					return i + 1
				}
			}
			i++
		}
	}
	for i < len(raw) && !bytes.ContainsRune([]byte(",]} \n\t\r"), rune(raw[i])) {
		i++
	}
	return i
}

// bare returns a text without its quotes and escapes.
func bare(quoted []byte) []byte {
	inner := quoted[1 : len(quoted)-1]
	if bytes.IndexByte(inner, '\\') < 0 && utf8.Valid(inner) {
		return inner
	}
	var s string
	_ = json.Unmarshal(quoted, &s) // valid, as all of it is
	return []byte(s)
}

// A place says where in the data a record or a field stands. Its text is made only
// when something is to be told of it.
type place struct {
	list  string // "cpcb_data"; "" in a flat list
	index int    // of the record; negative: the list as a whole
	field string // "": the record as a whole
}

func (p place) in(field string) place {
	p.field = field
	return p
}

func (p place) String() string {
	text := p.list
	if p.index >= 0 {
		text += fmt.Sprintf("[%d]", p.index)
	}
	if p.field != "" {
		text += "." + p.field
	}
	return text
}

// the returns the place of a feed as a whole.
func the(feed string) place { return place{list: feed, index: -1} }
