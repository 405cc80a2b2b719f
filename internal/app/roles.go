package app

import (
	"fmt"
	"maps"
	"slices"

	"dossier"
)

// reserved are the roles that no app may declare: the core's own, and the words that
// stand for a group of people where an operation names who may use it.
var reserved = []dossier.Role{dossier.Admin, dossier.Auditor, dossier.System, Public, Own, "reader", "member"}

// Roles returns every role of the apps with what it is for. A role belongs to one app:
// a person who is given it gets the rights of that app and no other, so a name that the
// core or two apps use is refused.
func Roles(apps []App) (map[dossier.Role]string, error) {
	all, owner := map[dossier.Role]string{}, map[dossier.Role]string{}
	for _, a := range apps {
		for _, r := range slices.Sorted(maps.Keys(a.Roles)) {
			if slices.Contains(reserved, r) {
				return nil, fmt.Errorf("app %s: role %q is the core's; give it a name of the app's own", a.ID, r)
			}
			if other, taken := owner[r]; taken {
				return nil, fmt.Errorf("app %s: role %q belongs to app %s; give it a name of the app's own", a.ID, r, other)
			}
			all[r], owner[r] = a.Roles[r], a.ID
		}
	}
	return all, nil
}
