package catalog

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"dossier"
)

// A Spec is what plot_specs.json says of one chart, as far as it is used.
type Spec struct {
	Title     string `json:"title"`
	Category  string `json:"category"`
	UnitText  string `json:"si_unit"`
	YTitle    string `json:"yaxis_title"`
	BaseYear  int    `json:"base_year"`
	FinalYear int    `json:"final_year"`
	Total     string `json:"total_category_name"`
}

// Units reads si_unit, which holds one unit or a printed list of them.
func (s Spec) Units() []string {
	text := strings.TrimSpace(s.UnitText)
	if !strings.HasPrefix(text, "[") {
		if text == "" || text == "None" {
			return nil
		}
		return []string{text}
	}
	var out []string
	for i, part := range strings.FieldsFunc(text, func(r rune) bool { return r == '\'' || r == '"' }) {
		if part = strings.Trim(part, "[], "); part != "" && i > 0 {
			out = append(out, part)
		}
	}
	return out
}

// specs reads plot_specs.json: an array of specifications, one, one per key, or
// several written one after the other. A run without the file has none.
func (c *Catalog) specs() ([]Spec, error) {
	data, err := c.read("plot_specs.json")
	if errors.Is(err, fs.ErrNotExist) {
		c.Warnings = append(c.Warnings, "There is no plot_specs.json; titles come from file names.")
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	specs, err := ParseSpecs(data)
	if err != nil {
		return nil, err
	}
	return specs, nil
}

// ParseSpecs reads the text of a plot_specs.json.
func ParseSpecs(data []byte) ([]Spec, error) {
	var all []Spec
	dec := json.NewDecoder(bytes.NewReader(data))
	for {
		var raw json.RawMessage
		err := dec.Decode(&raw)
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			line := 1 + bytes.Count(data[:min(int(dec.InputOffset()), len(data))], []byte("\n"))
			return nil, dossier.Errorf(dossier.Invalid, "plot_specs.json is not valid JSON near line %d.", line).Because(err)
		}
		if all, err = appendSpecs(all, raw, ""); err != nil {
			return nil, err
		}
	}
}

func appendSpecs(all []Spec, raw json.RawMessage, key string) ([]Spec, error) {
	switch raw[0] {
	case '[':
		var list []json.RawMessage
		if err := json.Unmarshal(raw, &list); err != nil {
			return nil, fmt.Errorf("plot specs: %w", err)
		}
		for _, e := range list {
			var err error
			if all, err = appendSpecs(all, e, ""); err != nil {
				return nil, err
			}
		}
		return all, nil
	case '{':
		return appendObject(all, raw, key)
	default:
		return nil, dossier.Errorf(dossier.Invalid, "plot_specs.json holds %.30q where a specification should be.", raw)
	}
}

func appendObject(all []Spec, raw json.RawMessage, key string) ([]Spec, error) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(raw, &members); err != nil {
		return nil, fmt.Errorf("plot specs: %w", err)
	}
	if _, ok := members["title"]; ok || key != "" {
		s := Spec{}
		// A field of another type than expected leaves that field empty; the rest holds.
		_ = json.Unmarshal(raw, &s)
		if s.Title == "" {
			s.Title = key
		}
		return append(all, s), nil
	}
	for _, k := range slices.Sorted(maps.Keys(members)) {
		if members[k][0] != '{' {
			return all, nil
		}
		var err error
		if all, err = appendObject(all, members[k], k); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// normal reduces a title, file name or scenario to what is compared: lower-case
// letters and digits.
func normal(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, s)
}

var smallWords = []string{"by", "and", "of", "from", "in", "the", "per", "for", "to"}

// titleOf makes a title from a file name.
func titleOf(base string) string {
	words := strings.FieldsFunc(base, func(r rune) bool { return r == '_' || r == '-' || r == ' ' })
	for i, w := range words {
		if i == 0 || !slices.Contains(smallWords, w) {
			r, n := utf8.DecodeRuneInString(w)
			words[i] = string(unicode.ToUpper(r)) + w[n:]
		}
	}
	return strings.Join(words, " ")
}

// PlotSpec returns a chart's Plotly JSON with every base64 array written out, so that
// any reader of JSON can draw it.
func (c *Catalog) PlotSpec(ch *Chart) (json.RawMessage, error) {
	if ch.JSON == "" {
		return nil, dossier.Errorf(dossier.NotFound, "Chart %q has no Plotly specification.", ch.ID)
	}
	data, err := c.read(ch.JSON)
	if err != nil {
		return nil, err
	}
	out, err := ExpandPlotly(data)
	if err != nil {
		return nil, dossier.Errorf(dossier.Invalid, "The Plotly specification of %q cannot be read.", ch.ID).Because(err)
	}
	return out, nil
}

