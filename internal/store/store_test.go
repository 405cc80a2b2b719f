package store_test

import (
	"testing"

	"dossier/internal/api"
	"dossier/internal/store"
	"dossier/internal/store/storetest"
)

var (
	_ api.Records = (*store.Store)(nil)
	_ api.Evals   = (*store.Store)(nil)
)

func TestStore(t *testing.T) {
	t.Parallel()
	for _, name := range storetest.Databases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			storetest.Run(t, func(t testing.TB) (*store.Store, *storetest.Clock) { return storetest.Open(t, name) })
		})
	}
}

// each runs a test on every database.
func each(t *testing.T, test func(t *testing.T, s *store.Store, c *storetest.Clock)) {
	t.Helper()
	for _, name := range storetest.Databases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, c := storetest.Open(t, name)
			test(t, s, c)
		})
	}
}
