package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/danielgtaylor/huma/v2"

	"dossier/internal/canon"
)

// formats are how bodies are read and written: as JSON, with errors that say where.
var formats = map[string]huma.Format{"application/json": jsonFormat, "json": jsonFormat}

var jsonFormat = huma.Format{Marshal: huma.DefaultJSONFormat.Marshal, Unmarshal: readJSON}

func readJSON(data []byte, v any) error {
	err := json.Unmarshal(data, v)
	if wrong, ok := errors.AsType[*json.SyntaxError](err); ok {
		line, column := place(data, wrong.Offset)
		return fmt.Errorf("is not JSON at line %d, column %d: %w", line, column, wrong)
	}
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return fmt.Errorf("cannot hold the %s at %s", wrong.Value, wrong.Field)
	}
	if at := canon.NUL(data); err == nil && at >= 0 {
		line, column := place(data, int64(at)+1)
		return fmt.Errorf("holds a character that cannot be stored (\\u0000) at line %d, column %d", line, column)
	}
	return err
}

// place is where the last of n bytes stands for people, who count from 1.
func place(data []byte, n int64) (line, column int) {
	before := data[:max(0, n-1)]
	return 1 + bytes.Count(before, []byte{'\n'}), len(before) - bytes.LastIndexByte(before, '\n')
}
