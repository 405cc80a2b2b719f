package dossier

import "slices"

// A Role names a set of rights. Apps declare their own ("hr", "gate"); the core
// knows three.
type Role string

const (
	// Admin may configure the product, manage users and see every case.
	Admin Role = "admin"
	// Auditor reads everything and decides nothing.
	Auditor Role = "auditor"
	// System is held by the product itself when a trigger or a due date starts
	// work. It is never given to a person and decides no approval.
	System Role = "system"
)

// A Principal is who a request is made for: a person, a token's holder or the
// product itself. An agent never has rights of its own; it acts for the principal
// that started the run.
type Principal struct {
	ID    string `json:"id"`
	Name  string `json:"name"`
	Roles []Role `json:"roles,omitempty"`
}

// SystemPrincipal is who scheduled work is done for.
var SystemPrincipal = Principal{ID: "system", Name: "Dossier", Roles: []Role{System}}

// Has reports whether p holds r.
func (p Principal) Has(r Role) bool { return slices.Contains(p.Roles, r) }

// HasAny reports whether p holds at least one of the roles. No roles means anyone.
func (p Principal) HasAny(roles []Role) bool {
	return len(roles) == 0 || slices.ContainsFunc(roles, p.Has)
}
