package app

import (
	"bytes"
	"encoding/json"
)

// Redacted returns what a person wrote as the app may keep it.
func (a App) Redacted(text string) string {
	if a.Redact == nil {
		return text
	}
	return a.Redact(text)
}

// RedactedJSON returns a document with every text and number in it as the app may keep
// it. A number that may not be kept becomes a text.
func (a App) RedactedJSON(doc json.RawMessage) json.RawMessage {
	if a.Redact == nil || len(doc) == 0 {
		return doc
	}
	var out bytes.Buffer
	for i := 0; i < len(doc); {
		n := literal(doc[i:])
		if n == 0 {
			out.WriteByte(doc[i])
			i++
			continue
		}
		out.Write(a.redactLiteral(doc[i : i+n]))
		i += n
	}
	return out.Bytes()
}

func (a App) redactLiteral(lit []byte) []byte {
	text := string(lit)
	quoted := lit[0] == '"'
	if quoted && json.Unmarshal(lit, &text) != nil {
		text = "" // not JSON after all: nothing of it may stay
	}
	kept := a.Redact(text)
	if kept == text && !quoted {
		return lit
	}
	out, err := json.Marshal(kept)
	if err != nil {
		panic(err.Error()) // a string always encodes
	}
	return out
}

// literal returns the length of the text or number that doc begins with, and 0 if it
// begins with neither.
func literal(doc []byte) int {
	switch c := doc[0]; {
	case c == '"':
		for i := 1; i < len(doc); i++ {
			switch doc[i] {
			case '\\':
				i++
			case '"':
				return i + 1
			}
		}
		return len(doc)
	case c == '-' || c >= '0' && c <= '9':
		i := 1
		for i < len(doc) && bytes.IndexByte([]byte("0123456789.eE+-"), doc[i]) >= 0 {
			i++
		}
		return i
	}
	return 0
}
