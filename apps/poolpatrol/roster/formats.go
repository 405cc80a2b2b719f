package roster

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"dossier"
)

func unknownKind(file string) error {
	return dossier.Errorf(dossier.Invalid, "The name of %s does not tell what it holds. Give the kind: --kind riders, for instance; there are %s.", file, kinds())
}

// csv takes a file with a header line.
func (b *reader) csv(text []byte, kind Kind) error {
	if kind == "" {
		var ok bool
		if kind, ok = KindOf(b.file); !ok {
			return unknownKind(b.file)
		}
	}
	r := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(text, []byte("\uFEFF"))))
	r.FieldsPerRecord = -1
	header, err := r.Read()
	if err != nil {
		return dossier.Errorf(dossier.Invalid, "%s has no header line. Its first line must name columns of %s: %s.",
			b.file, kind, strings.Join(columns[kind].all, ", ")).Because(err)
	}
	for i, h := range header {
		header[i] = strings.ToLower(strings.TrimSpace(h))
		if !slices.Contains(columns[kind].all, header[i]) {
			return dossier.Errorf(dossier.Invalid, "%s: %q is not a column of %s; they are %s.",
				b.file, h, kind, strings.Join(columns[kind].all, ", "))
		}
	}
	for {
		fields, err := r.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if bad, ok := errors.AsType[*csv.ParseError](err); ok {
			b.problem(kind, bad.Line, "The quotes of this row do not match.")
			continue
		}
		if err != nil {
			return fmt.Errorf("read %s: %w", b.file, err)
		}
		line, _ := r.FieldPos(0)
		if len(fields) != len(header) {
			b.problem(kind, line, "This row has %d fields; the header has %d.", len(fields), len(header))
			continue
		}
		rec := row{}
		for i, f := range fields {
			rec[header[i]] = strings.TrimSpace(f)
		}
		b.take(kind, line, rec)
	}
}

// json takes a list of records of one kind, or an object with a list for each.
func (b *reader) json(text []byte, kind Kind) error {
	d := &lines{dec: json.NewDecoder(bytes.NewReader(text)), text: text}
	open, err := d.dec.Token()
	if err != nil {
		return b.notJSON(d, err)
	}
	if open == json.Delim('[') {
		if kind == "" {
			var ok bool
			if kind, ok = KindOf(b.file); !ok {
				return unknownKind(b.file)
			}
		}
		return b.list(d, kind)
	}
	for d.dec.More() {
		key, err := d.dec.Token()
		if err != nil {
			return b.notJSON(d, err)
		}
		k := Kind(fmt.Sprint(key))
		if !slices.Contains(Kinds, k) {
			return dossier.Errorf(dossier.Invalid, "%s: there is no kind of record %q; there are %s.", b.file, k, kinds())
		}
		if open, err := d.dec.Token(); err != nil || open != json.Delim('[') {
			return dossier.Errorf(dossier.Invalid, "%s: %s must be a list.", b.file, k).Because(err)
		}
		if err := b.list(d, k); err != nil {
			return err
		}
	}
	return nil
}

func (b *reader) list(d *lines, kind Kind) error {
	for d.dec.More() {
		line := d.here()
		var fields map[string]json.RawMessage
		if err := d.dec.Decode(&fields); err != nil {
			if _, wrong := errors.AsType[*json.UnmarshalTypeError](err); wrong {
				b.problem(kind, line, "This is not an object.")
				continue
			}
			return b.notJSON(d, err)
		}
		rec, err := flat(kind, fields)
		if err != nil {
			b.problem(kind, line, "%s", dossier.Message(err))
			continue
		}
		b.take(kind, line, rec)
	}
	_, err := d.dec.Token()
	if err != nil {
		return b.notJSON(d, err)
	}
	return nil
}

// notJSON says where a file stops being JSON.
func (b *reader) notJSON(d *lines, err error) error {
	line := d.here()
	if bad, ok := errors.AsType[*json.SyntaxError](err); ok {
		line = 1 + bytes.Count(d.text[:min(int(bad.Offset), len(d.text))], []byte("\n"))
	}
	return dossier.Errorf(dossier.Invalid, "%s is not JSON: it breaks off or goes wrong at line %d. Mend it and import it again.", b.file, line).Because(err)
}

