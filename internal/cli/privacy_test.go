package cli

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"dossier"
	"dossier/apps"
	"dossier/apps/netra/ingest"
	"dossier/apps/netra/ingest/ingesttest"
	"dossier/internal/api/apitest"
	"dossier/internal/records"
	"dossier/internal/store/storetest"
)

// TestNoIdentifierIsKept serves the whole product, throws synthetic identifiers of
// every class and disguise at every input of the district risk app, and looks for them
// in every answer, table, file, mail, log line and exported span (N-002, N-060, N-062,
// N-074, N-092, N-104).
func TestNoIdentifierIsKept(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("throws thousands of identifiers")
	}
	for _, database := range storetest.Databases {
		t.Run(database, func(t *testing.T) { // one after the other: a process sends its spans to one place
			v := serveVictim(t, storetest.URL(t, database))
			v.reports()
			v.words()
			v.feed()
			v.decide()
			v.settle()
			v.label()
			v.read()
			v.search()
		})
	}
}

// A victim is the product while identifiers are thrown at it.
type victim struct {
	t       *testing.T
	ids     []ingesttest.Identifier
	url     string
	p       *product
	stop    func()
	dir     string
	officer apitest.Person
	senior  apitest.Person
	logs    loud
	spans   loud
	answers loud
	news    loud // what the feed says
}

// loud keeps everything that is written to it.
type loud struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *loud) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *loud) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func serveVictim(t *testing.T, store string) *victim {
	t.Helper()
	v := &victim{t: t, ids: ingesttest.All(2023, 38), dir: t.TempDir()}
	classes := map[string]int{}
	for _, id := range v.ids {
		classes[id.Class]++
	}
	for _, c := range ingest.Classes {
		if classes[string(c)] < 300 {
			t.Fatalf("only %d identifiers of the class %s", classes[string(c)], c)
		}
	}
	collector := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { _, _ = io.Copy(&v.spans, r.Body) }))
	t.Cleanup(collector.Close)
	feed := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `<rss version="2.0"><channel><title>t</title>`+v.news.String()+`</channel></rss>`)
	}))
	t.Cleanup(feed.Close)
	l := &line{
		Terminal: Terminal{In: strings.NewReader(""), Out: &v.logs, Err: &v.logs, Env: func(string) string { return "" }}, apps: apps.All(), now: time.Now, data: v.dir,
		sets: []string{
			"store.url=" + store, "http.addr=127.0.0.1:0", "log.level=debug", "trace.endpoint=" + collector.URL, "trace.text=true",
			"apps.netra.feeds=" + feed.URL, "apps.netra.mail=duty@example.org",
		},
	}
	ctx, cancel := context.WithCancel(context.Background())
	ready, ended := make(chan *product, 1), make(chan error, 1)
	go func() {
		err := l.serveUntilStopped(ctx, func(_ context.Context, p *product) error { ready <- p; return nil })
		if l.open != nil {
			l.open.close()
		}
		ended <- err
	}()
	v.stop = sync.OnceFunc(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(v.stop)
	select {
	case v.p = <-ready:
	case err := <-ended:
		ended <- nil
		t.Fatal(err)
	}
	v.url, v.officer, v.senior = v.p.url(), person(t, v.p, "officer", "officer"), person(t, v.p, "senior", "senior")
	return v
}

// say does a request and keeps the answer.
func (v *victim) say(as apitest.Person, method, path string, body any) (int, []byte) {
	v.t.Helper()
	var in []byte
	switch b := body.(type) {
	case nil:
	case string:
		in = []byte(b)
	default:
		var err error
		if in, err = json.Marshal(b); err != nil {
			v.t.Fatal(err)
		}
	}
	r, err := http.NewRequestWithContext(v.t.Context(), method, v.url+path, bytes.NewReader(in))
	if err != nil {
		v.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+as.Token)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		v.t.Fatal(err)
	}
	defer res.Body.Close()
	got, err := io.ReadAll(res.Body)
	if err != nil {
		v.t.Fatal(err)
	}
	_, _ = v.answers.Write(append(got, '\n'))
	return res.StatusCode, got
}

