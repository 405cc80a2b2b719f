package cli

import (
	"bytes"
	"flag"
	"os"
	"regexp"
	"testing"
)

var update = flag.Bool("update", false, "rewrite internal/api/openapi.yaml")

const committed = "../api/openapi.yaml"

var versionLine = regexp.MustCompile(`(?m)^  version: .*$`)

// TestOpenAPI holds the document of the whole product, its apps among it, to the
// committed one. A document that changed under the same version is not written: clients
// could not tell the two apart.
func TestOpenAPI(t *testing.T) {
	t.Parallel()
	_, p := opened(t)
	got, err := p.server().OpenAPI().YAML()
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile(committed)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Equal(got, want) {
		return
	}
	if !*update {
		t.Fatal("internal/api/openapi.yaml is not what the code says; raise documentVersion in internal/api/document.go and run: make generate")
	}
	if bytes.Equal(versionLine.Find(got), versionLine.Find(want)) {
		t.Fatal("The document changed under the same version. Raise documentVersion in internal/api/document.go and run this again.")
	}
	if err := os.WriteFile(committed, got, 0o644); err != nil {
		t.Fatal(err)
	}
}
