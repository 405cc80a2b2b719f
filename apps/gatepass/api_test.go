package gatepass_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"image"
	"image/jpeg"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"dossier"
	"dossier/apps/gatepass"
	"dossier/apps/gatepass/client"
	"dossier/apps/gatepass/office"
	"dossier/apps/gatepass/pass"
	"dossier/apps/gatepass/rest"
	"dossier/internal/app"
	"dossier/internal/app/apptest"
)

// server serves the app's routes as the product does, for principals that sign with
// the product's key.
func server(b *apptest.Bench) http.Handler {
	mux := http.NewServeMux()
	cfg := huma.DefaultConfig("test", "1")
	cfg.OpenAPIPath, cfg.DocsPath, cfg.SchemasPath, cfg.CreateHooks = "", "", "", nil
	b.Kit.Routes(app.NewRouter("gatepass", humago.New(mux, cfg), door{}, func(pattern string, _ []dossier.Role, h http.Handler) { mux.Handle(pattern, h) }))
	return mux
}

type door struct{}

func (door) Guard(*huma.Operation, []dossier.Role)       {}
func (door) Principal(context.Context) dossier.Principal { return dossier.Principal{} }
func (door) Problem(_ context.Context, err error) error {
	return huma.Error500InternalServerError(dossier.Message(err))
}

// api returns a client of the app's routes, over loopback, signed in as who.
func api(b *apptest.Bench, who dossier.Principal) *client.Client {
	b.T.Helper()
	s := httptest.NewServer(server(b))
	b.T.Cleanup(s.Close)
	c, err := client.New(s.URL, 0, b.Clock.Now)
	if err != nil {
		b.T.Fatal(err)
	}
	c.Sleep = func(context.Context, time.Duration) error { return nil }
	c.NewKey = func() string { return apptest.NewID("key-") }
	c.Authorize = func(_ context.Context, r *http.Request) error {
		if who.ID != "" {
			r.Header.Set("Dossier-Acting-For", rest.Acting(who, b.Env.Sign, b.Clock.Now()))
		}
		return nil
	}
	return c
}

// loopback serves the app's routes on the network, where everybody is HR.
func loopback(b *apptest.Bench) string {
	h := server(b)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Header.Set("Dossier-Acting-For", rest.Acting(hr, b.Env.Sign, b.Clock.Now()))
		h.ServeHTTP(w, r)
	}))
	b.T.Cleanup(s.Close)
	return s.URL
}

func upload(b *apptest.Bench, who dossier.Principal, endpoint string, fields map[string]string, data []byte) client.Response {
	b.T.Helper()
	return api(b, who).Do(b.T.Context(), client.Request{
		Method: http.MethodPost, Endpoint: endpoint, Fields: fields,
		Files: []client.File{{Field: "photo", Name: "photo.jpg", MIME: "image/jpeg", Data: data}},
	})
}

// photoBytes is a small JPEG, and dataURL the same as a data URL.
var (
	photoBytes = func() []byte {
		var b bytes.Buffer
		if err := jpeg.Encode(&b, image.NewGray(image.Rect(0, 0, 24, 24)), nil); err != nil {
			panic(err)
		}
		return b.Bytes()
	}()
	dataURL = "data:image/jpeg;base64," + base64.StdEncoding.EncodeToString(photoBytes)
)

func decode[T any](t testing.TB, r client.Response) T {
	t.Helper()
	var v T
	if !r.Success {
		t.Fatalf("got %d: %s", r.StatusCode, r.Error)
	}
	if err := r.Decode(&v); err != nil {
		t.Fatal(err)
	}
	return v
}

func post(endpoint string, body any) client.Request {
	return client.Request{Method: http.MethodPost, Endpoint: endpoint, JSON: body}
}

func get(endpoint string) client.Request {
	return client.Request{Method: http.MethodGet, Endpoint: endpoint}
}

type particulars struct {
	Person     string `json:"person_name"`
	Purpose    string `json:"description"`
	Returnable any    `json:"is_returnable,omitempty"`
}