func (v *victim) must(as apitest.Person, method, path string, body any) []byte {
	v.t.Helper()
	status, got := v.say(as, method, path, body)
	if status/100 != 2 {
		v.t.Fatalf("%s %s answered %d: %s", method, path, status, got)
	}
	return got
}

// A sentReport is one that holds four identifiers, each in another field.
type sentReport struct {
	State     string `json:"state"`
	District  string `json:"district"`
	Location  string `json:"location"`
	Text      string `json:"text"`
	Timestamp string `json:"timestamp"`
	URL       string `json:"source_url"`
	Type      string `json:"source_type"`
}

// batch makes reports of all identifiers, so that over four turns each stands in every
// field once.
func (v *victim) batch(turn int) (out []sentReport) {
	places := ingest.Places()
	for i, four := range slices.Collect(slices.Chunk(v.ids, 4)) {
		field := func(k int) string { return four[(k+turn)%len(four)].Text }
		p := places[(i/40)%len(places)]
		out = append(out, sentReport{
			p.State, p.District, field(0), fmt.Sprintf("Bandh and violence number %d-%d at the border, %s", turn, i, field(1)),
			time.Now().Add(-time.Hour).UTC().Format(time.RFC3339), "https://example.org/" + field(2), field(3),
		})
	}
	return out
}

// reports sends reports in every format, and rows that must be refused.
func (v *victim) reports() {
	v.t.Helper()
	for chunk := range slices.Chunk(v.batch(0), 200) {
		v.must(v.officer, http.MethodPost, "/ingest", map[string][]sentReport{"reports": chunk})
	}
	var lines, table strings.Builder
	for _, r := range v.batch(1) {
		raw, err := json.Marshal(r)
		if err != nil {
			v.t.Fatal(err)
		}
		lines.Write(append(raw, '\n'))
	}
	v.must(v.officer, http.MethodPost, "/ingest", map[string]string{"format": "jsonl", "content": lines.String()})
	w := csv.NewWriter(&table)
	_ = w.Write([]string{"state", "district", "location", "text", "timestamp", "source_url", "source_type"})
	for _, r := range v.batch(2) {
		_ = w.Write([]string{r.State, r.District, r.Location, r.Text, r.Timestamp, r.URL, r.Type})
	}
	for _, id := range v.ids {
		now := time.Now().UTC().Format(time.RFC3339)
		_ = w.Write([]string{"Assam", id.Text, "", "Bandh", now, "", ""})
		_ = w.Write([]string{id.Text, "Cachar", "", "Bandh", now, "", ""})
		_ = w.Write([]string{"Assam", "Cachar", "", "Bandh", id.Text, "", ""})
		_ = w.Write([]string{"Assam", "Cachar", "", id.Text, now, "", ""})
	}
	w.Flush()
	v.must(v.officer, http.MethodPost, "/ingest", map[string]string{"format": "csv", "content": table.String()})
	for _, r := range v.batch(3) {
		fmt.Fprintf(&v.news, "<item><title>%s</title><description>%s</description><link>%s</link><pubDate>%s</pubDate></item>",
			html.EscapeString("Bandh in "+r.District+" "+r.Text), html.EscapeString(r.Location), html.EscapeString(r.URL+"/"+url.PathEscape(r.Type)), time.Now().Add(-time.Hour).UTC().Format(time.RFC1123Z))
	}
}

