package api

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"dossier"
	"dossier/internal/records"
	"dossier/internal/webhook"
)

func TestWebhooks(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.audit("EMP-0")
	var secret string
	var got []records.Event
	to := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		want := "v1," + webhook.Signature(secret, r.Header.Get("Webhook-Id"), r.Header.Get("Webhook-Timestamp"), body)
		if r.Header.Get("Webhook-Signature") != want {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		var e records.Event
		if err := json.Unmarshal(body, &e); err != nil {
			t.Error(err)
		}
		got = append(got, e)
	}))
	defer to.Close()
	var added AddedWebhook
	h.do("admin", http.MethodPost, "/api/v1/webhooks", map[string]any{"url": to.URL, "kinds": []string{"approval.*"}, "apps": []string{"fleet"}}).want(201, &added)
	secret = added.Secret
	_, _, a := h.audit("EMP-1")
	for more := true; more; {
		var err error
		if more, err = h.server.sender().Once(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if len(got) != 1 || got[0].Approval != a.ID {
		t.Errorf("delivered %+v", got)
	}
	list := h.do("auditor", http.MethodGet, "/api/v1/webhooks").want(200, nil)
	if strings.Contains(string(list.body), secret) || !strings.Contains(string(list.body), added.ID) {
		t.Errorf("the list shows %s", list.body)
	}
	var test struct {
		OK   bool
		Note string
	}
	h.do("admin", http.MethodPost, "/api/v1/webhooks/"+added.ID+"/test").want(200, &test)
	if !test.OK || len(got) != 2 || got[1].Kind != "webhook.test" {
		t.Errorf("test: %+v, got %+v", test, got)
	}
	secret = "whsec_other"
	h.do("admin", http.MethodPost, "/api/v1/webhooks/"+added.ID+"/test").want(200, &test)
	if test.OK || test.Note != "The address answered 403." {
		t.Errorf("refused: %+v", test)
	}

	path := "/api/v1/webhooks/" + added.ID
	tag := h.do("auditor", http.MethodGet, path).want(200, nil).Header.Get("ETag")
	h.do("admin", http.MethodPatch, path, map[string]any{"enabled": false}).problem(422, dossier.Invalid)
	h.do("admin", http.MethodPatch, path, "If-Match: "+tag, map[string]any{"url": "ftp://x.test"}).problem(422, dossier.Invalid)
	var w records.Webhook
	res := h.do("admin", http.MethodPatch, path, "If-Match: "+tag, map[string]any{"enabled": false, "kinds": []string{}}).want(200, &w)
	if w.Enabled || len(w.Kinds) != 0 || w.URL != to.URL {
		t.Errorf("got %+v", w)
	}
	if msg := h.do("admin", http.MethodPatch, path, "If-Match: "+tag, map[string]any{"enabled": true}).problem(412, dossier.Conflict); !strings.Contains(msg, "meanwhile") {
		t.Errorf("the second is told %q", msg)
	}
	sent := w.Sent
	h.audit("EMP-2")
	h.do("admin", http.MethodPatch, path, "If-Match: "+res.Header.Get("ETag"), map[string]any{"enabled": true, "skip": true}).want(200, &w)
	if w.Sent <= sent || int64(w.Dropped) != w.Sent-sent {
		t.Errorf("skipped from %d: %+v", sent, w)
	}
	h.do("admin", http.MethodDelete, "/api/v1/webhooks/"+added.ID).want(204, nil)
	h.do("admin", http.MethodDelete, "/api/v1/webhooks/"+added.ID).problem(404, dossier.NotFound)
	h.do("admin", http.MethodGet, path).problem(404, dossier.NotFound)
	h.do("admin", http.MethodPatch, path, "If-Match: "+tag, map[string]any{}).problem(404, dossier.NotFound)
	for _, bad := range []string{"", "ftp://x.test", "https://", "https://user:pw@x.test"} {
		h.do("admin", http.MethodPost, "/api/v1/webhooks", map[string]any{"url": bad}).problem(422, dossier.Invalid)
	}
	h.do("admin", http.MethodPost, "/api/v1/webhooks", map[string]any{"url": "https://x.test", "apps": []string{"none"}}).problem(422, dossier.Invalid)
}
