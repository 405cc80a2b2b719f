package cli

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"dossier/internal/eval"
	"dossier/internal/model"
	"dossier/internal/records"
)

// aVan is the input of a shift example: riders of the day shift, and one more with the
// schedule given.
func aVan(id int, schedule, more string) string {
	rider := func(n int, shift, schedule string) string {
		return fmt.Sprintf(`{"employee_id":"EMP-%d","vanpool_id":"VP-%d","shift_id":%q,"shift_name":"S","zone":"America/Los_Angeles","schedule":%q}`, n, id, shift, schedule)
	}
	return fmt.Sprintf(`{"vanpool_id":"VP-%d","employee_ids":["EMP-1","EMP-2","EMP-3"],"first_day":"2026-11-02","riders":[%s,%s,%s]%s}`,
		id, rider(1, "SH-1", "Mon-Fri 08:15-16:45"), rider(2, "SH-1", "Mon-Fri 08:15-16:45"), rider(3, "SH-2", schedule), more)
}

// writing is a server of the OpenAI protocol that answers with one batch after another,
// and the last again and again.
func writing(t *testing.T, asked *[]string, batches ...string) string {
	t.Helper()
	var n atomic.Int32
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var req struct {
			Messages []struct{ Content json.RawMessage } `json:"messages"`
		}
		if err := json.NewDecoder(r.Body).Decode(&req); err != nil || len(req.Messages) == 0 {
			t.Errorf("%d messages, %v", len(req.Messages), err)
		}
		*asked = append(*asked, string(req.Messages[len(req.Messages)-1].Content))
		i := min(int(n.Add(1)), len(batches)) - 1
		content, _ := json.Marshal(batches[i]) // a string always encodes
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"id":"x","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant","content":%s}}],"usage":{"prompt_tokens":1,"completion_tokens":1,"total_tokens":2}}`, content)
	}))
	t.Cleanup(srv.Close)
	return srv.URL
}

// TestEvalDraft has a model write examples: P-112. What is right is the rule's word,
// whatever the model says; what cannot be used or is there already is left out; and
// nothing joins the suite before a person has accepted it.
func TestEvalDraft(t *testing.T) {
	t.Parallel()
	var asked []string
	night, half := aVan(901, "Mon-Thu,Sun 22:00-06:00", ""), aVan(902, "Mon-Wed 08:15-16:45", "")
	batch := fmt.Sprintf(`{"examples":[
		{"name":"a night rider","input":%s,"want":{"verdict":"pass"}},
		{"name":"the same under another id","input":%s},
		{"name":"what is right inside","input":%s},
		{"name":"no schedule","input":%s},
		{"name":"two schedules","input":%s},
		{"name":"no van","input":{"riders":[]}},
		{"name":"three days of five","input":%s}]}`,
		night, aVan(903, "Mon-Thu,Sun 22:00-06:00", ""), aVan(904, "Mon-Fri 12:00-20:00", `,"want":{"verdict":"pass"}`), aVan(905, "whenever", ""),
		strings.Replace(aVan(906, "Mon-Fri 13:00-21:00", ""), "SH-2", "SH-1", 1), half)
	url := writing(t, &asked, "Sorry, here you are: [", batch)
	l, p, out, err := withConfig(t, "[models.writer]\nprovider = \"compatible\"\nmodel = \"m\"\nbase_url = \""+url+"\"\nkey = \"env:KEY\"\n")
	if err != nil {
		t.Fatal(err)
	}
	l.json = true
	draft := func(args ...string) (r draftedReport, err error) {
		t.Helper()
		out.Reset()
		cmd := l.evalDraft()
		cmd.SetArgs(args)
		cmd.SilenceUsage, cmd.SilenceErrors = true, true
		if err := cmd.ExecuteContext(t.Context()); err != nil {
			return r, err
		}
		return r, json.Unmarshal(out.Bytes(), &r)
	}
	got, err := draft("poolpatrol/shift", "--model", "writer", "--count", "5")
	if err != nil || len(got.Queued) != 2 || got.Model != "compatible/m" {
		t.Fatalf("P-112 %+v, %v", got, err)
	}
	for _, why := range []string{"what is right inside: ", "no schedule: ", "two schedules: The shift SH-1 has two schedules.", "no van: "} {
		if !slices.ContainsFunc(got.Refused, func(r string) bool { return strings.HasPrefix(r, why) }) {
			t.Errorf("P-112 nothing was refused for %q: %q", why, got.Refused)
		}
	}
	if got.Duplicates == 0 || len(asked) != 4 || !strings.Contains(asked[0], "standard nine to five") || !strings.Contains(asked[2], "a night rider") {
		t.Errorf("P-112 %d were there already, %d turns, the first of which was told\n%s", got.Duplicates, len(asked), asked[0])
	}
	items, err := p.store.Unlabelled(t.Context(), []string{"poolpatrol"}, 100)
	if err != nil || len(items) != 2 {
		t.Fatalf("P-112 %d items wait, %v", len(items), err)
	}
	wants := map[string]string{
		night: `{"verdict":"fail","should_detect_conflict":true,"affected_employee_ids":["EMP-3"],"overlap_minutes":{"EMP-3":0}}`,
		half:  `{"verdict":"pass","should_detect_conflict":false,"affected_employee_ids":[]}`,
	}
	for _, it := range items {
		if it.Drafted != "compatible/m" || it.Suite != "shift" || len(it.Got) > 0 || wants[string(it.Input)] != string(it.Want) {
			t.Errorf("P-112 %s: %s wants %s", it.Why, it.Input, it.Want)
		}
	}
	t.Run("P-112 nothing joins before a person accepts it", func(t *testing.T) {
		if exs, err := p.accepted(t.Context(), "poolpatrol", "shift"); err != nil || len(exs) != 0 {
			t.Errorf("%d joined, %v", len(exs), err)
		}
		if _, err := p.label(t.Context(), items[0].ID, records.Label{Good: true, By: l.operator(), At: p.now()}); err != nil {
			t.Fatal(err)
		}
		if _, err := p.label(t.Context(), items[1].ID, records.Label{By: l.operator(), At: p.now()}); err != nil {
			t.Fatal(err)
		}
		exs, err := p.accepted(t.Context(), "poolpatrol", "shift")
		if err != nil || len(exs) != 1 || exs[0].Scenario != eval.Synthetic || string(exs[0].Want) != string(items[0].Want) {
			t.Fatalf("%+v, %v", exs, err)
		}
		res, _, err := l.playTagged(t.Context(), p, "poolpatrol/shift", "eval-", eval.Options{}, false)
		if err != nil || !res.Passed() || len(res.Rows) != 64 || res.Rows[63].Example.Name != items[0].ID {
			t.Errorf("%d rows, passed %v, %v", len(res.Rows), res.Passed(), err)
		}
	})
	t.Run("P-112 asked again, it brings nothing new", func(t *testing.T) {
		again, err := draft("poolpatrol/shift", "--model", "writer", "--count", "5")
		if err != nil || len(again.Queued) != 0 || again.Duplicates != 6 {
			t.Errorf("%+v, %v", again, err)
		}
	})
	for args, want := range map[string]string{
		"poolpatrol/shift":                                "--model ALIAS",
		"poolpatrol/shift --model nobody":                 "No model is configured",
		"poolpatrol/shift --model writer --count 0":       "1 to 200",
		"poolpatrol/casemanager --model writer --count 1": "cannot be drafted",
		"poolpatrol/nothing --model writer":               "There is no suite",
	} {
		if _, err := draft(strings.Fields(args)...); err == nil || !strings.Contains(err.Error(), want) && !strings.Contains(err.Error(), strings.ReplaceAll(want, "cannot be", "can be")) {
			t.Errorf("%s: got %v, want %q", args, err, want)
		}
	}
}

// TestEvalDraftReplies has a model write replies; their bucket is the rule's.
func TestEvalDraftReplies(t *testing.T) {
	t.Parallel()
	var asked []string
	url := writing(t, &asked, `{"examples":[{"name":"q","input":{"text":"Which form do I have to fill in for the van?"}},{"name":"known","input":{"text":"all  GOOD here."}},{"name":"x","input":{"text":5}}]}`)
	_, p, _, err := withConfig(t, "[models.writer]\nprovider = \"compatible\"\nmodel = \"m\"\nbase_url = \""+url+"\"\nkey = \"env:KEY\"\n")
	if err != nil {
		t.Fatal(err)
	}
	var m model.Model = p.models.byAlias["writer"]
	got, err := p.draft(t.Context(), "poolpatrol/outreach", eval.Player{Alias: "writer", Model: m}, 1)
	if err != nil || len(got.Queued) != 1 || got.Duplicates != 0 || len(asked) != 1 {
		t.Fatalf("P-112 %+v after %d turns, %v", got, len(asked), err)
	}
	it, err := p.store.LabelItem(t.Context(), got.Queued[0])
	if err != nil || string(it.Want) != `{"bucket":"question","hitl_required":false}` {
		t.Errorf("P-112 %s wants %s, %v", it.Input, it.Want, err)
	}
	if got, err = p.draft(t.Context(), "poolpatrol/outreach", eval.Player{Alias: "writer", Model: m}, 2); err != nil || len(got.Queued) != 0 || got.Duplicates != 4 || len(got.Refused) != 2 {
		t.Errorf("P-112 %+v, %v", got, err)
	}
}
