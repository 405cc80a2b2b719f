// Package web holds the console: the pages that people use in a browser, built from
// the TypeScript beside this file and embedded into the binary. [Files] is what a
// server serves. Without Node nothing is built, and a placeholder page in its place
// says how to build it; the package never talks to the API, which the browser does.
package web

import (
	"embed"
	"io/fs"
)

//go:embed all:dist
var dist embed.FS

// built is the page that the build writes beside the placeholder, so that building
// changes no committed file.
const built = "console.html"

// Built reports whether the console was built into this binary.
func Built() bool {
	_, err := fs.Stat(dist, "dist/"+built)
	return err == nil
}

// Files returns the console with its page as index.html: the built one, or the
// placeholder.
func Files() fs.FS {
	sub, err := fs.Sub(dist, "dist")
	if err != nil {
		panic("web: " + err.Error())
	}
	if !Built() {
		return sub
	}
	return console{sub}
}

// A console is the built files, in which the built page takes the placeholder's name.
type console struct{ fs.FS }

func (c console) Open(name string) (fs.File, error) {
	if name == "index.html" {
		name = built
	}
	return c.FS.Open(name)
}
