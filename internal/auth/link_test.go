package auth_test

import (
	"errors"
	"slices"
	"strconv"
	"testing"
	"time"

	"dossier"
	"dossier/internal/auth"
)

func TestTheFirstAdminComesByLink(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	link, err := b.NewLink(t.Context(), "", []dossier.Role{dossier.Admin, dossier.Admin}, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := b.LinkURL(link), "https://dossier.test/welcome#"+string(link); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	w, err := b.OpenLink(t.Context(), link)
	if err != nil || !w.New || !slices.Equal(w.Roles, []dossier.Role{dossier.Admin}) {
		t.Fatalf("got %+v, %v", w, err)
	}
	_, err = b.UseLink(t.Context(), link, auth.Newcomer{Name: "ada", Password: "short"}, here)
	wantKind(t, err, dossier.Invalid)
	_, err = b.UseLink(t.Context(), link, auth.Newcomer{Name: "not a name!", Password: password}, here)
	wantKind(t, err, dossier.Invalid)
	in, err := b.UseLink(t.Context(), link, auth.Newcomer{Name: "ada", Password: password}, here)
	if err != nil {
		t.Fatalf("a refused try must not use the link up: %v", err)
	}
	if id, err := b.Identify(b.request(in)); err != nil || !slices.Equal(id.Roles, []dossier.Role{dossier.Admin}) {
		t.Fatalf("got %+v, %v", id, err)
	}
	_, err = b.UseLink(t.Context(), link, auth.Newcomer{Name: "eve", Password: password}, here)
	wantKind(t, err, dossier.NotFound)
	if _, err := b.SignIn(t.Context(), "ada", password, here); err != nil {
		t.Error(err)
	}
}

func TestALinkLetsSomeoneChooseANewPassword(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	u := b.user(t, "ines", "coordinator")
	old, err := b.SignIn(t.Context(), "ines", password, here)
	if err != nil {
		t.Fatal(err)
	}
	link, err := b.NewLink(t.Context(), u.ID, nil, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.UseLink(t.Context(), link, auth.Newcomer{Password: "another good one"}, here); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Identify(b.request(old)); !errors.Is(err, dossier.NotSignedIn) {
		t.Errorf("the old session still holds: %v", err)
	}
	_, err = b.SignIn(t.Context(), "ines", password, here)
	wantKind(t, err, dossier.NotSignedIn)
	if _, err := b.SignIn(t.Context(), "ines", "another good one", here); err != nil {
		t.Error(err)
	}
	link, err = b.NewLink(t.Context(), u.ID, nil, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	b.wait(time.Hour)
	_, err = b.UseLink(t.Context(), link, auth.Newcomer{}, here)
	wantKind(t, err, dossier.NotFound)
}

// TestAnOldLinkOpensNothing: a link that was sent before the password changed, or before
// access was taken away, lets nobody in afterwards; that of somebody else still does.
func TestAnOldLinkOpensNothing(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	admin := b.user(t, "ada", dossier.Admin)
	for name, change := range map[string]func(t *testing.T, u auth.User){
		"a password by another link": func(t *testing.T, u auth.User) {
			second := b.link(t, u.ID)
			if _, err := b.UseLink(t.Context(), second, auth.Newcomer{Password: "another good one"}, here); err != nil {
				t.Fatal(err)
			}
		},
		"a password by its owner": func(t *testing.T, u auth.User) {
			id := auth.Identity{Principal: dossier.Principal{ID: u.ID}}
			if err := b.ChangePassword(t.Context(), id, password, "another good one", here); err != nil {
				t.Fatal(err)
			}
		},
		"access taken and given back": func(t *testing.T, u auth.User) {
			for v, off := range []bool{true, false} {
				if _, err := b.ChangeUser(t.Context(), dossier.Principal{ID: admin.ID, Roles: admin.Roles}, u.ID, v+1, auth.UserChange{Disabled: &off}); err != nil {
					t.Fatal(err)
				}
				if off {
					_, err := b.NewLink(t.Context(), u.ID, nil, time.Hour)
					wantKind(t, err, dossier.Conflict)
				}
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			name := "user" + strconv.Itoa(len(name))
			u, other := b.user(t, name), b.user(t, name+"-other")
			old, theirs, invitation := b.link(t, u.ID), b.link(t, other.ID), b.link(t, "")
			change(t, u)
			_, err := b.UseLink(t.Context(), old, auth.Newcomer{}, here)
			wantKind(t, err, dossier.NotFound)
			if _, err := b.UseLink(t.Context(), theirs, auth.Newcomer{}, here); err != nil {
				t.Errorf("somebody else's link: %v", err)
			}
			if w, err := b.OpenLink(t.Context(), invitation); err != nil || !w.New {
				t.Errorf("an invitation: %+v, %v", w, err)
			}
		})
	}
}

func (b bench) link(t *testing.T, user string) auth.Secret {
	t.Helper()
	s, err := b.NewLink(t.Context(), user, nil, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	return s
}
