package sqldb

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// toArgs turns values into what both databases store: JSON as text, a time as
// microseconds since 1970, true as 1.
func toArgs(args []any) []any {
	for i, a := range args {
		switch v := a.(type) {
		case json.RawMessage:
			args[i] = string(v)
		case time.Time:
			args[i] = Micros(v)
		case bool:
			n := int64(0)
			if v {
				n = 1
			}
			args[i] = n
		}
	}
	return args
}

// toDest wraps destinations whose type is not that of the column.
func toDest(dest []any) []any {
	for i, d := range dest {
		switch v := d.(type) {
		case *json.RawMessage:
			dest[i] = (*jsonDest)(v)
		case *time.Time:
			dest[i] = (*timeDest)(v)
		case *bool:
			dest[i] = (*boolDest)(v)
		}
	}
	return dest
}

// Micros returns t as it is stored. The zero time is 0.
func Micros(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMicro()
}

// Time returns the time that is stored as n.
func Time(n int64) time.Time {
	if n == 0 {
		return time.Time{}
	}
	return time.UnixMicro(n).UTC()
}

type (
	jsonDest json.RawMessage
	timeDest time.Time
	boolDest bool
)

// Scan implements sql.Scanner. Empty text is no JSON.
func (d *jsonDest) Scan(src any) error {
	switch v := src.(type) {
	case string:
		*d = jsonDest(v)
	case []byte:
		*d = append(jsonDest(nil), v...)
	case nil:
		*d = nil
	default:
		return fmt.Errorf("scan %T into JSON", src)
	}
	if len(*d) == 0 {
		*d = nil
	}
	return nil
}

// Scan implements sql.Scanner.
func (d *timeDest) Scan(src any) error {
	n, ok := src.(int64)
	if !ok && src != nil {
		return fmt.Errorf("scan %T into a time", src)
	}
	*d = timeDest(Time(n))
	return nil
}

// Scan implements sql.Scanner.
func (d *boolDest) Scan(src any) error {
	n, ok := src.(int64)
	if !ok {
		return fmt.Errorf("scan %T into a bool", src)
	}
	*d = n != 0
	return nil
}

// reads reports whether a query can run on a connection that only reads.
func reads(query string) bool {
	q := strings.TrimLeft(query, " \t\r\n")
	return len(q) >= 6 && strings.EqualFold(q[:6], "SELECT") && !strings.HasSuffix(q, "LOCKED") &&
		!strings.HasSuffix(q, " FOR UPDATE")
}