// flat turns an object's texts and numbers into a row.
func flat(kind Kind, fields map[string]json.RawMessage) (row, error) {
	out := row{}
	for name, raw := range fields {
		if !slices.Contains(columns[kind].all, name) {
			return nil, dossier.Errorf(dossier.Invalid, "%q is not a field of %s; they are %s.", name, kind, strings.Join(columns[kind].all, ", "))
		}
		var text string
		var number json.Number
		switch {
		case string(raw) == "null":
		case json.Unmarshal(raw, &text) == nil:
			out[name] = strings.TrimSpace(text)
		case json.Unmarshal(raw, &number) == nil:
			out[name] = number.String()
		default:
			return nil, dossier.Errorf(dossier.Invalid, "%s must be a text or a number.", name)
		}
	}
	return out, nil
}

// lines knows the line that a JSON decoder has come to.
type lines struct {
	dec  *json.Decoder
	text []byte
	at   int // offset up to which newlines are counted
	line int // newlines before at
}

func (l *lines) here() int {
	end := int(l.dec.InputOffset())
	for end < len(l.text) && strings.IndexByte(" \t\r\n,", l.text[end]) >= 0 {
		end++
	}
	l.line += bytes.Count(l.text[l.at:end], []byte("\n"))
	l.at = end
	return l.line + 1
}

// WriteCSV writes the records of one kind as Read takes them.
func (b Book) WriteCSV(w io.Writer, kind Kind) error {
	out := csv.NewWriter(w)
	if err := out.Write(columns[kind].all); err != nil {
		return fmt.Errorf("write %s: %w", kind, err)
	}
	for _, r := range b.rows(kind) {
		fields := make([]string, len(columns[kind].all))
		for i, c := range columns[kind].all {
			fields[i] = r[c]
		}
		if err := out.Write(fields); err != nil {
			return fmt.Errorf("write %s: %w", kind, err)
		}
	}
	out.Flush()
	return out.Error()
}

// numeric are the columns that hold numbers.
var numeric = []string{"lat", "lng", "home_lat", "home_lng", "pickup_lat", "pickup_lng", "seats", "cycle_days"}

// MarshalJSON writes the whole book as one object that Read takes.
func (b Book) MarshalJSON() ([]byte, error) {
	all := map[Kind][]map[string]json.RawMessage{}
	for _, k := range Kinds {
		for _, r := range b.rows(k) {
			fields := map[string]json.RawMessage{}
			for name, text := range r {
				if slices.Contains(numeric, name) {
					fields[name] = json.RawMessage(text)
					continue
				}
				raw, err := json.Marshal(text)
				if err != nil {
					return nil, fmt.Errorf("write %s of %s: %w", name, k, err)
				}
				fields[name] = raw
			}
			all[k] = append(all[k], fields)
		}
	}
	return json.Marshal(all)
}

// rows returns the records of one kind as text, without empty fields.
func (b Book) rows(kind Kind) []row {
	var out []row
	add := func(fields ...string) {
		r := row{}
		for i, c := range columns[kind].all {
			if fields[i] != "" {
				r[c] = fields[i]
			}
		}
		out = append(out, r)
	}
	switch kind {
	case "shifts":
		for _, s := range b.Shifts {
			add(s.ID, s.Name, s.Zone, s.Schedule, count(s.Cycle), date(s.Anchor))
		}
	case "zips":
		for _, c := range b.ZIPs {
			add(c.ZIP, degrees(c.At.Lat), degrees(c.At.Lon))
		}
	case "employees":
		for _, e := range b.Employees {
			var lat, lng string
			if e.Home != nil {
				lat, lng = degrees(e.Home.Lat), degrees(e.Home.Lon)
			}
			add(e.ID, e.Name, e.Email, e.Address, e.ZIP, lat, lng, e.Site, e.Shift)
		}
	case "pto":
		for _, l := range b.PTO {
			add(l.Employee, date(l.From), date(l.To))
		}
	case "vanpools":
		for _, v := range b.Vanpools {
			add(v.ID, v.Name, v.Site, degrees(v.Pickup.Lat), degrees(v.Pickup.Lon), v.Place, count(v.Seats))
		}
	case "riders":
		for _, r := range b.Riders {
			add(r.Vanpool, r.Employee, date(r.Since))
		}
	}
	return out
}

func degrees(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

func count(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

func date(d Day) string {
	if d == 0 {
		return ""
	}
	return d.String()
}
