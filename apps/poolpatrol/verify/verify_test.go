package verify

import (
	"context"
	"encoding/json"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"dossier"
	"dossier/apps/poolpatrol/engine"
	"dossier/internal/agent"
	"dossier/internal/model"
)

func TestItem(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, raw, data string }{
		{"P-022 P-027 with data", `{"type":"employee_shift","data":{"employee_id":"EMP-1006","shift_name":"Night Shift"}}`, `{"employee_id":"EMP-1006","shift_name":"Night Shift"}`},
		{"P-023 P-026 P6 flat", `{"type":"distance_check","distance_miles":380,"threshold_miles":50,"hash":"x"}`, `{"distance_miles":380,"threshold_miles":50}`},
	} {
		var it Item
		if err := json.Unmarshal([]byte(c.raw), &it); err != nil || string(it.Data) != c.data || it.Type == "" {
			t.Errorf("%s: got %+v (%s) %v, want %s", c.name, it, it.Data, err, c.data)
		}
	}
}

func draft(answer Result, tool *Result) agent.Draft {
	raw, _ := json.Marshal(answer)
	d := agent.Draft{Answer: raw}
	if tool != nil {
		value, _ := json.Marshal(struct {
			Result Result `json:"result"`
		}{*tool})
		d.Returns = []model.Return{{Tool: "get_employee_shifts", Value: value}}
	}
	return d
}

func TestAgreesWithRule(t *testing.T) {
	t.Parallel()
	ruled := Result{Verdict: "fail", Confidence: 4, Reasoning: "r", Evidence: []Item{}, Affected: []string{"EMP-1006"}}
	other := func(change func(*Result)) Result { r := ruled; change(&r); return r }
	for _, c := range []struct {
		name   string
		answer Result
		tool   *Result
		want   string
	}{
		{"P-021 other words are fine", other(func(r *Result) { r.Reasoning = "In plainer words." }), &ruled, ""},
		{"P-019 another verdict is not", other(func(r *Result) { r.Verdict = "pass" }), &ruled, "verdict"},
		{"P-020 another confidence is not", other(func(r *Result) { r.Confidence = 5 }), &ruled, "confidence"},
		{"P-011 other riders are not", other(func(r *Result) { r.Affected = []string{"EMP-1001"} }), &ruled, "riders"},
		{"P-009 no look, no verdict", ruled, nil, "Call the checking tool first"},
	} {
		err := agreesWithRule(context.Background(), draft(c.answer, c.tool))
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%s: got %v", c.name, err)
		case c.want != "" && (dossier.KindOf(err) != dossier.Invalid || !strings.Contains(dossier.Message(err), c.want)):
			t.Errorf("%s: got %v, want a problem with %q", c.name, err, c.want)
		}
	}
}

func TestRouters(t *testing.T) {
	t.Parallel()
	homes := []engine.Place{{Lat: 37.5, Lng: -121.9}, {Lat: 37.6, Lng: -122}}
	pickup := engine.Place{Lat: 37.495, Lng: -121.941}
	var asked string
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = r.URL.String()
		switch {
		case strings.HasPrefix(r.URL.Path, "/table/v1/driving/"):
			_, _ = w.Write([]byte(`{"code":"Ok","distances":[[16093.44],[null]]}`))
		case strings.HasPrefix(r.URL.Path, "/distanceMatrix/") && r.Header.Get("X-Goog-Api-Key") == "k":
			_, _ = w.Write([]byte(`[{"originIndex":1,"distanceMeters":32186.88,"condition":"ROUTE_EXISTS"},{"originIndex":0,"condition":"ROUTE_NOT_FOUND"}]`))
		default:
			http.Error(w, "no", http.StatusBadGateway)
		}
	}))
	t.Cleanup(srv.Close)
	t.Run("P-070 P10 OSRM", func(t *testing.T) {
		got, err := OSRM(srv.Client(), srv.URL+"/").miles(t.Context(), homes, pickup)
		if err != nil || math.Abs(got[0]-10) > 0.001 || got[1] != 0 {
			t.Errorf("got %v %v, want 10 miles and none", got, err)
		}
		if !strings.Contains(asked, "-121.941000,37.495000;-121.900000,37.500000;-122.000000,37.600000?destinations=0&sources=1;2") {
			t.Errorf("asked %s", asked)
		}
	})
	t.Run("P-070 P10 Google Routes", func(t *testing.T) {
		got, err := GoogleRoutes(srv.Client(), srv.URL, "k").miles(t.Context(), homes, pickup)
		if err != nil || got[0] != 0 || math.Abs(got[1]-20) > 0.001 {
			t.Errorf("got %v %v, want none and 20 miles", got, err)
		}
	})
	t.Run("P10 a service that fails is unavailable", func(t *testing.T) {
		if _, err := GoogleRoutes(srv.Client(), srv.URL, "wrong").miles(t.Context(), homes, pickup); dossier.KindOf(err) != dossier.Unavailable {
			t.Errorf("got %v, want unavailable", err)
		}
	})
}
