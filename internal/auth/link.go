package auth

import (
	"context"
	"errors"
	"time"

	"dossier"
)

// A Welcome says who a link is for.
type Welcome struct {
	Name  string         `json:"name,omitempty"` // the user it signs in; "": a new user chooses one
	New   bool           `json:"new"`            // a name and a password must be chosen
	Roles []dossier.Role `json:"roles"`
}

// NewLink returns the secret of a one-time link that makes a user with roles, or
// signs in the user with the ID given. It holds for the time given. Links are opened
// at URL/welcome#secret: what stands after # never reaches a server's log.
func (a *Auth) NewLink(ctx context.Context, user string, roles []dossier.Role, lasts time.Duration) (Secret, error) {
	if user == "" {
		if err := a.checkRoles(roles); err != nil {
			return "", err
		}
	} else if u, err := a.cfg.Store.User(ctx, user); err != nil {
		return "", err
	} else if u.Disabled {
		return "", dossier.Errorf(dossier.Conflict, "%s may not sign in, so a link would not open. Let them sign in first.", u.Label())
	}
	now := a.cfg.Now()
	secret := newSecret("")
	err := a.cfg.Store.CreateLink(ctx, Link{
		Hash: secret.hash(), User: user, Roles: distinct(roles), Created: now, Expires: now.Add(lasts),
	})
	return secret, err
}

// LinkURL is where the link with this secret is opened.
func (a *Auth) LinkURL(s Secret) string { return a.cfg.URL + "/welcome#" + string(s) }

// OpenLink says who a link is for, without using it.
func (a *Auth) OpenLink(ctx context.Context, s Secret) (Welcome, error) {
	l, err := a.link(ctx, s)
	if err != nil {
		return Welcome{}, err
	}
	if l.User == "" {
		return Welcome{New: true, Roles: l.Roles}, nil
	}
	u, err := a.cfg.Store.User(ctx, l.User)
	return Welcome{Name: u.Name, Roles: u.Roles}, err
}

func (a *Auth) link(ctx context.Context, s Secret) (Link, error) {
	l, err := a.cfg.Store.Link(ctx, s.hash())
	gone := dossier.Errorf(dossier.NotFound, "This link was used already, or it is too old. Ask for a new one.")
	switch {
	case errors.Is(err, dossier.NotFound):
		return Link{}, gone
	case err != nil:
		return Link{}, err
	case !l.Used.IsZero() || !a.cfg.Now().Before(l.Expires):
		return Link{}, gone
	}
	return l, nil
}

// A Newcomer is what someone who opens a link chooses.
type Newcomer struct {
	Name     string // needed if the link makes a user
	Display  string
	Password Secret // needed if the link makes a user; else "" keeps the old one
}

// UseLink signs in with a link, once. If the link makes a user, n names them; if it
// is for a user who chose a password in n, the password is changed, and every other
// session and link of theirs ends.
func (a *Auth) UseLink(ctx context.Context, s Secret, n Newcomer, v Visitor) (SignedIn, error) {
	l, err := a.link(ctx, s)
	if err != nil {
		return SignedIn{}, err
	}
	u, err := a.welcome(ctx, l, n)
	if err != nil {
		return SignedIn{}, err
	}
	if err := a.cfg.Store.UseLink(ctx, l.Hash, a.cfg.Now()); err != nil {
		return SignedIn{}, err
	}
	if l.User == "" {
		err = a.cfg.Store.CreateUser(ctx, u)
	} else if n.Password != "" {
		if err = a.cfg.Store.UpdateUser(ctx, u); err == nil {
			err = a.shutOut(ctx, u.ID, "")
		}
	}
	if err != nil {
		return SignedIn{}, err
	}
	return a.open(ctx, u, v)
}

// welcome returns the user that l signs in, as they will be.
func (a *Auth) welcome(ctx context.Context, l Link, n Newcomer) (User, error) {
	if l.User == "" {
		u, err := a.newUser(ctx, NewUser{Name: n.Name, Display: n.Display, Password: n.Password, Roles: l.Roles})
		if err != nil {
			return User{}, err
		}
		if u.Password == "" {
			return User{}, dossier.Errorf(dossier.Invalid, "Choose a password.")
		}
		_, err = a.cfg.Store.UserByName(ctx, u.Name)
		if err == nil {
			return User{}, nameTaken(u.Name)
		}
		if !errors.Is(err, dossier.NotFound) {
			return User{}, err
		}
		return u, nil
	}
	u, err := a.cfg.Store.User(ctx, l.User)
	if err != nil {
		return User{}, err
	}
	if u.Disabled {
		return User{}, dossier.Errorf(dossier.Forbidden, "You may no longer sign in.")
	}
	if n.Password != "" {
		if u.Password, err = a.hasher.hash(ctx, n.Password); err != nil {
			return User{}, err
		}
	}
	return u, nil
}
