package api

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"dossier"
	"dossier/internal/app"
	"dossier/internal/auth"
)

func (s *Server) sessionRoutes(r *app.Router) {
	tags := []string{"session"}
	anyone := []dossier.Role{app.Public}
	app.Handle(r, huma.Operation{
		OperationID: "get-session", Method: http.MethodGet, Path: "/api/v1/session", Tags: tags,
		Summary: "Who is signed in, and how one can sign in",
	}, anyone, s.session)
	app.Handle(r, huma.Operation{
		OperationID: "sign-in", Method: http.MethodPost, Path: "/api/v1/session", Tags: tags,
		Summary: "Sign in with a name and a password", Errors: []int{401, 403, 429},
	}, anyone, s.signIn)
	app.Handle(r, huma.Operation{
		OperationID: "sign-out", Method: http.MethodDelete, Path: "/api/v1/session", Tags: tags,
		Summary: "Sign out", DefaultStatus: http.StatusNoContent,
	}, anyone, s.signOut)
	app.Handle(r, huma.Operation{
		OperationID: "look-at-link", Method: http.MethodPost, Path: "/api/v1/session/link/look", Tags: tags,
		Summary: "Who a one-time link is for, without using it", Errors: []int{404},
	}, anyone, s.lookAtLink)
	app.Handle(r, huma.Operation{
		OperationID: "use-link", Method: http.MethodPost, Path: "/api/v1/session/link", Tags: tags,
		Summary: "Sign in with a one-time link", Errors: []int{404, 409},
	}, anyone, s.useLink)
	app.Handle(r, huma.Operation{
		OperationID: "change-password", Method: http.MethodPut, Path: "/api/v1/session/password", Tags: tags,
		Summary: "Change one's own password", DefaultStatus: http.StatusNoContent, Errors: []int{401, 403, 429},
	}, nil, s.changePassword)
	app.Handle(r, huma.Operation{
		OperationID: "start-oidc", Method: http.MethodGet, Path: "/api/v1/session/oidc", Tags: tags,
		Summary: "Go to the identity provider", DefaultStatus: http.StatusFound, Errors: []int{404, 503},
	}, anyone, s.startOIDC)
	app.Handle(r, huma.Operation{
		OperationID: "finish-oidc", Method: http.MethodGet, Path: auth.CallbackPath, Tags: tags,
		Summary: "Come back from the identity provider", DefaultStatus: http.StatusFound, Errors: []int{403},
	}, anyone, s.finishOIDC)
}

// A Session says who is signed in and how one can sign in.
type Session struct {
	SignedIn bool   `json:"signed_in"`
	User     *Me    `json:"user,omitempty"`
	Provider string `json:"provider,omitempty" doc:"What the identity provider is called, if one is configured"`
	Version  string `json:"version" doc:"The product's version"`
}

// Me is whoever asks.
type Me struct {
	ID    string         `json:"id"`
	Name  string         `json:"name" doc:"What they sign in with"`
	Label string         `json:"label" doc:"What they are called"`
	Roles []dossier.Role `json:"roles"`
	Apps  []string       `json:"apps" doc:"The apps whose records they may see"`
	Local bool           `json:"local" doc:"Signs in with a password kept here"`
}

func (s *Server) me(id auth.Identity) *Me {
	m := &Me{
		ID: id.ID, Name: id.User.Name, Label: id.Principal.Name, Roles: list(id.Roles),
		Apps: s.visible(id.Principal), Local: id.User.Password != "",
	}
	if m.Apps == nil {
		m.Apps = []string{}
		for _, in := range s.Apps {
			m.Apps = append(m.Apps, in.App.ID)
		}
	}
	return m
}

type sessionOutput struct {
	SetCookie []http.Cookie `header:"Set-Cookie"`
	Body      Session
}

func (s *Server) session(ctx context.Context, _ *struct{}) (*sessionOutput, error) {
	out := &sessionOutput{Body: Session{Provider: s.Auth.ProviderTitle(), Version: s.Version}}
	w := who(ctx)
	if w.err != nil && dossier.KindOf(w.err) != dossier.NotSignedIn {
		return nil, w.err
	}
	if w.err == nil {
		out.Body.SignedIn, out.Body.User = true, s.me(w.Identity)
	}
	return out, nil
}

// visiting is who makes a request, as far as its connection tells.
type visiting struct {
	v    auth.Visitor
	page bool // a browser that goes there, and shows what it gets
}

// Resolve reads the connection.
func (v *visiting) Resolve(ctx huma.Context) []error {
	v.page = ctx.Header("Sec-Fetch-Mode") == "navigate"
	v.v = auth.Visitor{Addr: hostOf(ctx.RemoteAddr()), Agent: ctx.Header("User-Agent")}
	return nil
}

type signInInput struct {
	visiting
	Body struct {
		Name     string      `json:"name" maxLength:"200"`
		Password auth.Secret `json:"password"`
	}
}

func (s *Server) signIn(ctx context.Context, in *signInInput) (*sessionOutput, error) {
	ok, err := s.Auth.SignIn(ctx, in.Body.Name, in.Body.Password, in.v)
	if err != nil {
		return nil, err
	}
	return s.signedIn(ok), nil
}

