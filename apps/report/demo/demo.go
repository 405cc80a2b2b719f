// Package demo holds a small run folder that was made up for trials, with the outline
// and the map that go with it. Its emission reductions by sector are the published
// figures of the design's example; everything else is invented and only shaped like
// a real run. Write puts a copy on disk, where the app reads it as it would any run.
package demo

import (
	"embed"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

//go:embed outline.md section_chart_map.json all:run
var files embed.FS

// Write copies the demo into dir: outline.md, section_chart_map.json and run/. Files
// that are there already stay as they are.
func Write(dir string) error {
	return fs.WalkDir(files, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return fmt.Errorf("demo files: %w", err)
		}
		to := filepath.Join(dir, filepath.FromSlash(name))
		if d.IsDir() {
			return os.MkdirAll(to, 0o755)
		}
		if _, err := os.Stat(to); err == nil {
			return nil
		}
		data, err := files.ReadFile(name)
		if err != nil {
			return fmt.Errorf("demo files: %w", err)
		}
		return os.WriteFile(to, data, 0o644)
	})
}