// Every endpoint of the source design, in the order of a pass's life.
func TestEndpoints(t *testing.T) {
	t.Parallel()
	b := apptest.Open(t, gatepass.App, apptest.Options{At: monday})
	ctx := t.Context()
	h, a, g := api(b, hr), api(b, admin), api(b, gate)
	made := h.Do(ctx, post("/hr/gatepass/create", particulars{"Ravi Kumar", "bank", true}))
	p := decode[pass.Pass](t, made)
	if made.StatusCode != 201 || p.Number != "GP-2026-0001" || p.Status != pass.Pending {
		t.Fatalf("G-014 create: %d %+v", made.StatusCode, p)
	}
	if l := decode[office.Page](t, h.Do(ctx, get("/hr/gatepass/list?status=pending"))); l.Total != 1 {
		t.Errorf("G-016 list: %+v", l)
	}
	if q := decode[pass.Pass](t, h.Do(ctx, get("/hr/gatepass/"+p.ID))); q.Number != p.Number || len(q.History) != 1 {
		t.Errorf("G-018 by id: %+v", q)
	}
	for _, c := range []struct {
		row string
		c   *client.Client
		url string
	}{{"G-020", h, "/hr/gatepass/GP-2026-0001/print"}, {"G-034", a, "/admin/gatepass/GP-2026-0001/print"}} {
		if r := c.c.Do(ctx, get(c.url)); r.Type != "application/pdf" || !bytes.HasPrefix(r.Body, []byte("%PDF")) {
			t.Errorf("%s print: %d %s", c.row, r.StatusCode, r.Type)
		}
	}
	for row, url := range map[string]string{"G-022": "/admin/gatepass/pending", "G-032": "/admin/gatepass/list", "G4": "/admin/gatepass/all"} {
		if l := decode[office.Page](t, a.Do(ctx, get(url))); l.Total != 1 {
			t.Errorf("%s %s: %+v", row, url, l)
		}
	}
	if q := decode[pass.Pass](t, a.Do(ctx, get("/admin/gatepass/GP-2026-0001"))); q.ID != p.ID {
		t.Errorf("G-024 by number: %+v", q)
	}
	ok := decode[pass.Pass](t, a.Do(ctx, post("/admin/gatepass/GP-2026-0001/approve?name=Suresh", nil)))
	if ok.Status != pass.Approved || ok.ApprovedBy != "Meera Iyer" || ok.ClaimedName != "Suresh" {
		t.Errorf("G-026 G3 approve: %+v", ok)
	}
	if out := upload(b, gate, "/gate/scan-exit", map[string]string{"pass_number": "GP-2026-0001"}, photoBytes); !out.Success {
		t.Errorf("G-036 exit: %d %s", out.StatusCode, out.Error)
	}
	back := g.Do(ctx, client.Request{Method: "POST", Endpoint: "/gate/scan-return", Fields: map[string]string{"pass_number": "GP-2026-0001"},
		Files: []client.File{{Field: "file", Name: "x", MIME: "image/jpeg", Data: photoBytes}}})
	if q := decode[pass.Pass](t, back); q.Status != pass.Returned {
		t.Errorf("G-038 G2 return with the field file: %+v", q)
	}
	if q := decode[pass.Pass](t, g.Do(ctx, get("/gate/gatepass/number/gp-2026-0001"))); q.ID != p.ID {
		t.Errorf("G-040 %+v", q)
	}
	if q := decode[pass.Pass](t, g.Do(ctx, get("/gate/gatepass/id/"+p.ID))); q.ID != p.ID {
		t.Errorf("G-042 %+v", q)
	}
	if l := decode[rest.PhotoList](t, g.Do(ctx, get("/gate/photos/GP-2026-0001"))); len(l.Items) != 2 || l.Items[0].SHA256 == "" {
		t.Errorf("G-044 %+v", l)
	}
	if r := g.Do(ctx, get("/gate/photos/GP-2026-0001/exit")); r.Type != "image/jpeg" || len(r.Body) == 0 {
		t.Errorf("photo: %d %s", r.StatusCode, r.Type)
	}
	type notes struct{ Items []pass.Notification }
	forAdmin := decode[notes](t, a.Do(ctx, get("/notifications/admin")))
	forHR := decode[notes](t, h.Do(ctx, get("/notifications/hr")))
	if len(forAdmin.Items) != 1 || len(forHR.Items) != 3 {
		t.Fatalf("G-046 G-048 %+v %+v", forAdmin, forHR)
	}
	if r := a.Do(ctx, get("/notifications/mark-read/"+forAdmin.Items[0].ID)); !r.Success {
		t.Errorf("G-050 GET mark-read: %d", r.StatusCode)
	}
	if n := decode[pass.Notification](t, h.Do(ctx, post("/notifications/mark-read/"+forHR.Items[0].ID, nil))); !n.Read {
		t.Errorf("G6 POST mark-read: %+v", n)
	}
	for name, c := range map[string]*client.Client{"hr": h, "admin": a, "gate": g} {
		if r := c.Do(ctx, get("/qr/GP-2026-0001")); r.Type != "image/png" || !bytes.HasPrefix(r.Body, []byte("\x89PNG")) {
			t.Errorf("G-052 QR for %s: %d %s", name, r.StatusCode, r.Type)
		}
	}
	second := decode[pass.Pass](t, h.Do(ctx, post("/hr/gatepass/create", particulars{"Sunil", "x", false})))
	if q := decode[pass.Pass](t, a.Do(ctx, post("/admin/gatepass/"+second.Number+"/reject", struct {
		Name string `json:"name"`
	}{"Meera Iyer"}))); q.Status != pass.Rejected || q.ClaimedName != "" {
		t.Errorf("G-028 %+v", q)
	}
	if q := decode[pass.Pass](t, a.Do(ctx, post("/admin/gatepass/"+second.Number+"/delete", nil))); q.Status != pass.Deleted {
		t.Errorf("G-030 %+v", q)
	}
	if an := decode[office.Analytics](t, a.Do(ctx, get("/admin/gatepass/analytics"))); an.ByStatus[pass.Returned] != 1 || an.ByStatus[pass.Deleted] != 1 {
		t.Errorf("analytics %+v", an)
	}
}

