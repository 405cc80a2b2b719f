// Package rest is the Gate Pass API over HTTP: the endpoints of the source design for
// the HR, admin and gate desks, notifications and QR codes, and what the gate page
// needs beside them.
//
// A handler finds out who asks, checks the role, calls one method of the office and
// encodes what comes back. Errors are problem documents: 401 for nobody, 403 for a
// wrong role or a wrong state (with the state and what it allows), 404 for an unknown
// pass, 422 with the field for bad input. The same routes serve the product's address
// and, through [Local], the product's own tools, which speak to them as any client
// does.
package rest

import (
	"context"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"dossier"
	"dossier/apps/gatepass/client"
	"dossier/apps/gatepass/office"
	"dossier/internal/app"
)

// The roles of the app. The product's own admin may do what the pass desk's may.
const (
	HR        dossier.Role = "hr"
	PassAdmin dossier.Role = "passadmin"
	Gate      dossier.Role = "gate"
)

// RolesOf returns the roles that work at a desk.
func RolesOf(desk string) []dossier.Role {
	switch desk {
	case "hr":
		return []dossier.Role{HR}
	case "admin":
		return []dossier.Role{PassAdmin, dossier.Admin}
	case "gate":
		return []dossier.Role{Gate}
	}
	return nil
}

var everyone = slices.Concat(RolesOf("hr"), RolesOf("admin"), RolesOf("gate"))

// An API serves an office.
type API struct {
	Office *office.Office
	router *app.Router
}

// Routes registers every operation.
func (a *API) Routes(r *app.Router) {
	b := &API{Office: a.Office, router: r}
	b.hrRoutes()
	b.adminRoutes()
	b.gateRoutes()
	b.noticeRoutes()
	b.qrRoutes()
	b.fileRoutes()
}

// An Actor is in every input: who a tool of the product acts for.
type Actor struct {
	Acting string `header:"Dossier-Acting-For" hidden:"true"`
}

func (a Actor) acting() string { return a.Acting }

type acts interface{ acting() string }

type actorKey struct{}

// From returns who a request is from, as an operation's handler sees it.
func from(ctx context.Context) dossier.Principal {
	p, _ := ctx.Value(actorKey{}).(dossier.Principal)
	return p
}

func person(ctx context.Context, claimed string) office.Person {
	return office.Person{Principal: from(ctx), Claimed: claimed}
}

// handle registers an operation for the holders of roles. The core lets everybody
// through and this checks instead, so that the answers are the ones the source design
// asks for and the product's own tools can act for people.
func handle[I, O any, PI interface {
	*I
	acts
}](a *API, op huma.Operation, roles []dossier.Role, h func(context.Context, *I) (*O, error)) {
	op.Tags = []string{"gatepass"}
	op.Errors = append([]int{401, 403, 422}, op.Errors...)
	op.SkipValidateBody, op.SkipValidateParams = true, true
	// The office keeps idempotency keys itself, in the transaction of the change.
	op.Metadata = with(op.Metadata, "stream", any(true))
	app.Handle(a.router, op, append([]dossier.Role{app.Own}, roles...), func(ctx context.Context, in *I) (*O, error) {
		ctx, err := a.allow(ctx, PI(in).acting(), roles)
		if err != nil {
			return nil, err
		}
		return h(ctx, in)
	})
}

// with returns m with one more entry.
func with[M ~map[string]V, V any](m M, key string, value V) M {
	if m == nil {
		m = M{}
	}
	m[key] = value
	return m
}

// allow checks who asks and returns a context that knows them.
func (a *API) allow(ctx context.Context, acting string, roles []dossier.Role) (context.Context, error) {
	p := a.router.Principal(ctx)
	if p.ID == "" && acting != "" {
		if q, ok := ReadActing(acting, a.Office.PublicKey, a.Office.Now()); ok {
			p = q
		}
	}
	switch {
	case p.ID == "":
		return ctx, status(http.StatusUnauthorized, "Sign in first.", "")
	case !p.HasAny(roles):
		return ctx, status(http.StatusForbidden, "Your role does not allow this.", roleNames(roles))
	}
	return context.WithValue(ctx, actorKey{}, p), nil
}

func status(code int, detail, role string) *office.Problem {
	return &office.Problem{Problem: client.Problem{Title: http.StatusText(code), Status: code, Detail: detail, Role: role}}
}

func roleNames(roles []dossier.Role) string {
	var names []string
	for _, r := range roles {
		if r != dossier.Admin {
			names = append(names, string(r))
		}
	}
	return strings.Join(names, " or ")
}

const actingDomain = "dossier-gatepass-acting-1\n"

type actingToken struct {
	dossier.Principal
	Until int64 `json:"until"`
}

// Acting returns the proof that the product itself acts for p, good for two minutes.
func Acting(p dossier.Principal, sign func([]byte) []byte, now time.Time) string {
	body, err := json.Marshal(actingToken{p, now.Add(2 * time.Minute).Unix()})
	if err != nil {
		panic("encode principal: " + err.Error()) // strings always encode
	}
	payload := base64.RawURLEncoding.EncodeToString(body)
	return payload + "." + base64.RawURLEncoding.EncodeToString(sign([]byte(actingDomain+payload)))
}

// ReadActing checks such a proof.
func ReadActing(text string, key ed25519.PublicKey, now time.Time) (dossier.Principal, bool) {
	payload, sig, ok := strings.Cut(text, ".")
	mac, err := base64.RawURLEncoding.DecodeString(sig)
	if !ok || err != nil || !ed25519.Verify(key, []byte(actingDomain+payload), mac) {
		return dossier.Principal{}, false
	}
	var t actingToken
	body, err := base64.RawURLEncoding.DecodeString(payload)
	if err != nil || json.Unmarshal(body, &t) != nil || now.Unix() > t.Until {
		return dossier.Principal{}, false
	}
	return t.Principal, true
}
