package poolpatrol

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"dossier"
	"dossier/apps/poolpatrol/outbox"
	"dossier/apps/poolpatrol/patrol"
	"dossier/internal/app/apptest"
	"dossier/internal/mail"
	"dossier/internal/store/storetest"
)

// posting is a programme whose mail goes the product's own way.
func posting(t *testing.T, o apptest.Options, c mail.Config) programme {
	t.Helper()
	p := start(t, o)
	out, err := mail.New(c, p.Env.DB, nil, p.Clock.Now, apptest.NewID)
	if err != nil {
		t.Fatal(err)
	}
	p.Env.Mail = out
	return p.rebuilt()
}

// rebuilt is p after its Env was changed.
func (p programme) rebuilt() programme {
	p.T.Helper()
	pat, err := patrol.New(p.Env, p.patrol.Config, prompt)
	if err != nil {
		p.T.Fatal(err)
	}
	if p.Kit, err = build(p.Env, pat.Config); err != nil {
		p.T.Fatal(err)
	}
	p.server = newServer(p.Env, pat)
	return p
}

// posted reads the whole outbox in pieces of n.
func (p programme) posted(state, n string) []outbox.Item {
	p.T.Helper()
	var all []outbox.Item
	for after := ""; ; {
		var page outbox.Page
		p.want(200, http.MethodGet, "/outbox?limit="+n+"&state="+state+"&after="+url.QueryEscape(after), nil, &page)
		all = append(all, page.Items...)
		if after = page.Next; after == "" {
			return all
		}
	}
}

func about(items []outbox.Item) []string {
	var out []string
	for _, it := range items {
		out = append(out, strings.Join([]string{string(it.State), it.Via, it.Employee, it.Kind}, " "))
	}
	return out
}

func TestOutbox(t *testing.T) {
	t.Parallel()
	for _, database := range storetest.Databases {
		t.Run("P-093 kept and held mail across cases, newest first, on "+database, func(t *testing.T) {
			t.Parallel()
			p := posting(t, apptest.Options{Database: database}, mail.Config{})
			first := p.audit("VP-102")
			p.Clock.Add(time.Minute)
			second := p.audit("VP-107")
			p.Clock.Add(time.Minute)
			p.reply("EMP-1031", "This is wrong, I dispute it.")
			p.Clock.Add(time.Minute)
			p.reply("EMP-1006", "What do you need from me?")
			whole := []string{"kept outbox EMP-1006 answer", "held  EMP-1031 answer", "kept outbox EMP-1031 initial", "kept outbox EMP-1006 initial"}
			for _, limit := range []string{"1", "2", "3", "50"} {
				if got := about(p.posted("", limit)); !slices.Equal(got, whole) {
					t.Errorf("in pieces of %s: got %q, want %q", limit, got, whole)
				}
			}
			got := p.posted("", "50")
			held, letter := got[1], got[3]
			if held.Case != second.Case || string(held.Approval) != held.ID || held.ID != string(p.Pending()[0].ID) || letter.Case != first.Case ||
				letter.Subject != "Your seat in VP-102: please check your shift" || letter.Approval != "" || !letter.At.Before(held.At) {
				t.Errorf("got %+v and %+v", held, letter)
			}
			if got := about(p.posted("held", "50")); !slices.Equal(got, whole[1:2]) {
				t.Errorf("held: got %q", got)
			}
			if got := p.posted("failed", "50"); len(got) != 0 {
				t.Errorf("failed: got %+v", got)
			}
			p.Clock.Add(time.Minute)
			p.Decide(p.Pending()[0].ID, dossier.Decision{Verb: dossier.Approve})
			if got := about(p.posted("", "50")); !slices.Equal(got, []string{"kept outbox EMP-1031 answer", whole[0], whole[2], whole[3]}) {
				t.Errorf("once it is approved: got %q", got)
			}
			_, answer := p.Call(http.MethodGet, base+"/outbox", nil, nil)
			if strings.Contains(answer, "@") || strings.Contains(answer, "/counter/") {
				t.Errorf("P11 an address or a rider's link is in %s", answer)
			}
		})
	}
	t.Run("P-093 mail that a carrier refused or will be offered again", func(t *testing.T) {
		t.Parallel()
		p := posting(t, apptest.Options{}, mail.Config{Via: "smtp", Host: "127.0.0.1", Port: 1, TLS: "none"})
		if _, err := p.Env.DB.Exec(t.Context(), `UPDATE poolpatrol_employees SET email = $1 WHERE id = $2`, "emp..1006@example.com", "EMP-1006"); err != nil {
			t.Fatal(err)
		}
		p.audit("VP-102")
		p.Clock.Add(time.Minute)
		p.audit("VP-107")
		got := p.posted("", "50")
		if want := []string{"queued smtp EMP-1031 initial", "failed smtp EMP-1006 initial"}; !slices.Equal(about(got), want) {
			t.Fatalf("got %q, want %q", about(got), want)
		}
		if !strings.Contains(got[0].Problem, "it is tried again") || !strings.Contains(got[1].Problem, "is not a list of addresses") || strings.Contains(got[1].Problem, "@") {
			t.Errorf("got %q and %q", got[0].Problem, got[1].Problem)
		}
	})
	t.Run("P11 who may look", func(t *testing.T) {
		t.Parallel()
		p := start(t, apptest.Options{})
		for _, r := range patrol.Readers {
			p.as(r).want(200, http.MethodGet, "/outbox", nil, nil)
		}
		p.as("rider").want(403, http.MethodGet, "/outbox", nil, nil)
		p.as(patrol.Inspector).want(422, http.MethodGet, "/outbox?state=lost", nil, nil)
		p.as(patrol.Inspector).want(422, http.MethodGet, "/outbox?after=nowhere", nil, nil)
	})
}
