package agent

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"dossier"
	"dossier/internal/model"
)

// TestFollowingIsReplaying: what a run knows after recording an entry is what replaying
// the stored step gives, to the byte.
func TestFollowingIsReplaying(t *testing.T) {
	t.Parallel()
	raw := rapid.SampledFrom([]json.RawMessage{
		json.RawMessage(`{}`), json.RawMessage(`{"a":1}`), json.RawMessage(`{ "a" : 1 }`), json.RawMessage(`{"a":"x y"}`),
		json.RawMessage(`{"a":"<b> & c"}`), json.RawMessage("{\"a\":\"\u2028\"}"), json.RawMessage(`{"a":"\" "}`), json.RawMessage("[1,\n2]"),
		json.RawMessage(`{"mime":"image/png","image_base64":"aGk="}`), json.RawMessage(`null`), json.RawMessage("\"\xff\""),
	})
	text := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"", "plain", "\xff broken", "<tag>", "line\nline"}))
	rapid.Check(t, func(t *rapid.T) {
		m := &mover{Runner: &Runner{Now: clockAtZero}, run: dossier.Run{ID: "r"}, tr: &transcript{}}
		turn := &Turn{
			Model: "m/m", Text: text.Draw(t, "text"), Problem: text.Draw(t, "problem"), Fallback: text.Draw(t, "fallback"),
			Usage: model.Usage{In: 3, Out: 4}, Cost: rapid.Float64Range(0, 9).Draw(t, "cost"),
		}
		entries := []Entry{
			m.entry(dossier.Said, &saidBody{By: "p", Brief: &model.Brief{Input: raw.Draw(t, "input"), Context: raw.Draw(t, "context")}}),
			m.entry(dossier.Said, &saidBody{By: "p", Text: text.Draw(t, "said"), Attached: []Attachment{{Name: text.Draw(t, "file")}}}),
		}
		ids := []string{"c1", "c\xff2"}
		for _, id := range ids[:rapid.IntRange(0, 2).Draw(t, "calls")] {
			turn.Calls = append(turn.Calls, TurnCall{ID: id, Tool: "look", Args: raw.Draw(t, "args")})
		}
		entries = append(entries, m.entry(dossier.ModelTurn, turn))
		for _, c := range turn.Calls {
			entries = append(entries, m.entry(dossier.Returned, &Came{
				Call: c.ID, Tool: c.Tool, Value: raw.Draw(t, "value"), Failed: rapid.Bool().Draw(t, "failed"),
			}))
		}
		followed, replayed := &transcript{}, &transcript{}
		for i := range entries {
			entries[i].Step.Seq = i + 1
			if err := followed.follow(&entries[i]); err != nil {
				t.Fatal(err)
			}
			if err := replayed.apply(entries[i].Step); err != nil {
				t.Fatal(err)
			}
		}
		if diff := cmp.Diff(replayed, followed, cmp.AllowUnexported(transcript{}, openCall{})); diff != "" {
			t.Fatalf("(-replayed +followed):\n%s", diff)
		}
	})
}

func clockAtZero() (zero time.Time) { return zero }
