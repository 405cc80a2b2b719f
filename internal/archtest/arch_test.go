// Package archtest enforces who may import whom. The table is the architecture:
// a package that is not in it fails until someone decides where it belongs.
package archtest

import (
	"encoding/json"
	"os/exec"
	"path"
	"slices"
	"strings"
	"testing"
)

const module = "dossier"

// A layer says what a package may import inside the module. In a pattern "*" is one
// path element and a final "/**" any number of them. "." is the root package.
type layer struct {
	pkg  string
	uses []string
}

// forApps is what an app, or a part of one, may lean on beside its own parts.
var forApps = []string{
	".", "internal/app", "internal/app/apptest", "internal/agent", "internal/eval", "internal/tool", "internal/model",
	"internal/geo", "internal/faith", "internal/db", "internal/mail", "internal/pdf", "internal/canon", "internal/edit",
}

// layers is read from the top; the first match counts.
var layers = []layer{
	{".", nil},
	{"web", nil},
	{"web/e2e/expire", nil},
	{"internal/archtest", nil},
	{"internal/geo", nil},
	{"internal/edit", nil},
	{"internal/db", []string{"."}},
	{"internal/records", []string{"."}},
	{"internal/webhook", []string{".", "internal/records"}},
	{"internal/canon", []string{"."}},
	{"internal/faith/*", []string{"."}},
	{"internal/faith", []string{".", "internal/faith/*"}},
	{"internal/trace", []string{"."}},
	{"internal/outbound", []string{"."}},
	{"internal/pdf", []string{"."}},
	{"internal/tool", []string{".", "internal/canon"}},
	{"internal/model", []string{"."}},
	{"internal/model/**", []string{".", "internal/model", "internal/model/*"}},
	{"internal/ledger", []string{".", "internal/agent", "internal/canon"}},
	{"internal/auth", []string{".", "internal/db"}},
	{"internal/auth/authtest", nil},
	{"internal/work", []string{".", "internal/db"}},
	{"internal/agent", []string{".", "internal/canon", "internal/model", "internal/tool", "internal/trace"}},
	{"internal/agent/agenttest", []string{".", "internal/canon", "internal/agent", "internal/model", "internal/tool"}},
	{"internal/approval", []string{".", "internal/agent", "internal/canon", "internal/tool", "internal/trace"}},
	{"internal/eval", []string{".", "internal/agent", "internal/agent/agenttest", "internal/canon", "internal/edit", "internal/model", "internal/tool"}},
	{"internal/eval/**", []string{".", "internal/agent", "internal/agent/agenttest", "internal/model", "internal/tool", "internal/eval", "internal/db"}},
	{"internal/app", []string{".", "internal/agent", "internal/db", "internal/eval", "internal/ledger", "internal/model", "internal/tool"}},
	{"internal/app/apptest", []string{"**"}}, // test support: it wires what the product wires
	{"internal/mail", []string{".", "internal/app", "internal/db", "internal/outbound"}},
	{"internal/mail/mailtest", nil}, // test support: a mailbox
	{"internal/store/sqldb", []string{".", "internal/db"}},
	{"internal/store", []string{".", "internal/store/sqldb", "internal/agent", "internal/app", "internal/approval", "internal/auth", "internal/canon", "internal/db", "internal/eval", "internal/ledger", "internal/records", "internal/work"}},
	{"internal/store/storetest", []string{".", "internal/agent", "internal/app", "internal/approval", "internal/auth", "internal/db", "internal/ledger", "internal/records", "internal/store", "internal/work"}},
	{"internal/desk", []string{".", "internal/agent", "internal/app", "internal/approval", "internal/canon", "internal/db", "internal/eval", "internal/records", "internal/store", "internal/work", "internal/model", "internal/tool"}},
	{"internal/scratch", []string{".", "internal/agent", "internal/app", "internal/approval", "internal/desk", "internal/eval", "internal/model", "internal/store", "internal/tool"}},
	{"internal/api", []string{".", "internal/agent", "internal/app", "internal/approval", "internal/auth", "internal/canon", "internal/db", "internal/eval", "internal/faith", "internal/ledger", "internal/model", "internal/records", "internal/tool", "internal/webhook", "web"}},
	{"internal/api/apitest", []string{".", "internal/app"}},
	{"internal/mcp", []string{".", "internal/agent", "internal/app", "internal/model", "internal/tool"}},
	{"apps", []string{"apps/*", "internal/app"}},
	{"internal/cli", []string{"**"}},
	{"cmd/*", []string{"apps", "internal/cli"}},
	{"bench/**", []string{"**"}},
}

func TestImports(t *testing.T) {
	t.Parallel()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-json=ImportPath,Imports", module+"/...").Output()
	if err != nil {
		t.Fatal(err)
	}
	for dec := json.NewDecoder(strings.NewReader(string(out))); dec.More(); {
		var p struct {
			ImportPath string
			Imports    []string
		}
		if err := dec.Decode(&p); err != nil {
			t.Fatal(err)
		}
		name := rel(p.ImportPath)
		uses, ok := allowed(name)
		if !ok {
			t.Errorf("%s is in no layer; add it to the table", name)
			continue
		}
		for _, imp := range p.Imports {
			if imp != module && !strings.HasPrefix(imp, module+"/") {
				continue
			}
			if !slices.ContainsFunc(uses, func(u string) bool { return match(u, rel(imp)) }) {
				t.Errorf("%s must not import %s", name, rel(imp))
			}
		}
	}
}

// allowed returns what the package may import, and false if it has no layer.
func allowed(name string) ([]string, bool) {
	if id, ok := strings.CutPrefix(name, "apps/"); ok {
		own, _, _ := strings.Cut(id, "/")
		return append([]string{"apps/" + own + "/**"}, forApps...), true
	}
	i := slices.IndexFunc(layers, func(l layer) bool { return match(l.pkg, name) })
	if i < 0 {
		return nil, false
	}
	return layers[i].uses, true
}

func TestAllowed(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		pkg, imp string
		want     bool
	}{
		{"apps/poolpatrol", "internal/store", false},
		{"apps/poolpatrol", "apps/netra", false},
		{"apps/poolpatrol", "apps/poolpatrol/replies", true},
		{"apps/poolpatrol/replies", "internal/api", false},
		{"internal/api", "internal/store", false},
		{"internal/tool", "internal/agent", false},
		{".", "internal/db", false},
	} {
		uses, _ := allowed(c.pkg)
		if got := slices.ContainsFunc(uses, func(u string) bool { return match(u, c.imp) }); got != c.want {
			t.Errorf("%s may import %s: got %v, want %v", c.pkg, c.imp, got, c.want)
		}
	}
}

func rel(importPath string) string {
	if importPath == module {
		return "."
	}
	return strings.TrimPrefix(importPath, module+"/")
}

func match(pattern, name string) bool {
	if pattern == "**" {
		return true
	}
	if base, ok := strings.CutSuffix(pattern, "/**"); ok {
		return strings.HasPrefix(name, base+"/") || name == base && strings.HasPrefix(base, "apps/")
	}
	ok, _ := path.Match(pattern, name)
	return ok
}
