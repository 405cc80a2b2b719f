package report

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"dossier"
	demodata "dossier/apps/report/demo"
)

// demoReport is the ID of the report that the demo loads.
const demoReport = "demo"

// demo puts a made-up run folder on disk, stores its outline as a report and has
// every section drafted. Loading it again changes nothing.
func (o *office) demo(ctx context.Context) error {
	dir := filepath.Join(o.cfg.Root, demoReport)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("demo folder: %w", err)
	}
	if err := demodata.Write(dir); err != nil {
		return err
	}
	if _, err := o.book.report(ctx, demoReport); dossier.KindOf(err) != dossier.NotFound {
		return err
	}
	source, err := os.ReadFile(filepath.Join(dir, "outline.md"))
	if err != nil {
		return fmt.Errorf("demo outline: %w", err)
	}
	chartMap, err := os.ReadFile(filepath.Join(dir, "section_chart_map.json"))
	if err != nil {
		return fmt.Errorf("demo map: %w", err)
	}
	if _, err := o.create(ctx, demoReport, "Energy projections (demo)", filepath.Join(demoReport, "run"), source, chartMap); err != nil {
		return err
	}
	_, err = o.start(ctx, demoReport, nil, dossier.SystemPrincipal)
	return err
}
