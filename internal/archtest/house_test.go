package archtest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The limits of the house. They bind the worst tenth of a codebase, which is where
// it goes wrong.
const (
	longestFunc    = 80
	longestFile    = 500
	largestPackage = 2600 // lines of production code; split by meaning before that
)

// large are packages that may be larger, each with its reason.
var large = map[string]string{
	"internal/cli":   "one file per command, and the wiring",
	"internal/api":   "one document: every resource is a small file of its own and they share one guard",
	"internal/store": "one type keeps what every package asks of a database; a file per noun",
}

// looseMaps are the packages that may use map[string]any: the edge to models and
// tools, where JSON of any shape passes through, and huma's document, whose
// extensions have that type, and what holds a tool's arguments to compare them.
var looseMaps = []string{"internal/model/", "internal/tool/", "internal/mcp/", "internal/api/", "internal/eval/", "apps/gatepass/evals/"}

// clocks are the packages that may ask what time it is, or look at the environment:
// the edge, and what only tests use.
var clocks = []string{"internal/cli/", "cmd/", "bench/", "internal/store/storetest/"}

var (
	unfinished = regexp.MustCompile(`(?i)\b(todo|fixme|xxx|not implemented|for now|hack)\b`)
	drawers    = regexp.MustCompile(`(?i)^(util|utils|common|helpers?|misc|shared|types)(\.go)?$`)
)

// sources calls fn for each Go file of the module, by its path from the root.
func sources(t *testing.T, fn func(path string, f *ast.File, set *token.FileSet, lines int)) {
	t.Helper()
	root := filepath.Join("..", "..")
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			switch d.Name() {
			case ".git", "node_modules", "testdata", "dist", ".cache", "bin":
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(path, ".go") {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		set := token.NewFileSet()
		f, err := parser.ParseFile(set, path, text, parser.ParseComments)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		fn(filepath.ToSlash(rel), f, set, strings.Count(string(text), "\n"))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestSizes(t *testing.T) {
	t.Parallel()
	packages := map[string]int{}
	sources(t, func(path string, f *ast.File, set *token.FileSet, lines int) {
		if strings.HasSuffix(path, "_test.go") {
			return
		}
		packages[filepath.Dir(path)] += lines
		if lines > longestFile {
			t.Errorf("%s has %d lines; the limit is %d", path, lines, longestFile)
		}
		for _, d := range f.Decls {
			fd, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			if n := set.Position(fd.End()).Line - set.Position(fd.Pos()).Line + 1; n > longestFunc {
				t.Errorf("%s: %s has %d lines; the limit is %d", path, fd.Name.Name, n, longestFunc)
			}
		}
	})
	for pkg, n := range packages {
		if n > largestPackage && large[filepath.ToSlash(pkg)] == "" {
			t.Errorf("package %s has %d lines; split it by meaning", pkg, n)
		}
	}
}

func TestHouseRules(t *testing.T) {
	t.Parallel()
	documented := map[string]bool{}
	seen := map[string]bool{}
	sources(t, func(path string, f *ast.File, set *token.FileSet, _ int) {
		dir := filepath.ToSlash(filepath.Dir(path))
		if drawers.MatchString(filepath.Base(path)) || drawers.MatchString(filepath.Base(dir)) {
			t.Errorf("%s is a drawer; name it after what it provides", path)
		}
		for _, g := range f.Comments {
			if m := unfinished.FindString(g.Text()); m != "" {
				t.Errorf("%s:%d says %q", path, set.Position(g.Pos()).Line, m)
			}
		}
		if strings.HasSuffix(path, "_test.go") {
			return
		}
		seen[dir] = true
		if f.Doc != nil && len(strings.Split(strings.TrimSpace(f.Doc.Text()), ".")) > 2 {
			documented[dir] = true
		}
		ast.Inspect(f, func(n ast.Node) bool {
			looseMap(t, path, set, n)
			wallClock(t, path, set, n)
			return true
		})
	})
	for dir := range seen {
		if !documented[dir] && !strings.HasPrefix(dir, "cmd") {
			t.Errorf("package %s has no package comment of at least three sentences", dir)
		}
	}
}

// looseMap reports a map[string]any outside the packages that may have one.
func looseMap(t *testing.T, path string, set *token.FileSet, n ast.Node) {
	m, ok := n.(*ast.MapType)
	if !ok || under(path, looseMaps) {
		return
	}
	key, _ := m.Key.(*ast.Ident)
	val, _ := m.Value.(*ast.Ident)
	if key != nil && val != nil && key.Name == "string" && val.Name == "any" {
		t.Errorf("%s:%d uses map[string]any; give it a type", path, set.Position(n.Pos()).Line)
	}
}

// wallClock reports a look at the clock or the environment outside the edge.
func wallClock(t *testing.T, path string, set *token.FileSet, n ast.Node) {
	sel, ok := n.(*ast.SelectorExpr)
	if !ok || under(path, clocks) {
		return
	}
	pkg, _ := sel.X.(*ast.Ident)
	if pkg == nil {
		return
	}
	switch pkg.Name + "." + sel.Sel.Name {
	case "time.Now", "time.Since", "time.Until", "os.Getenv", "fmt.Print", "fmt.Println", "fmt.Printf":
		t.Errorf("%s:%d uses %s.%s; it is handed in", path, set.Position(n.Pos()).Line, pkg.Name, sel.Sel.Name)
	}
}

func under(path string, roots []string) bool {
	for _, r := range roots {
		if strings.HasPrefix(path, r) {
			return true
		}
	}
	return false
}
