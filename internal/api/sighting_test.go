package api

import (
	"net/http/httptest"
	"testing"
)

func TestLogRepeatsNoAddress(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{
		"/risk-score/9876543210": "/…", "/cases/CASE-1/why": "/cases", "/assets/index-1.js": "/assets/index-1.js", "/": "/", "/someone@example.org": "/…",
	} {
		if got := (&sighting{}).of(httptest.NewRequest("GET", path, nil)); got != want {
			t.Errorf("%s is logged as %s, want %s", path, got, want)
		}
	}
	if got := (&sighting{path: "/risk-score/{district}"}).of(httptest.NewRequest("GET", "/risk-score/9876543210", nil)); got != "/risk-score/{district}" {
		t.Errorf("an operation is logged as %s", got)
	}
}