// words says identifiers wherever a person may write: one by one in places and paths,
// several together in notes and conversations.
func (v *victim) words() {
	v.t.Helper()
	for _, id := range v.ids {
		seg, q := url.PathEscape(id.Text), url.QueryEscape(id.Text)
		v.say(v.officer, http.MethodPost, "/analyze", map[string]string{"district": id.Text, "state": id.Text})
		v.say(v.officer, http.MethodPost, "/analyze", `{"district": "`+id.Text)
		v.say(v.officer, http.MethodGet, "/risk-score/"+seg+"?state="+q, nil)
		v.say(v.officer, http.MethodGet, "/risk-history/Cachar?window="+q, nil)
	}
	for some := range slices.Chunk(v.ids, 8) {
		text := allOf(some)
		v.must(v.officer, http.MethodPost, "/analyze", map[string]string{"district": "Cachar", "state": "Assam"})
		v.must(v.officer, http.MethodPost, "/review", map[string]any{"district": "Cachar", "false_alarm": true, "note": text})
		v.say(v.officer, http.MethodPost, "/review", map[string]any{"district": text, "false_alarm": text})
	}
	for some := range slices.Chunk(v.ids, 24) {
		text := allOf(some)
		v.must(v.officer, http.MethodPost, "/api/v1/chat", map[string]any{"app": "netra", "text": "Why is Cachar flagged? " + text, "input": map[string]string{"note": text}})
		v.must(v.officer, http.MethodPost, "/api/v1/events/netra/netra.retention", map[string]any{"note": text})
		v.must(v.officer, http.MethodPost, "/api/v1/triggers/netra/retention", map[string]any{"event": []string{text}})
		v.say(v.officer, http.MethodPost, "/mcp", map[string]any{"jsonrpc": "2.0", "id": 1, "method": "tools/call",
			"params": map[string]any{"name": "netra_score_district", "arguments": map[string]string{"district": text}}})
		v.say(v.officer, http.MethodGet, "/api/v1/cases?q="+url.QueryEscape(text), nil)
	}
	for i, some := range slices.Collect(slices.Chunk(v.ids, 900)) {
		v.must(v.officer, http.MethodPost, "/weights", map[string]any{"layer_weights": map[string]float64{"physical": 1.1 + float64(i)/10}, "why": allOf(some)})
	}
}

func allOf(ids []ingesttest.Identifier) string {
	parts := make([]string, len(ids))
	for i, id := range ids {
		parts[i] = id.Text
	}
	return strings.Join(parts, " and then ")
}

// feed has the product read the feed.
func (v *victim) feed() {
	v.t.Helper()
	v.must(v.officer, http.MethodPost, "/api/v1/triggers/netra/feeds", map[string]any{})
	v.eventually("the feed was not read", func() bool { return strings.Contains(v.logs.String(), "feed read") })
}

// decide answers what the senior officer is asked, with notes.
func (v *victim) decide() {
	v.t.Helper()
	v.settle()
	asked, err := v.p.store.ListApprovals(v.t.Context(), records.ApprovalQuery{Apps: []string{"netra"}, Statuses: []dossier.ApprovalStatus{dossier.Pending}, Now: time.Now(), Limit: 500})
	if err != nil || len(asked) < 6 {
		v.t.Fatalf("%d approvals wait, %v", len(asked), err)
	}
	by := dossier.Principal{ID: "u-2", Name: "Second", Roles: []dossier.Role{"senior"}}
	if _, err := v.p.inbox.Decide(v.t.Context(), asked[0].ID, asked[0].Digest, dossier.Decision{Verb: dossier.Reject, By: by, Note: allOf(v.ids)}); err != nil {
		v.t.Fatal(err)
	}
	decided := 0
	for i, a := range asked[1:] {
		verb := []dossier.Verb{dossier.Approve, dossier.Reject, dossier.Respond}[i%3]
		status, got := v.say(v.senior, http.MethodPost, "/api/v1/approvals/"+string(a.ID)+"/decision",
			map[string]any{"verb": verb, "digest": a.Digest, "note": allOf(v.ids[i*20:][:20])})
		switch {
		case status/100 == 2:
			decided++
		case status != http.StatusConflict: // at a full hour scores are made anew, and what rested on the old is void
			v.t.Fatalf("deciding %s answered %d: %s", a.ID, status, got)
		}
	}
	if decided < 6 {
		v.decide()
	}
}

