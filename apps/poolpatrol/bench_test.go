package poolpatrol

import (
	"testing"

	"dossier/internal/app/apptest"
)

func TestApp(t *testing.T) {
	t.Parallel()
	apptest.Run(t, App)
}

func TestDemo(t *testing.T) {
	t.Parallel()
	b := apptest.Open(t, App, apptest.Options{})
	if err := b.Kit.Demo(t.Context()); err != nil {
		t.Fatal(err)
	}
	cs, err := b.Store.DB().Query(t.Context(), `SELECT subject, state, stage, outcome FROM cases ORDER BY subject`)
	if err != nil {
		t.Fatal(err)
	}
	defer cs.Close()
	for cs.Next() {
		var a, bb, c, d string
		_ = cs.Scan(&a, &bb, &c, &d)
		t.Log(a, bb, c, d)
	}
	for _, p := range b.Pending() {
		t.Log(p.Tool, p.Title, p.Why)
	}
	for _, m := range b.Mail.Sent() {
		t.Log(m.To, m.Subject)
	}
}
