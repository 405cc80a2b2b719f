package api

import (
	"bytes"
	"flag"
	"os"
	"testing"
)

var update = flag.Bool("update", false, "rewrite openapi.yaml")

// TestOpenAPI holds the document of the core's operations to the committed one.
func TestOpenAPI(t *testing.T) {
	t.Parallel()
	got, err := New(Config{Version: "1"}).OpenAPI().YAML()
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile("openapi.yaml", got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile("openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Error("openapi.yaml is not what the code says; run: go test ./internal/api -run OpenAPI -update")
	}
}
