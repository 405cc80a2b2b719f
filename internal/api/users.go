package api

import (
	"context"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"dossier"
	"dossier/internal/app"
	"dossier/internal/auth"
)

func (s *Server) userRoutes(r *app.Router) {
	tags := []string{"users"}
	admins := []dossier.Role{dossier.Admin}
	watchers := []dossier.Role{dossier.Admin, dossier.Auditor}
	app.Handle(r, huma.Operation{
		OperationID: "list-users", Method: http.MethodGet, Path: "/api/v1/users", Tags: tags, Summary: "Everyone, by name",
	}, watchers, s.users)
	app.Handle(r, huma.Operation{
		OperationID: "add-user", Method: http.MethodPost, Path: "/api/v1/users", Tags: tags, DefaultStatus: http.StatusCreated,
		Summary: "Add someone", Errors: []int{403, 409}, Metadata: map[string]any{secretKey: true},
	}, admins, s.addUser)
	app.Handle(r, huma.Operation{
		OperationID: "get-user", Method: http.MethodGet, Path: "/api/v1/users/{id}", Tags: tags, Summary: "One user", Errors: []int{404},
	}, watchers, s.user)
	app.Handle(r, huma.Operation{
		OperationID: "change-user", Method: http.MethodPatch, Path: "/api/v1/users/{id}", Tags: tags,
		Summary: "Change someone's name, roles or access", Errors: []int{403, 404, 409, 412},
	}, admins, s.changeUser)
	app.Handle(r, huma.Operation{
		OperationID: "make-link", Method: http.MethodPost, Path: "/api/v1/users/{id}/link", Tags: tags, DefaultStatus: http.StatusCreated,
		Summary: "Make a one-time link that signs someone in", Errors: []int{403, 404}, Metadata: map[string]any{secretKey: true},
	}, admins, s.makeLink)
	app.Handle(r, huma.Operation{
		OperationID: "list-roles", Method: http.MethodGet, Path: "/api/v1/roles", Tags: tags, Summary: "Every role that can be given",
	}, watchers, s.listAllRoles)
}

type usersOutput struct {
	Body struct {
		Items []auth.User `json:"items"`
	}
}

func (s *Server) users(ctx context.Context, _ *struct{}) (*usersOutput, error) {
	users, err := s.Auth.Users(ctx)
	out := &usersOutput{}
	out.Body.Items = list(users)
	for i := range out.Body.Items {
		out.Body.Items[i].Roles = list(out.Body.Items[i].Roles)
	}
	return out, err
}

// An AddedUser is a new user with the link that lets them in.
type AddedUser struct {
	auth.User
	Link    string    `json:"link,omitempty" doc:"Opens once, for whoever has no password; shown only now"`
	Expires time.Time `json:"expires,omitzero" doc:"When the link stops to open"`
}

type addUserInput struct {
	Body struct {
		Name     string         `json:"name" maxLength:"64"`
		Display  string         `json:"display,omitempty" maxLength:"200"`
		Mail     string         `json:"mail,omitempty" maxLength:"254"`
		Roles    []dossier.Role `json:"roles"`
		Password auth.Secret    `json:"password,omitempty" doc:"Without one, a link is made that lets them choose"`
	}
}

type addUserOutput struct{ Body AddedUser }

func (s *Server) addUser(ctx context.Context, in *addUserInput) (*addUserOutput, error) {
	u, err := s.Auth.AddUser(ctx, auth.NewUser{
		Name: in.Body.Name, Display: in.Body.Display, Mail: in.Body.Mail, Roles: in.Body.Roles, Password: in.Body.Password,
	})
	if err != nil {
		return nil, err
	}
	s.note(ctx, "user.added", "added the user %s with the roles %v.", u.Name, u.Roles)
	out := &addUserOutput{AddedUser{User: u}}
	if in.Body.Password == "" {
		out.Body.Link, out.Body.Expires, err = s.link(ctx, u.ID)
	}
	return out, err
}