func (s *Server) signedIn(in auth.SignedIn) *sessionOutput {
	id := auth.Identity{
		Principal: dossier.Principal{ID: in.User.ID, Name: in.User.Label(), Roles: in.User.Roles}, User: in.User,
	}
	return &sessionOutput{
		SetCookie: []http.Cookie{s.Auth.Cookie(in)},
		Body:      Session{SignedIn: true, User: s.me(id), Provider: s.Auth.ProviderTitle(), Version: s.Version},
	}
}

type cookieOutput struct {
	SetCookie []http.Cookie `header:"Set-Cookie"`
}

func (s *Server) signOut(ctx context.Context, _ *struct{}) (*cookieOutput, error) {
	if err := s.Auth.SignOut(ctx, who(ctx).Identity); err != nil {
		return nil, err
	}
	return &cookieOutput{[]http.Cookie{s.Auth.NoCookie()}}, nil
}

type linkInput struct {
	Body struct {
		Link auth.Secret `json:"link" doc:"What stands after # in the link"`
	}
}

type linkOutput struct{ Body auth.Welcome }

func (s *Server) lookAtLink(ctx context.Context, in *linkInput) (*linkOutput, error) {
	w, err := s.Auth.OpenLink(ctx, in.Body.Link)
	w.Roles = list(w.Roles)
	return &linkOutput{w}, err
}

type useLinkInput struct {
	visiting
	Body struct {
		Link     auth.Secret `json:"link" doc:"What stands after # in the link"`
		Name     string      `json:"name,omitempty" doc:"For a new user"`
		Label    string      `json:"label,omitempty" maxLength:"200" doc:"What a new user is called"`
		Password auth.Secret `json:"password,omitempty" doc:"Needed for a new user; else it replaces the old one"`
	}
}

func (s *Server) useLink(ctx context.Context, in *useLinkInput) (*sessionOutput, error) {
	ok, err := s.Auth.UseLink(ctx, in.Body.Link,
		auth.Newcomer{Name: in.Body.Name, Display: in.Body.Label, Password: in.Body.Password}, in.v)
	if err != nil {
		return nil, err
	}
	return s.signedIn(ok), nil
}

type passwordInput struct {
	visiting
	Body struct {
		Old auth.Secret `json:"old"`
		New auth.Secret `json:"new"`
	}
}

func (s *Server) changePassword(ctx context.Context, in *passwordInput) (*struct{}, error) {
	return nil, s.Auth.ChangePassword(ctx, who(ctx).Identity, in.Body.Old, in.Body.New, in.v)
}

// detourCookie carries an [auth.Detour] while the browser is at the provider.
const detourCookie = "dossier_oidc"

type redirectOutput struct {
	Location  string        `header:"Location"`
	SetCookie []http.Cookie `header:"Set-Cookie"`
}

func (s *Server) startOIDC(ctx context.Context, in *struct {
	visiting
	Back string `query:"back" maxLength:"500" doc:"Path to return to"`
}) (*redirectOutput, error) {
	to, d, err := s.Auth.StartOIDC(ctx, in.Back)
	if err != nil {
		return s.toldAtTheDoor(ctx, in.visiting, err)
	}
	raw, err := json.Marshal(d)
	if err != nil {
		return nil, err
	}
	return &redirectOutput{Location: to, SetCookie: []http.Cookie{s.detour(base64.RawURLEncoding.EncodeToString(raw), 600)}}, nil
}

// toldCookie carries the sentence that says why somebody was not signed in to the page
// where they can begin again. It is a cookie because anyone could make up an address.
const toldCookie = "dossier_told"

// toldAtTheDoor takes a browser whose sign-in failed back to the sign-in page, which says
// why. Programs get the problem itself.
func (s *Server) toldAtTheDoor(ctx context.Context, v visiting, err error) (*redirectOutput, error) {
	if !v.page {
		return nil, err
	}
	_ = s.Problem(ctx, err) // logs what is not the visitor's doing
	return &redirectOutput{Location: "/", SetCookie: []http.Cookie{s.detour("", -1), {
		Name: toldCookie, Value: url.PathEscape(dossier.Message(err)), Path: "/", MaxAge: 60,
		Secure: strings.HasPrefix(s.URL, "https://"), SameSite: http.SameSiteLaxMode,
	}}}, nil
}

func (s *Server) detour(value string, age int) http.Cookie {
	return http.Cookie{
		Name: detourCookie, Value: value, Path: auth.CallbackPath, MaxAge: age,
		HttpOnly: true, Secure: strings.HasPrefix(s.URL, "https://"), SameSite: http.SameSiteLaxMode,
	}
}

type oidcInput struct {
	visiting
	State  string `query:"state"`
	Code   string `query:"code"`
	Error  string `query:"error"`
	Detour string `cookie:"dossier_oidc"`
}

func (s *Server) finishOIDC(ctx context.Context, in *oidcInput) (*redirectOutput, error) {
	var d auth.Detour
	raw, err := base64.RawURLEncoding.DecodeString(in.Detour)
	if err == nil {
		err = json.Unmarshal(raw, &d)
	}
	if err != nil || in.Error != "" {
		return s.toldAtTheDoor(ctx, in.visiting, dossier.Errorf(dossier.Forbidden, "The identity provider did not sign you in. Begin again.").Because(err))
	}
	ok, err := s.Auth.FinishOIDC(ctx, d, in.State, in.Code, in.v)
	if err != nil {
		return s.toldAtTheDoor(ctx, in.visiting, err)
	}
	return &redirectOutput{Location: d.Back, SetCookie: []http.Cookie{s.Auth.Cookie(ok), s.detour("", -1)}}, nil
}