// ExpandPlotly replaces every {"dtype", "bdata"} array of a Plotly JSON by numbers.
func ExpandPlotly(raw json.RawMessage) (json.RawMessage, error) {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 {
		return nil, errors.New("empty")
	}
	switch raw[0] {
	case '{':
		var m map[string]json.RawMessage
		if err := json.Unmarshal(raw, &m); err != nil {
			return nil, fmt.Errorf("object: %w", err)
		}
		if len(m["bdata"]) > 0 && len(m["dtype"]) > 0 {
			return decodeArray(m["dtype"], m["bdata"])
		}
		for k, v := range m {
			e, err := ExpandPlotly(v)
			if err != nil {
				return nil, err
			}
			m[k] = e
		}
		return json.Marshal(m)
	case '[':
		var list []json.RawMessage
		if err := json.Unmarshal(raw, &list); err != nil {
			return nil, fmt.Errorf("array: %w", err)
		}
		for i, v := range list {
			e, err := ExpandPlotly(v)
			if err != nil {
				return nil, err
			}
			list[i] = e
		}
		return json.Marshal(list)
	default:
		if !json.Valid(raw) {
			return nil, errors.New("not JSON")
		}
		return raw, nil
	}
}

// decodeArray reads a typed array of little-endian numbers.
func decodeArray(dtype, bdata json.RawMessage) (json.RawMessage, error) {
	var kind, text string
	if json.Unmarshal(dtype, &kind) != nil || json.Unmarshal(bdata, &text) != nil {
		return nil, errors.New("dtype and bdata must be texts")
	}
	data, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return nil, fmt.Errorf("bdata: %w", err)
	}
	size, read := elementOf(kind)
	if size == 0 || len(data)%size != 0 {
		return nil, fmt.Errorf("array of %q with %d bytes", kind, len(data))
	}
	out := make([]*float64, 0, len(data)/size)
	for i := 0; i < len(data); i += size {
		v := read(data[i:])
		if math.IsNaN(v) || math.IsInf(v, 0) {
			out = append(out, nil)
			continue
		}
		out = append(out, &v)
	}
	return json.Marshal(out)
}

func elementOf(kind string) (int, func([]byte) float64) {
	le := binary.LittleEndian
	switch strings.TrimLeft(kind, "<|=") {
	case "f8", "float64":
		return 8, func(b []byte) float64 { return math.Float64frombits(le.Uint64(b)) }
	case "f4", "float32":
		return 4, func(b []byte) float64 { return float64(math.Float32frombits(le.Uint32(b))) }
	case "i1", "int8":
		return 1, func(b []byte) float64 { return float64(int8(b[0])) }
	case "u1", "uint8", "uint8c":
		return 1, func(b []byte) float64 { return float64(b[0]) }
	case "i2", "int16":
		return 2, func(b []byte) float64 { return float64(int16(le.Uint16(b))) }
	case "u2", "uint16":
		return 2, func(b []byte) float64 { return float64(le.Uint16(b)) }
	case "i4", "int32":
		return 4, func(b []byte) float64 { return float64(int32(le.Uint32(b))) }
	case "u4", "uint32":
		return 4, func(b []byte) float64 { return float64(le.Uint32(b)) }
	case "i8", "int64":
		return 8, func(b []byte) float64 { return float64(int64(le.Uint64(b))) }
	default:
		return 0, nil
	}
}

// plotlyUnit reads a unit from the title of the y axis.
func (c *Catalog) plotlyUnit(ch *Chart) string {
	data, err := c.read(ch.JSON)
	if err != nil {
		return ""
	}
	var p struct {
		Layout struct {
			YAxis struct {
				Title json.RawMessage `json:"title"`
			} `json:"yaxis"`
		} `json:"layout"`
	}
	if json.Unmarshal(data, &p) != nil {
		return ""
	}
	var text string
	if json.Unmarshal(p.Layout.YAxis.Title, &text) == nil {
		return text
	}
	var title struct {
		Text string `json:"text"`
	}
	_ = json.Unmarshal(p.Layout.YAxis.Title, &title)
	return title.Text
}
