package archtest

import (
	"go/ast"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// proof matches what a line of docs/coverage names: a package with a colon behind it,
// a test, a script or a browser test.
var proof = regexp.MustCompile(`((?:apps|internal|cmd)/[\w/]+):|\b((?:Test|Fuzz|Benchmark)[A-Z]\w*)|\b(\w+\.txtar)|\b(\w+\.test\.tsx?)`)

// TestCoverageNamesWhatExists holds docs/coverage to the tests there are: a row that
// names a test which was renamed or moved proves nothing.
func TestCoverageNamesWhatExists(t *testing.T) {
	t.Parallel()
	tests := map[string][]string{} // by name, the packages that have it
	sources(t, func(path string, f *ast.File, _ *token.FileSet, _ int) {
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil {
				tests[fn.Name.Name] = append(tests[fn.Name.Name], filepath.ToSlash(filepath.Dir(strings.TrimPrefix(path, "../../"))))
			}
		}
	})
	files := map[string]bool{}
	for _, pattern := range []string{"cmd/dossier/testdata/script/*.txtar", "web/e2e/*.ts", "web/src/*.ts", "web/src/*/*.ts*", "web/src/*/*/*.ts*"} {
		found, err := filepath.Glob(filepath.Join("..", "..", pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range found {
			files[filepath.Base(name)] = true
		}
	}
	docs, err := filepath.Glob("../../docs/coverage/*.md")
	if err != nil || len(docs) < 8 {
		t.Fatalf("%d parts of the coverage, %v", len(docs), err)
	}
	named := 0
	for _, doc := range docs {
		text, err := os.ReadFile(doc)
		if err != nil {
			t.Fatal(err)
		}
		for n, line := range strings.Split(string(text), "\n") {
			pkg := ""
			for _, m := range proof.FindAllStringSubmatch(line, -1) {
				name, file := m[2], m[3]+m[4]
				switch {
				case m[1] != "":
					pkg = m[1]
					continue
				case file != "" && !files[file]:
					t.Errorf("%s:%d names %s, which is not there", filepath.Base(doc), n+1, file)
				case name != "" && !slices.ContainsFunc(tests[name], func(in string) bool { return strings.HasPrefix(in, pkg) }):
					t.Errorf("%s:%d names %s in %q; it is in %q", filepath.Base(doc), n+1, name, pkg, tests[name])
				}
				named++
			}
		}
	}
	if named < 900 {
		t.Errorf("only %d names were looked at", named)
	}
}
