package api

import (
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"dossier"
	"dossier/internal/auth"
	"dossier/internal/store/storetest"
)

func TestIdempotencyKey(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	fire := func(as, key, body string) answer {
		return h.do(as, http.MethodPost, "/api/v1/events/fleet/reply", "Content-Type: application/json", "Idempotency-Key: "+key, []byte(body))
	}
	first := fire("planner", "k1", `{"n":1}`).want(202, nil)
	again := fire("planner", "k1", `{"n":1}`).want(202, nil)
	if string(first.body) != string(again.body) || again.Header.Get("Idempotency-Replayed") != "true" || first.Header.Get("Idempotency-Replayed") != "" {
		t.Errorf("first %s, again %s %v", first.body, again.body, again.Header)
	}
	fire("planner", "k1", `{"n":2}`).problem(409, dossier.Conflict)
	fire("coordinator", "k1", `{"n":3}`).want(202, nil)
	fire("planner", "k2", `{"n":4}`).want(202, nil)
	fire("planner", strings.Repeat("k", 201), `{}`).problem(422, dossier.Invalid)
	if len(h.fired.fired) != 3 {
		t.Errorf("fired %d times, want 3: %q", len(h.fired.fired), h.fired.fired)
	}
}

func TestAFailedRequestMayBeTriedAgain(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	post := func(name string) answer {
		return h.do("admin", http.MethodPost, "/api/v1/users", "Idempotency-Key: u1", map[string]any{"name": name, "roles": []string{}})
	}
	post("x").problem(422, dossier.Invalid)
	post("xenia").want(201, nil)
	if msg := post("xenia").problem(409, dossier.Conflict); !strings.Contains(msg, "shown once") {
		t.Errorf("a link must not be kept: told %q", msg)
	}
	var all struct{ Items []auth.User }
	h.do("admin", http.MethodGet, "/api/v1/users").want(200, &all)
	if n := len(slices.DeleteFunc(all.Items, func(u auth.User) bool { return u.Name != "xenia" })); n != 1 {
		t.Errorf("%d users were added", n)
	}
}

func TestDecideOnceWithAKey(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	_, _, a := h.audit("EMP-1")
	h.decide("coordinator", a, "Idempotency-Key: d1", decision(dossier.Approve, a)).want(200, nil)
	res := h.decide("coordinator", a, "Idempotency-Key: d1", decision(dossier.Approve, a)).want(200, nil)
	if res.Header.Get("Idempotency-Replayed") != "true" {
		t.Error("the second answer is not the first one's")
	}
}

func TestOneKeyManyAtOnce(t *testing.T) {
	t.Parallel()
	for _, database := range storetest.Databases {
		t.Run(database, func(t *testing.T) {
			t.Parallel()
			oneKeyManyAtOnce(t, newHouseOn(t, database, nil))
		})
	}
}

func oneKeyManyAtOnce(t *testing.T, h *house) {
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			res := h.do("planner", http.MethodPost, "/api/v1/events/fleet/reply", "Content-Type: application/json", "Idempotency-Key: k", []byte(`{}`))
			if res.StatusCode != 202 && res.StatusCode != 409 {
				t.Errorf("got %d: %s", res.StatusCode, res.body)
			}
		})
	}
	wg.Wait()
	if len(h.fired.fired) != 1 {
		t.Errorf("fired %d times, want once", len(h.fired.fired))
	}
}

// TestAKeptAnswerNeedsTheRoleToo: what was answered to somebody is not repeated to them
// once they have lost the role, and not to a token of theirs that never had it.
func TestAKeptAnswerNeedsTheRoleToo(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	_, _, a := h.audit("EMP-1")
	decide := func(as string, args ...any) answer {
		return h.decide(as, a, append(args, "Idempotency-Key: d1", decision(dossier.Approve, a))...)
	}
	decide("coordinator").want(200, nil)
	decide("coordinator").want(200, nil)
	u := h.users["coordinator"]
	roles := []dossier.Role{dossier.Auditor}
	if _, err := h.auth.ChangeUser(t.Context(), h.principal("admin"), u.ID, u.Version, auth.UserChange{Roles: &roles}); err != nil {
		t.Fatal(err)
	}
	decide("", h.signIn("coordinator")).problem(403, dossier.Forbidden)
}
