package cli

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"

	"dossier/internal/edit"
)

// A key is one scalar setting that the environment and --set can reach.
type key struct {
	name  string // "http.addr"
	value reflect.Value
}

// env is the variable that sets the key.
func (k key) env() string {
	return "DOSSIER_" + strings.ToUpper(strings.NewReplacer(".", "_", "-", "_").Replace(k.name))
}

// keys lists every scalar setting, the apps' own included.
func (s *settings) keys() []key {
	out := keysOf("", reflect.ValueOf(&s.Config).Elem())
	for id, cfg := range s.apps {
		out = append(out, keysOf("apps."+id, reflect.ValueOf(cfg).Elem())...)
	}
	return out
}

func keysOf(prefix string, v reflect.Value) []key {
	var out []key
	t := v.Type()
	for i := range t.NumField() {
		f := t.Field(i)
		if !f.IsExported() {
			continue
		}
		name, _, _ := strings.Cut(f.Tag.Get("toml"), ",")
		if name == "-" {
			continue
		}
		if name == "" {
			name = strings.ToLower(f.Name)
		}
		if prefix != "" {
			name = prefix + "." + name
		}
		if f.Type.Kind() == reflect.Struct && f.Type != reflect.TypeFor[time.Time]() {
			out = append(out, keysOf(name, v.Field(i))...)
			continue
		}
		out = append(out, key{name, v.Field(i)})
	}
	return out
}

func keyNames(keys []key) []string {
	out := make([]string, len(keys))
	for i, k := range keys {
		out[i] = k.name
	}
	return out
}

// set gives the key the value that text means.
func (k key) set(text string) error {
	v := k.value
	if v.Type() == reflect.TypeFor[time.Duration]() {
		d, err := time.ParseDuration(text)
		if err != nil {
			return fmt.Errorf("%q is not a duration such as 90s or 6h", text)
		}
		v.SetInt(int64(d))
		return nil
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(text)
	case reflect.Int, reflect.Int64:
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return fmt.Errorf("%q is not a whole number", text)
		}
		v.SetInt(n)
	case reflect.Float64:
		n, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return fmt.Errorf("%q is not a number", text)
		}
		v.SetFloat(n)
	case reflect.Bool:
		b, err := strconv.ParseBool(text)
		if err != nil {
			return fmt.Errorf("%q is neither true nor false", text)
		}
		v.SetBool(b)
	case reflect.Slice:
		if v.Type().Elem().Kind() != reflect.String {
			return fmt.Errorf("%s can be set in the file only", k.name)
		}
		parts := reflect.MakeSlice(v.Type(), 0, 0)
		for p := range strings.SplitSeq(text, ",") {
			parts = reflect.Append(parts, reflect.ValueOf(strings.TrimSpace(p)).Convert(v.Type().Elem()))
		}
		v.Set(parts)
	default:
		return fmt.Errorf("%s can be set in the file only", k.name)
	}
	return nil
}

// nearest suggests the known name that name most likely meant, as a sentence, or "".
func nearest(name string, known []string) string {
	best, least := "", len(name)/2+1
	for _, k := range known {
		if d := edit.Distance([]rune(name), []rune(k)); d < least {
			best, least = k, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf(" Did you mean %q?", best)
}