func TestErrors(t *testing.T) {
	t.Parallel()
	for _, database := range []string{"sqlite", "postgres"} {
		t.Run(database, func(t *testing.T) {
			t.Parallel()
			testErrors(t, database)
		})
	}
}

func testErrors(t *testing.T, database string) {
	b := apptest.Open(t, gatepass.App, apptest.Options{At: monday, Database: database, Change: func(c app.Config) { c.(*gatepass.Config).PhotoLimit = 4096 }})
	ctx := t.Context()
	h, a := api(b, hr), api(b, admin)
	h.Do(ctx, post("/hr/gatepass/create", particulars{"Ravi Kumar", "bank", true}))
	tests := []struct {
		name   string
		res    client.Response
		status int
		kind   client.ErrorType
	}{
		{"G9 nobody", api(b, dossier.Principal{}).Do(ctx, get("/hr/gatepass/list")), 401, client.NotSignedIn},
		{"G9 wrong role", api(b, gate).Do(ctx, get("/hr/gatepass/list")), 403, client.WrongRole},
		{"G-108 HR approves", h.Do(ctx, post("/admin/gatepass/GP-2026-0001/approve", nil)), 403, client.WrongRole},
		{"G-108 admin scans", upload(b, admin, "/gate/scan-exit", map[string]string{"pass_number": "GP-2026-0001"}, photoBytes), 403, client.WrongRole},
		{"G-109 wrong state", upload(b, gate, "/gate/scan-exit", map[string]string{"pass_number": "GP-2026-0001"}, photoBytes), 403, client.WrongState},
		{"G-109 unknown pass", a.Do(ctx, get("/admin/gatepass/GP-2026-0099")), 404, client.NotFound},
		{"G-109 invalid input", h.Do(ctx, post("/hr/gatepass/create", particulars{"", "bank", true})), 422, client.Validation},
		{"G-079 no answer to returnable", h.Do(ctx, post("/hr/gatepass/create", particulars{"A", "bank", nil})), 422, client.Validation},
		{"a body of the wrong type", h.Do(ctx, client.Request{Method: "POST", Endpoint: "/hr/gatepass/create", JSON: json.RawMessage(`"{"`)}), 422, client.Validation},
		{"G-079 bad number", a.Do(ctx, get("/admin/gatepass/12")), 422, client.Validation},
		{"G-079 bad status", h.Do(ctx, get("/hr/gatepass/list?status=lost")), 422, client.Validation},
		{"G-109 not a photo", upload(b, gate, "/gate/scan-exit", map[string]string{"pass_number": "GP-2026-0001"}, []byte("GIF89a")), 422, client.Validation},
		{"G-085 too large", upload(b, gate, "/gate/scan-exit", map[string]string{"pass_number": "GP-2026-0001"}, append(bytes.Clone(photoBytes), make([]byte, 5000)...)), 413, client.TooLarge},
		{"much too large", upload(b, gate, "/gate/scan-exit", map[string]string{"pass_number": "GP-2026-0001"}, make([]byte, 1<<20)), 413, client.TooLarge},
		{"G-036 no photo", api(b, gate).Do(ctx, client.Request{Method: "POST", Endpoint: "/gate/scan-exit", Fields: map[string]string{"pass_number": "GP-2026-0001"},
			Files: []client.File{{Field: "other", Name: "x", MIME: "image/jpeg", Data: photoBytes}}}), 422, client.Validation},
		{"G-076 no form at all", api(b, gate).Do(ctx, post("/gate/scan-exit", nil)), 400, client.BadRequest},
		{"a name that no database takes", a.Do(ctx, post("/admin/gatepass/GP-2026-0001/approve", map[string]string{"name": "a\x00b"})), 422, client.Validation},
		{"a name without end", a.Do(ctx, post("/admin/gatepass/GP-2026-0001/approve?name="+strings.Repeat("x", 121), nil)), 422, client.Validation},
		{"an id that is none", a.Do(ctx, post("/notifications/mark-read/%00", nil)), 404, client.NotFound},
		{"an attachment that is none", a.Do(ctx, get("/gatepass/attachments/%ff")), 404, client.NotFound},
		{"another desk's notification", h.Do(ctx, post("/notifications/mark-read/"+noteOf(t, a), nil)), 403, client.WrongRole},
	}
	for _, tt := range tests {
		if tt.res.StatusCode != tt.status || tt.res.Info == nil || tt.res.Info.Type != tt.kind || tt.res.Info.Guidance == "" {
			t.Errorf("%s: got %d %+v", tt.name, tt.res.StatusCode, tt.res.Info)
		}
	}
	state := tests[4].res.Info.Context
	if state.State != "pending" || !slices.Equal(state.Allowed, []string{"approve", "reject", "delete"}) || !slices.Equal(state.AllowedFrom, []string{"approved"}) {
		t.Errorf("G9 wrong state: %+v", state)
	}
	if field := tests[6].res.Info.Context.Parameter; field != "person_name" {
		t.Errorf("G9 field: %q", field)
	}
	maybe := h.Do(ctx, post("/hr/gatepass/create", particulars{"Ravi", "bank", "maybe"}))
	if maybe.StatusCode != 422 || maybe.Info.Context.Parameter != "is_returnable" || strings.Contains(string(maybe.Error), "Go ") {
		t.Errorf("G9 a value of the wrong kind: %d %+v", maybe.StatusCode, maybe.Info)
	}
}

func noteOf(t *testing.T, c *client.Client) string {
	t.Helper()
	n := decode[struct{ Items []pass.Notification }](t, c.Do(t.Context(), get("/notifications/admin")))
	return n.Items[0].ID
}

func TestForgedActor(t *testing.T) {
	t.Parallel()
	b := apptest.Open(t, gatepass.App, apptest.Options{At: monday})
	c := api(b, hr)
	for name, header := range map[string]string{
		"nonsense": "x.y", "unsigned": strings.Split(rest.Acting(hr, b.Env.Sign, monday), ".")[0] + ".AAAA",
		"old": rest.Acting(hr, b.Env.Sign, monday.Add(-time.Hour)),
	} {
		c.Authorize = func(_ context.Context, r *http.Request) error { r.Header.Set("Dossier-Acting-For", header); return nil }
		if r := c.Do(t.Context(), get("/hr/gatepass/list")); r.StatusCode != 401 {
			t.Errorf("%s: %d", name, r.StatusCode)
		}
	}
}
