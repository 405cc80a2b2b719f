package app

import (
	"maps"
	"strings"
	"testing"

	"dossier"
)

// TestRoles holds that a role's name says whose it is.
func TestRoles(t *testing.T) {
	t.Parallel()
	desk := App{ID: "desk", Roles: map[dossier.Role]string{"clerk": "Writes.", "chief": "Decides."}}
	t.Run("all of them", func(t *testing.T) {
		t.Parallel()
		got, err := Roles([]App{desk, {ID: "gate", Roles: map[dossier.Role]string{"guard": "Scans."}}})
		want := map[dossier.Role]string{"clerk": "Writes.", "chief": "Decides.", "guard": "Scans."}
		if err != nil || !maps.Equal(got, want) {
			t.Errorf("got %v, %v; want %v", got, err, want)
		}
	})
	t.Run("two apps", func(t *testing.T) {
		t.Parallel()
		_, err := Roles([]App{desk, {ID: "gate", Roles: map[dossier.Role]string{"clerk": "Scans."}}})
		if want := `app gate: role "clerk" belongs to app desk`; err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	})
	for _, r := range []dossier.Role{"admin", "auditor", "system", "public", "own", "reader", "member"} {
		t.Run("the core's "+string(r), func(t *testing.T) {
			t.Parallel()
			_, err := Roles([]App{{ID: "gate", Roles: map[dossier.Role]string{r: "Scans."}}})
			if err == nil || !strings.Contains(err.Error(), "is the core's") {
				t.Errorf("got %v", err)
			}
		})
	}
}
