package web_test

import (
	"io/fs"
	"strings"
	"testing"

	"dossier/web"
)

func TestFiles(t *testing.T) {
	t.Parallel()
	page, err := fs.ReadFile(web.Files(), "index.html")
	if err != nil {
		t.Fatalf("the console has no page: %v", err)
	}
	text := string(page)
	if !web.Built() {
		if !strings.Contains(text, "make web") {
			t.Errorf("the placeholder does not say how to build the console:\n%s", text)
		}
		return
	}
	if !strings.Contains(text, `<div id="root">`) {
		t.Errorf("index.html is not the built page:\n%s", text)
	}
	if strings.Contains(text, "<style") || strings.Contains(text, "<script>") {
		t.Errorf("the page holds inline code, which the content security policy refuses:\n%s", text)
	}
	for _, ref := range strings.Split(text, `"/`)[1:] {
		name, _, _ := strings.Cut(ref, `"`)
		if _, err := fs.Stat(web.Files(), name); err != nil {
			t.Errorf("the page names %s, which is not there: %v", name, err)
		}
	}
}
