package counter

import (
	"crypto/ed25519"
	"strings"
	"testing"
	"time"

	"dossier"
)

func TestLink(t *testing.T) {
	t.Parallel()
	pub, priv, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	now := time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)
	link, err := Link("http://dossier.test", func(m []byte) []byte { return ed25519.Sign(priv, m) }, "THREAD-00000001", now)
	token, ok := strings.CutPrefix(link, "http://dossier.test/poolpatrol/counter/")
	if err != nil || !ok {
		t.Fatalf("got %s %v", link, err)
	}
	other, _, _ := ed25519.GenerateKey(nil)
	body, signature, _ := strings.Cut(token, ".")
	for name, c := range map[string]struct {
		key   ed25519.PublicKey
		token string
		at    time.Time
		why   string // "": it is taken
	}{
		"at once":                   {pub, token, now, ""},
		"on the sixtieth day":       {pub, token, now.Add(linkLasts), ""},
		"a second later":            {pub, token, now.Add(linkLasts + time.Second), "has expired"},
		"with somebody else's key":  {other, token, now, "is not valid"},
		"without a signature":       {pub, body, now, "is not valid"},
		"with another thread in it": {pub, "eyJ0IjoiVEhSRUFELTAwMDAwMDAyIiwieCI6OTk5OTk5OTk5OX0." + signature, now, "is not valid"},
		"that is nothing":           {pub, "", now, "is not valid"},
	} {
		thread, err := Thread(c.key, c.token, c.at)
		if (c.why == "") != (err == nil && thread == "THREAD-00000001") || err != nil && !strings.Contains(dossier.Message(err), c.why) {
			t.Errorf("a link %s: got %s %v, want %q", name, thread, err, c.why)
		}
	}
}

func FuzzThread(f *testing.F) {
	f.Add("eyJ0IjoiVEhSRUFELTAwMDAwMDAyIiwieCI6OTk5OTk5OTk5OX0.AAAA")
	f.Add(".")
	pub, _, _ := ed25519.GenerateKey(nil)
	f.Fuzz(func(t *testing.T, token string) {
		if thread, err := Thread(pub, token, time.Unix(0, 0)); err == nil {
			t.Errorf("%q opens %s", token, thread)
		}
	})
}

func TestEvidence(t *testing.T) {
	t.Parallel()
	now := time.Unix(0, 0)
	entry := func(id, kind, employee string) dossier.Evidence {
		e := dossier.NewEvidence(kind, dossier.Source{System: "roster", Locator: id}, map[string]string{"employee_id": employee}, "x")
		e.ID = dossier.EvidenceID(id)
		return e
	}
	chain := []dossier.Evidence{
		entry("ev-1", "employee_shift", "EMP-1006"), entry("ev-2", "employee_shift", "EMP-1007"), entry("ev-3", "distance_check", "EMP-1006"), entry("ev-4", "employee_shift", "EMP-1006"),
	}
	for about, want := range map[string]string{"shift": "ev-4", "location": "ev-3", "other": "ev-4 ev-3"} {
		var got []string
		for _, e := range (Fact{Employee: "EMP-1006", About: about}).Evidence(chain, now) {
			got = append(got, string(e.Supersedes))
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s contradicts %v, want %s", about, got, want)
		}
	}
	if got := (Fact{Employee: "EMP-1010", About: "shift"}).Evidence(chain, now); len(got) != 1 || got[0].Supersedes != "" {
		t.Errorf("about nothing on record: %+v", got)
	}
}
