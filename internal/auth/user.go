package auth

import (
	"context"
	"errors"
	"regexp"
	"slices"

	"dossier"
)

// Label is what u is called.
func (u User) Label() string {
	if u.Display != "" {
		return u.Display
	}
	return u.Name
}

// A NewUser is someone to be added.
type NewUser struct {
	Name     string
	Display  string
	Mail     string
	Roles    []dossier.Role
	Password Secret // "": they get a link
}

var nameForm = regexp.MustCompile(`^[a-z0-9][a-z0-9._@+-]{1,63}$`)

// AddUser adds someone.
func (a *Auth) AddUser(ctx context.Context, n NewUser) (User, error) {
	u, err := a.newUser(ctx, n)
	if err != nil {
		return User{}, err
	}
	if err := a.cfg.Store.CreateUser(ctx, u); errors.Is(err, dossier.Conflict) {
		return User{}, nameTaken(u.Name)
	} else if err != nil {
		return User{}, err
	}
	return u, nil
}

func nameTaken(name string) error {
	return dossier.Errorf(dossier.Conflict, "The name %q is taken. Choose another.", name)
}

// newUser checks n and returns the user it describes.
func (a *Auth) newUser(ctx context.Context, n NewUser) (User, error) {
	u := User{
		ID: a.cfg.NewID("user-"), Name: foldName(n.Name), Display: cut(n.Display, 200), Mail: n.Mail,
		Roles: distinct(n.Roles), Created: a.cfg.Now(), Version: 1,
	}
	if !nameForm.MatchString(u.Name) {
		return User{}, dossier.Errorf(dossier.Invalid,
			"A name has 2 to 64 letters, digits and the signs . _ @ + -, and begins with a letter or digit.")
	}
	if err := a.checkRoles(u.Roles); err != nil {
		return User{}, err
	}
	if n.Password != "" {
		var err error
		if u.Password, err = a.hasher.hash(ctx, n.Password); err != nil {
			return User{}, err
		}
	}
	return u, nil
}

// distinct returns each role once: two apps may declare the same one.
func distinct(roles []dossier.Role) []dossier.Role {
	out := []dossier.Role{}
	for _, r := range roles {
		if !slices.Contains(out, r) {
			out = append(out, r)
		}
	}
	return out
}

func (a *Auth) checkRoles(roles []dossier.Role) error {
	for _, r := range roles {
		if _, ok := a.cfg.Roles[r]; !ok {
			return dossier.Errorf(dossier.Invalid, "There is no role %q.", r)
		}
	}
	return nil
}

// A UserChange changes a user. Nil fields stay as they are.
type UserChange struct {
	Display  *string
	Mail     *string
	Roles    *[]dossier.Role
	Disabled *bool
}

// User returns someone.
func (a *Auth) User(ctx context.Context, id string) (User, error) { return a.cfg.Store.User(ctx, id) }

// Users returns everyone, by name.
func (a *Auth) Users(ctx context.Context) ([]User, error) { return a.cfg.Store.Users(ctx) }

// ChangeUser changes someone whose version is the one given. Whoever loses the right
// to sign in is signed out everywhere, and no link lets them in later. Nobody can lock themselves out, so an admin
// always remains.
func (a *Auth) ChangeUser(ctx context.Context, by dossier.Principal, id string, version int, ch UserChange) (User, error) {
	u, err := a.cfg.Store.User(ctx, id)
	if err != nil {
		return User{}, err
	}
	u.Version = version
	set(&u.Display, ch.Display)
	set(&u.Mail, ch.Mail)
	set(&u.Disabled, ch.Disabled)
	set(&u.Roles, ch.Roles)
	u.Roles = distinct(u.Roles)
	if err := a.checkRoles(u.Roles); err != nil {
		return User{}, err
	}
	if by.ID == id && (u.Disabled || by.Has(dossier.Admin) && !slices.Contains(u.Roles, dossier.Admin)) {
		return User{}, dossier.Errorf(dossier.Conflict, "You cannot take your own access away. Ask another admin.")
	}
	if err := a.cfg.Store.UpdateUser(ctx, u); err != nil {
		return User{}, err
	}
	if u.Disabled {
		if err := a.shutOut(ctx, id, ""); err != nil {
			return User{}, err
		}
	}
	u.Version++
	return u, nil
}

func set[T any](to, from *T) {
	if from != nil {
		*to = *from
	}
}

// ChangePassword changes the password of whoever is signed in, signs them out
// everywhere else and makes links to them useless.
func (a *Auth) ChangePassword(ctx context.Context, id Identity, old, fresh Secret, v Visitor) error {
	u, err := a.cfg.Store.User(ctx, id.ID)
	if err != nil {
		return err
	}
	if err := a.attempt(ctx, u.Name, v.Addr); err != nil {
		return err
	}
	ok, err := a.hasher.check(ctx, u.Password, old)
	if err != nil {
		return err
	}
	if !ok {
		return dossier.Errorf(dossier.Forbidden, "The old password is wrong.")
	}
	if u.Password, err = a.hasher.hash(ctx, fresh); err != nil {
		return err
	}
	if err := a.forgive(ctx, u.Name, v.Addr); err != nil {
		return err
	}
	if err := a.cfg.Store.UpdateUser(ctx, u); err != nil {
		return err
	}
	return a.shutOut(ctx, u.ID, id.Session)
}

// shutOut ends every session of a user but the one to keep, and every link to one: a link
// that was sent before must not open what was closed since.
func (a *Auth) shutOut(ctx context.Context, user, keep string) error {
	return errors.Join(a.cfg.Store.EndSessions(ctx, user, keep), a.cfg.Store.DropLinks(ctx, user))
}
