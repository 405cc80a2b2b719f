package netra

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"dossier/apps/netra/ingest/ingesttest"
	"dossier/internal/store/storetest"
)

func feedServer(t *testing.T, body string) string {
	t.Helper()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/" {
			http.NotFound(w, r)
			return
		}
		fmt.Fprint(w, body)
	}))
	t.Cleanup(srv.Close)
	return srv.URL + "/"
}

// TestPrivacyN002N060N062N074N104 throws synthetic identifiers of every class and disguise at every input
// and looks for them in every table, log line, mail and answer, with a classifier beside
// the rule. The whole product is tested so in internal/cli.
func TestPrivacyN002N060N062N074N104(t *testing.T) {
	t.Parallel()
	onBoth(t, func(c *Config) { c.Mail = []string{"duty@example.org"}; c.ModelClass = "beside" }, testPrivacy)
}

func testPrivacy(t *testing.T, p *product) {
	ids := ingesttest.All(99, 4)
	if len(ids) < 300 {
		t.Fatalf("only %d identifiers", len(ids))
	}
	at := p.Clock.Now().Add(-time.Hour).Format(time.RFC3339)
	var answers strings.Builder
	say := func(method, path string, body any) {
		_, text := p.Call(method, path, body, nil)
		answers.WriteString(text + "\n")
	}
	var items strings.Builder
	for i, id := range ids {
		text := fmt.Sprintf("Bandh and violence number %d at the border, %s", i, id.Text)
		report := map[string]any{"state": "Assam", "district": "Cachar", "location": id.Text, "text": text, "timestamp": at, "source_url": "https://example.org/" + id.Text, "source_type": id.Text}
		switch i % 4 {
		case 0:
			say("POST", "/ingest", map[string]any{"reports": []any{report}})
		case 1:
			var b strings.Builder
			w := csv.NewWriter(&b)
			_ = w.Write([]string{"state", "district", "location", "text", "timestamp", "source_url"})
			_ = w.Write([]string{"Assam", "Cachar", id.Text, text, at, id.Text})
			_ = w.Write([]string{"Assam", id.Text, "", text, at, ""})
			_ = w.Write([]string{id.Text, "Cachar", "", text, id.Text, ""})
			w.Flush()
			say("POST", "/ingest", map[string]any{"format": "csv", "content": b.String()})
		case 2:
			raw, _ := json.Marshal(report)
			say("POST", "/ingest", map[string]any{"format": "jsonl", "content": string(raw)})
		case 3:
			fmt.Fprintf(&items, "<item><title>Bandh in Cachar %d %s</title><link>https://example.org/%s</link><pubDate>%s</pubDate></item>",
				i, html.EscapeString(id.Text), url.PathEscape(id.Text), p.Clock.Now().Add(-time.Hour).Format(time.RFC1123Z))
		}
		say("POST", "/review", map[string]any{"district": "Cachar", "state": "Assam", "false_alarm": true, "note": text})
		say("POST", "/review", map[string]any{"district": id.Text, "false_alarm": id.Text})
		say("POST", "/analyze", map[string]any{"district": id.Text, "state": id.Text})
		say("POST", "/analyze", `{"district": "`+id.Text)
		say("GET", "/risk-score/"+url.PathEscape(id.Text)+"?state="+url.QueryEscape(id.Text), nil)
		say("GET", "/risk-history/Cachar?days=3&window="+url.QueryEscape(id.Text), nil)
	}
	say("POST", "/weights", map[string]any{"layer_weights": map[string]float64{"physical": 1.2}, "why": ids[0].Text + " " + ids[40].Text})
	p.cfg.Feeds = []string{feedServer(t, `<rss version="2.0"><channel><title>t</title>`+items.String()+`</channel></rss>`)}
	if err := p.pollFeeds(t.Context()); err != nil {
		t.Fatal(err)
	}
	p.Settle()
	for _, path := range []string{"/risk-score/Cachar", "/risk-score/Cachar?window=7d", "/risk-history/Cachar", "/districts", "/signals/Cachar?window=7d", "/review", "/weights", "/retention"} {
		say("GET", path, nil)
	}
	places := storetest.Dump(t, p.Store)
	places["answers"], places["logs"], places["mails"] = answers.String(), p.logs.String(), fmt.Sprint(p.Mail.Sent())
	if !strings.Contains(places["netra_signals"], "Bandh") || !strings.Contains(answers.String(), "Bandh") {
		t.Fatal("nothing was stored, so nothing was tested")
	}
	for where, text := range places {
		for _, id := range ingesttest.Survivors(ids, text) {
			t.Errorf("N-060 N-062 N-074 N-104 %s, %s: %q survives in %s", id.Class, id.Form, id.Text, where)
		}
	}
}
