package writer

import (
	"fmt"
	"unicode"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"

	"dossier"
	"dossier/apps/report/catalog"
)

// wellFormed refuses a draft that cannot be checked or shown: one with digits that the
// checks do not read, or with a picture that is none of the run's charts.
func wellFormed(content string, c *catalog.Catalog) error {
	if odd := oddDigit(content); odd != 0 {
		return dossier.Errorf(dossier.Invalid, "The draft is not kept. Write numbers with the digits 0 to 9; “%c” cannot be checked.", odd)
	}
	source := []byte(content)
	var wrong error
	_ = ast.Walk(goldmark.DefaultParser().Parse(text.NewReader(source)), func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		img, ok := n.(*ast.Image)
		if !ok || !entering || pictured(string(img.Destination), c) {
			return ast.WalkContinue, nil
		}
		wrong = dossier.Errorf(dossier.Invalid, "The draft is not kept. It shows %q, which is no picture of this run; use a chart's path_png or chart: and its id.", fmt.Sprintf("%.200s", img.Destination))
		return ast.WalkStop, nil
	})
	return wrong
}

// pictured reports whether a picture's target is a chart of the run.
func pictured(target string, c *catalog.Catalog) bool {
	for i := range c.Charts {
		if ch := &c.Charts[i]; target == "chart:"+ch.ID || ch.PNG != "" && target == ch.PNG {
			return true
		}
	}
	return false
}

// oddDigit returns the first digit, fraction or numeral sign of another script or form,
// 0 if there is none. Raised and lowered digits after a letter, as in CO₂ and m², are
// parts of names.
func oddDigit(content string) rune {
	before := ' '
	for _, r := range content {
		small := r >= '₀' && r <= '₉' || r >= '⁰' && r <= '⁹' || r == '¹' || r == '²' || r == '³'
		if r > unicode.MaxASCII && unicode.IsNumber(r) && (!small || !unicode.IsLetter(before)) {
			return r
		}
		if !small && r != '⁻' { // kWh⁻¹
			before = r
		}
	}
	return 0
}
