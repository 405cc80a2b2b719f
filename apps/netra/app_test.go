package netra

import (
	"testing"

	"dossier/internal/app/apptest"
)

func TestApp(t *testing.T) {
	t.Parallel()
	apptest.Run(t, App)
}