// linkLasts is how long an invitation is good for.
const linkLasts = 3 * 24 * time.Hour

func (s *Server) link(ctx context.Context, user string) (string, time.Time, error) {
	secret, err := s.Auth.NewLink(ctx, user, nil, linkLasts)
	return s.Auth.LinkURL(secret), s.Now().Add(linkLasts), err
}

type userIDInput struct {
	ID string `path:"id"`
}

type userOutput struct {
	ETag string `header:"ETag"`
	Body auth.User
}

func (s *Server) user(ctx context.Context, in *userIDInput) (*userOutput, error) {
	u, err := s.Auth.User(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	u.Roles = list(u.Roles)
	return &userOutput{versionTag(u.Version), u}, nil
}

type changeUserInput struct {
	ID      string `path:"id"`
	IfMatch string `header:"If-Match" required:"true" doc:"The ETag of the user as you saw them"`
	Body    struct {
		Display  *string         `json:"display,omitempty" maxLength:"200"`
		Mail     *string         `json:"mail,omitempty" maxLength:"254"`
		Roles    *[]dossier.Role `json:"roles,omitempty"`
		Disabled *bool           `json:"disabled,omitempty"`
	}
}

func (s *Server) changeUser(ctx context.Context, in *changeUserInput) (*userOutput, error) {
	version, err := tagVersion(in.IfMatch)
	if err != nil {
		return nil, err
	}
	now, err := s.Auth.User(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	if now.Version != version {
		return nil, dossier.Errorf(dossier.Conflict, "Somebody changed this user meanwhile. Look again.").Because(errStale)
	}
	u, err := s.Auth.ChangeUser(ctx, s.Principal(ctx), in.ID, version, auth.UserChange{
		Display: in.Body.Display, Mail: in.Body.Mail, Roles: in.Body.Roles, Disabled: in.Body.Disabled,
	})
	if err != nil {
		return nil, err
	}
	s.note(ctx, "user.changed", "changed the user %s: roles %v, disabled %t.", u.Name, u.Roles, u.Disabled)
	u.Roles = list(u.Roles)
	return &userOutput{versionTag(u.Version), u}, nil
}

type makeLinkOutput struct {
	Body struct {
		Link    string    `json:"link" doc:"Opens once; shown only now"`
		Expires time.Time `json:"expires"`
	}
}

func (s *Server) makeLink(ctx context.Context, in *userIDInput) (*makeLinkOutput, error) {
	out := &makeLinkOutput{}
	var err error
	if out.Body.Link, out.Body.Expires, err = s.link(ctx, in.ID); err != nil {
		return nil, err
	}
	s.note(ctx, "user.link", "made a link that signs %s in.", in.ID)
	return out, nil
}

// A RoleInfo describes a role.
type RoleInfo struct {
	Role dossier.Role `json:"role"`
	Doc  string       `json:"doc"`
	Apps []string     `json:"apps" doc:"The apps that declare it"`
}

type rolesOutput struct {
	Body struct {
		Items []RoleInfo `json:"items"`
	}
}

func (s *Server) listAllRoles(context.Context, *struct{}) (*rolesOutput, error) {
	out := &rolesOutput{}
	all := s.Auth.Roles()
	for _, r := range slices.Sorted(maps.Keys(all)) {
		out.Body.Items = append(out.Body.Items, RoleInfo{r, all[r], list(s.roles[r])})
	}
	return out, nil
}

// versionTag is the ETag of something that counts its changes.
func versionTag(v int) string { return `"` + strconv.Itoa(v) + `"` }

func tagVersion(tag string) (int, error) {
	v, err := strconv.Atoi(strings.Trim(strings.TrimPrefix(tag, "W/"), `"`))
	if err != nil {
		return 0, dossier.Errorf(dossier.Invalid, "If-Match must hold the ETag that reading it gave.")
	}
	return v, nil
}
