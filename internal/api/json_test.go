package api

import (
	"encoding/base64"
	"net/http"
	"strings"
	"testing"

	"dossier"
)

// TestWrongJSONIsPlaced: whoever sends a body that cannot be read is told where it goes
// wrong, and gets nothing of it back.
func TestWrongJSONIsPlaced(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	for _, c := range []struct {
		body, want string
		status     int
	}{
		{`{"url": "https://x.test`, "body is not JSON at line 1, column 23: unexpected end of JSON input", 400},
		{"{\n  \"url\": secret\n}", "body is not JSON at line 2, column 10: invalid character 's' looking for beginning of value", 400},
		{`{"url": "https://x.test"} {}`, "body is not JSON at line 1, column 27", 400},
		{`{"url": 7}`, "body.url expected string", 422},
		{`{"url": "https://x.test", "kinds": ["a", 7]}`, "body.kinds[1] expected string", 422},
		{`{"adress": "https://x.test"}`, "body.adress unexpected property", 422},
		{`{"url": "https://x.test/a\u0000b"}`, `body holds a character that cannot be stored (\u0000) at line 1, column 26`, 400},
		{`{"url": "https://x.test", "kinds": ["\\\u0000"]}`, "column 40", 400},
		{`{}`, "expected required property url to be present", 422},
	} {
		msg := h.do("admin", http.MethodPost, "/api/v1/webhooks", "Content-Type: application/json", []byte(c.body)).problem(c.status, dossier.Invalid)
		if !strings.Contains(msg, c.want) || strings.Contains(msg, "secret") {
			t.Errorf("%s\ngot  %s\nwant %s", c.body, msg, c.want)
		}
	}
	var v struct {
		Part struct {
			N int8 `json:"n"`
		} `json:"part"`
	}
	if err := readJSON([]byte(`{"part": {"n": 1000}}`), &v); err == nil || err.Error() != "cannot hold the number 1000 at part.n" {
		t.Errorf("a number that is too large: %v", err)
	}
	if line, column := place(nil, 0); line != 1 || column != 1 {
		t.Errorf("nothing at all goes wrong at %d:%d", line, column)
	}
}

// TestOnlyTextIsKept: what no database or only one of them keeps is refused in the same
// words on both, whichever way it comes.
func TestOnlyTextIsKept(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	for _, path := range []string{
		"/api/v1/cases?subject=a%00", "/api/v1/cases?q=%ff", "/api/v1/cases/%ff", "/api/v1/approvals/a%00b", "/api/v1/approvals?view=all&by=%fe",
	} {
		if msg := h.do("admin", http.MethodGet, path).problem(422, dossier.Invalid); !strings.Contains(msg, "no text") {
			t.Errorf("%s: told %q", path, msg)
		}
	}
	h.do("admin", http.MethodPost, "/api/v1/tokens", "Idempotency-Key: \xff", map[string]any{"name": "x", "roles": []string{"admin"}}).problem(422, dossier.Invalid)
	for _, place := range []string{"1 \xff", "1 a\x00"} {
		after := base64.RawURLEncoding.EncodeToString([]byte(place))
		h.do("admin", http.MethodGet, "/api/v1/cases?after="+after).problem(422, dossier.Invalid)
	}
	var added AddedUser
	h.do("admin", http.MethodPost, "/api/v1/users", "Content-Type: application/json",
		[]byte(`{"name": "odd", "display": "back\\u0000slash", "roles": [], "password": "a good password"}`)).want(201, &added)
	if added.Display != `back\u0000slash` {
		t.Errorf("a backslash before u0000 became %q", added.Display)
	}
}