// label says what would have been right, with identifiers in every part of it.
func (v *victim) label() {
	v.t.Helper()
	var queued struct {
		Items []records.LabelItem `json:"items"`
	}
	if err := json.Unmarshal(v.must(v.senior, http.MethodGet, "/api/v1/evals/labels?app=netra&limit=200", nil), &queued); err != nil || len(queued.Items) < 6 {
		v.t.Fatalf("%d items to label, %v", len(queued.Items), err)
	}
	per := (len(v.ids) + len(queued.Items) - 1) / len(queued.Items)
	for i, some := range slices.Collect(slices.Chunk(v.ids, per)) {
		text := allOf(some)
		v.must(v.senior, http.MethodPost, "/api/v1/evals/labels/"+queued.Items[i].ID,
			map[string]any{"good": false, "note": allOf(some[:min(20, len(some))]), "right": map[string]any{"level": "LOW", "why": []string{text}}})
	}
}

// settle waits until no run and no job is left.
func (v *victim) settle() {
	v.t.Helper()
	v.eventually("work is left", func() bool {
		ready, err := v.p.store.Runs(v.t.Context(), records.RunQuery{Status: dossier.Ready, Limit: 1})
		if err != nil {
			v.t.Fatal(err)
		}
		return len(ready) == 0
	})
}

func (v *victim) eventually(otherwise string, ok func() bool) {
	v.t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	late := time.After(2 * time.Minute)
	for !ok() {
		select {
		case <-tick.C:
		case <-late:
			v.t.Fatal(otherwise)
		}
	}
}

// read asks for everything that the pages show.
func (v *victim) read() {
	v.t.Helper()
	for _, p := range ingest.Places() {
		q := "?window=7d&state=" + url.QueryEscape(p.State)
		for _, path := range []string{"/risk-score/", "/risk-history/", "/signals/"} {
			v.must(v.officer, http.MethodGet, path+url.PathEscape(p.District)+q, nil)
		}
	}
	for _, path := range []string{"/districts", "/review", "/weights", "/retention", "/api/v1/cases?limit=100", "/api/v1/runs?limit=100", "/api/v1/chat?limit=100", "/api/v1/approvals?limit=200"} {
		v.must(v.officer, http.MethodGet, path, nil)
	}
	var cases struct {
		Items []dossier.Case `json:"items"`
	}
	if err := json.Unmarshal(v.must(v.officer, http.MethodGet, "/api/v1/cases?limit=100", nil), &cases); err != nil || len(cases.Items) == 0 {
		v.t.Fatalf("%d cases, %v", len(cases.Items), err)
	}
	for _, c := range cases.Items {
		for _, part := range []string{"", "/evidence", "/findings", "/timeline"} {
			v.must(v.officer, http.MethodGet, "/api/v1/cases/"+string(c.ID)+part, nil)
		}
		v.must(v.officer, http.MethodPost, "/api/v1/cases/"+string(c.ID)+"/why", map[string]string{"question": allOf(v.ids[:5])})
	}
}

// search ends the product and looks for every identifier in all that is left of it.
func (v *victim) search() {
	v.t.Helper()
	places := storetest.Dump(v.t, v.p.store)
	v.stop()
	places["answers"], places["the log"], places["spans"] = v.answers.String(), v.logs.String(), v.spans.String()
	err := filepath.WalkDir(v.dir, func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		raw, err := os.ReadFile(name)
		places[name] = string(raw)
		return err
	})
	if file, ok := strings.CutPrefix(v.p.Store.URL, "sqlite:"); ok && err == nil {
		var raw []byte
		file, _, _ = strings.Cut(file, "?")
		for _, name := range []string{file, file + "-wal"} {
			if raw, err = os.ReadFile(name); err == nil {
				places[name] = string(raw)
			}
		}
		if errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
	}
	if err != nil {
		v.t.Fatal(err)
	}
	for where, text := range map[string]string{"netra_signals": "Bandh", "answers": "Bandh", "the log": "feed read", "spans": "score_district", "steps": "flagged"} {
		if !strings.Contains(places[where], text) {
			v.t.Errorf("%s holds no %q, so nothing was tested there", where, text)
		}
	}
	found := 0
	for where, text := range places {
		for _, id := range ingesttest.Survivors(v.ids, text) {
			if found++; found < 30 {
				v.t.Errorf("%s, %s: %q survives in %s", id.Class, id.Form, id.Text, where)
			}
		}
	}
	v.t.Logf("%d identifiers, looked for in %d places; %d found", len(v.ids), len(places), found)
}
