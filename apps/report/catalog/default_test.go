//go:build !duckdb

package catalog_test

import (
	"testing"

	"dossier/apps/report/catalog"
)

func TestDefaultBackend(t *testing.T) {
	t.Parallel()
	t.Run("R-062 R-064 memory", func(t *testing.T) {
		t.Parallel()
		b, err := catalog.NewBackend(t.Context(), demoRun(t))
		if err != nil || b.Name() != "memory" || catalog.HasSQL {
			t.Errorf("backend %v, %v", b, err)
		}
	})
}
