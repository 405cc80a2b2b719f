package files

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"dossier"
	"dossier/apps/report/outline"
)

// beside is the folder for the artefacts of a report that is written to a file.
func beside(report string) string {
	return strings.TrimSuffix(report, filepath.Ext(report)) + ".artefacts"
}

// keepArtefacts writes what led to a section into a folder of its own.
func (g *generation) keepArtefacts(res result) error {
	dir := g.artefact
	if dir == "" {
		if g.output == "" {
			return nil
		}
		dir = beside(g.output)
	}
	dir = filepath.Join(dir, res.Section)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return dossier.Errorf(dossier.Unavailable, "The folder %q cannot be made.", dir).Because(err)
	}
	err := errors.Join(
		writeJSON(filepath.Join(dir, "calls.json"), res.calls), writeJSON(filepath.Join(dir, "checks.json"), res.Verdict),
		writeJSON(filepath.Join(dir, "usage.json"), res.Usage),
	)
	if err != nil {
		return err
	}
	for name, text := range map[string]string{"prompt.md": res.prompt, "draft.md": res.Text} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text+"\n"), 0o644); err != nil {
			return dossier.Errorf(dossier.Unavailable, "%q cannot be written.", filepath.Join(dir, name)).Because(err)
		}
	}
	return nil
}

// wroteBy returns who wrote the drafts of a report and with which version of the prompt,
// as the artefacts beside its file say. A draft that is not the one that was kept there
// was written by somebody else; "" means that nothing is known.
func wroteBy(file string, o *outline.Outline) (model, version string) {
	var models, versions []string
	for _, s := range o.Sections {
		dir := filepath.Join(beside(file), s.ID)
		kept, err := os.ReadFile(filepath.Join(dir, "draft.md"))
		if err != nil || s.Content == "" || strings.TrimSpace(string(kept)) != s.Content {
			continue
		}
		raw, err := os.ReadFile(filepath.Join(dir, "usage.json"))
		var u usage
		if err != nil || json.Unmarshal(raw, &u) != nil {
			continue
		}
		if !slices.Contains(models, u.Model) {
			models = append(models, u.Model)
		}
		if u.Prompt != "" && !slices.Contains(versions, u.Prompt) {
			versions = append(versions, u.Prompt)
		}
	}
	return strings.Join(models, ", "), strings.Join(versions, ", ")
}
