package storetest

import (
	"errors"
	"sync"
	"testing"
	"time"

	"dossier"
	"dossier/internal/auth"
	"dossier/internal/store"

	"github.com/google/go-cmp/cmp"
)

func addUser(t *testing.T, s *store.Store, c *Clock, name string) auth.User {
	t.Helper()
	u := auth.User{
		ID: "user-" + name, Name: name, Display: "The " + name, Mail: name + "@example.org", Roles: []dossier.Role{"hr"},
		Password: "argon2id", Created: c.Now(), Version: 1,
	}
	if err := s.CreateUser(t.Context(), u); err != nil {
		t.Fatal(err)
	}
	return u
}

func testUsers(t *testing.T, s *store.Store, c *Clock) {
	ctx := t.Context()
	ann := addUser(t, s, c, "ann")
	if err := s.CreateUser(ctx, auth.User{ID: "user-2", Name: "ann"}); !errors.Is(err, dossier.Conflict) {
		t.Errorf("a taken name: %v", err)
	}
	got, err := s.UserByName(ctx, "ann")
	if diff := cmp.Diff(ann, got); err != nil || diff != "" {
		t.Errorf("%v %s", err, diff)
	}
	ann.Roles, ann.Disabled, ann.Issuer, ann.Subject = []dossier.Role{"hr", dossier.Admin}, true, "https://id.example.org", "42"
	if err := s.UpdateUser(ctx, ann); err != nil {
		t.Fatal(err)
	}
	if err := s.UpdateUser(ctx, ann); !errors.Is(err, dossier.Conflict) {
		t.Errorf("a stale version: %v", err)
	}
	if err := s.UpdateUser(ctx, auth.User{ID: "user-none"}); !errors.Is(err, dossier.NotFound) {
		t.Errorf("an unknown user: %v", err)
	}
	ann.Version = 2
	got, err = s.UserBySubject(ctx, "https://id.example.org", "42")
	if diff := cmp.Diff(ann, got); err != nil || diff != "" {
		t.Errorf("%v %s", err, diff)
	}
	if err := s.CreateUser(ctx, auth.User{ID: "user-3", Name: "eve", Issuer: ann.Issuer, Subject: "42"}); !errors.Is(err, dossier.Conflict) {
		t.Errorf("a taken subject: %v", err)
	}
	addUser(t, s, c, "aaron")
	if all, err := s.Users(ctx); err != nil || len(all) != 2 || all[0].Name != "aaron" {
		t.Errorf("%+v %v", all, err)
	}
	if _, err := s.UserBySubject(ctx, "", ""); !errors.Is(err, dossier.NotFound) {
		t.Errorf("no issuer: %v", err)
	}
}

func testSessions(t *testing.T, s *store.Store, c *Clock) {
	ctx := t.Context()
	ann := addUser(t, s, c, "ann")
	for _, h := range []string{"h1", "h2", "h3"} {
		if err := s.CreateSession(ctx, auth.Session{Hash: h, User: ann.ID, Agent: "Firefox", Created: c.Now(), Seen: c.Now(), Expires: c.Now().Add(time.Hour)}); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.TouchSession(ctx, "h1", c.Now().Add(time.Minute), c.Now().Add(2*time.Hour)); err != nil {
		t.Fatal(err)
	}
	x, u, err := s.Session(ctx, "h1")
	if err != nil || u.Name != "ann" || u.Roles[0] != "hr" || x.Agent != "Firefox" || !x.Expires.Equal(c.Now().Add(2*time.Hour)) {
		t.Errorf("%+v %+v %v", x, u, err)
	}
	gone := func(hash string) bool {
		_, _, err := s.Session(ctx, hash)
		return errors.Is(err, dossier.NotFound)
	}
	if err := s.EndSessions(ctx, ann.ID, "h1"); err != nil || gone("h1") || !gone("h2") || !gone("h3") {
		t.Errorf("ended: %v", err)
	}
	if err := s.DropSessions(ctx, c.Now().Add(3*time.Hour)); err != nil || !gone("h1") {
		t.Errorf("dropped: %v", err)
	}
	tok := auth.Token{ID: "tok-1", Hash: "th", Hint: "…ab", User: ann.ID, Name: "gate", Roles: []dossier.Role{"hr"}, Created: c.Now()}
	if err := s.CreateToken(ctx, tok); err != nil {
		t.Fatal(err)
	}
	if err := s.TouchToken(ctx, "th", c.Now()); err != nil {
		t.Fatal(err)
	}
	tok.Used = c.Now()
	got, u, err := s.Token(ctx, "th")
	if diff := cmp.Diff(tok, got); err != nil || diff != "" || u.ID != ann.ID {
		t.Errorf("%v %s", err, diff)
	}
	if err := s.RevokeToken(ctx, "tok-1", "user-eve", c.Now()); !errors.Is(err, dossier.NotFound) {
		t.Errorf("another's token: %v", err)
	}
	if err := s.RevokeToken(ctx, "tok-1", ann.ID, c.Now()); err != nil {
		t.Error(err)
	}
	if err := s.RevokeToken(ctx, "tok-1", "", c.Now()); !errors.Is(err, dossier.NotFound) {
		t.Errorf("revoked twice: %v", err)
	}
	if all, err := s.Tokens(ctx, ""); err != nil || len(all) != 1 || !all[0].Revoked.Equal(c.Now()) {
		t.Errorf("%+v %v", all, err)
	}
}

func testLinks(t *testing.T, s *store.Store, c *Clock) {
	ctx := t.Context()
	l := auth.Link{Hash: "l1", Roles: []dossier.Role{dossier.Admin}, Created: c.Now(), Expires: c.Now().Add(time.Hour)}
	if err := s.CreateLink(ctx, l); err != nil {
		t.Fatal(err)
	}
	errs := make([]error, 8)
	var wg sync.WaitGroup
	for i := range errs { // used once, however many open it
		wg.Go(func() { errs[i] = s.UseLink(ctx, "l1", c.Now()) })
	}
	wg.Wait()
	used := 0
	for _, err := range errs {
		if err == nil {
			used++
		} else if !errors.Is(err, dossier.Conflict) {
			t.Error(err)
		}
	}
	l.Used = c.Now()
	got, err := s.Link(ctx, "l1")
	if diff := cmp.Diff(l, got); used != 1 || err != nil || diff != "" {
		t.Errorf("used %d times: %v %s", used, err, diff)
	}
	if err := s.UseLink(ctx, "none", c.Now()); !errors.Is(err, dossier.NotFound) {
		t.Errorf("no link: %v", err)
	}
	for range 3 {
		if err := s.AddAttempt(ctx, "ann", c.Now()); err != nil {
			t.Fatal(err)
		}
	}
	count := func(since time.Time) int {
		n, err := s.Attempts(ctx, "ann", since)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	if count(c.Now()) != 3 || count(c.Now().Add(time.Second)) != 0 {
		t.Errorf("counted %d and %d", count(c.Now()), count(c.Now().Add(time.Second)))
	}
	if err := s.DropAttempts(ctx, c.Now()); err != nil || count(c.Now()) != 3 {
		t.Errorf("dropped too many: %v", err)
	}
	if err := s.ClearAttempts(ctx, "ann"); err != nil || count(c.Now()) != 0 {
		t.Errorf("not cleared: %v", err)
	}
}
