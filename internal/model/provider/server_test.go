package provider

import (
	"strings"
	"testing"

	"dossier/internal/eval"
)

// TestServer tells two addresses of one model apart without giving them away.
func TestServer(t *testing.T) {
	t.Parallel()
	at := func(url string) string {
		m, err := New(t.Context(), Config{Provider: "openai", Model: "m", BaseURL: url, Key: "none"})
		if err != nil {
			t.Fatal(err)
		}
		return eval.Player{Model: m}.Server()
	}
	one, two := at("http://one.example/v1"), at("http://two.example/v1")
	if at("") != "" || one == two || one != at("http://one.example/v1") || !strings.HasPrefix(one, "server:") || strings.Contains(one, "example") {
		t.Errorf("got %q and %q, and %q for the vendor's own", one, two, at(""))
	}
}
