package cli

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"dossier"
	"dossier/apps"
	"dossier/internal/auth"
)

// A command of an app acts for whoever --as names, and only if they have a part in it.
func TestAppCommandsActAs(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	l := &line{Terminal: Terminal{In: strings.NewReader(""), Out: &out, Err: &out, Env: func(string) string { return "" }}, apps: apps.All(), now: time.Now, data: t.TempDir()}
	p, err := l.product(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer p.close()
	for name, role := range map[string]dossier.Role{"meera": "investigator", "tomba": "officer", "chief": dossier.Admin, "looker": dossier.Auditor} {
		if _, err := p.auth.AddUser(t.Context(), auth.NewUser{Name: name, Roles: []dossier.Role{role}}); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		as   string
		want error
		who  dossier.Role
	}{
		{"", nil, "legal"},
		{"meera", nil, "investigator"},
		{"chief", nil, dossier.Admin},
		{"tomba", dossier.Forbidden, ""},
		{"looker", dossier.Forbidden, ""},
		{"nobody", dossier.NotFound, ""},
	} {
		l.as = c.as
		a, _ := p.app("airshed")
		cmd := &appCLI{line: l, app: a.App}
		_, _, err := cmd.Open(t.Context())
		if !errors.Is(err, c.want) {
			t.Errorf("%q: %v", c.as, err)
		}
		if who := cmd.As(); c.want == nil && (!who.Has(c.who) || c.as != "" && (len(who.Roles) != 1 || who.Name != c.as)) {
			t.Errorf("%q acts as %+v", c.as, who)
		}
	}
}
