package agent_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"dossier"
	"dossier/internal/agent"
	"dossier/internal/model"
	"dossier/internal/model/provider"
)

// A hangingOnce takes the first request and never answers it, and greets from then on.
type hangingOnce struct{ asked atomic.Int32 }

func (h *hangingOnce) RoundTrip(r *http.Request) (*http.Response, error) {
	if h.asked.Add(1) == 1 {
		<-r.Context().Done()
		return nil, r.Context().Err()
	}
	const hello = `{"id":"x","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"Hello."},"finish_reason":"stop"}]}`
	return &http.Response{
		StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(strings.NewReader(hello)), Request: r,
	}, nil
}

// TestAProviderThatHangs: the provider's own time-out ends the call, the policy takes
// that turn, and the model has the next one as soon as it answers again.
func TestAProviderThatHangs(t *testing.T) {
	t.Parallel()
	synctest.Test(t, hangsOnce)
}

func hangsOnce(t *testing.T) {
	m, err := provider.New(t.Context(), provider.Config{
		Provider: "compatible", Model: "m", BaseURL: "http://provider.test", Key: "k", Timeout: time.Minute, Retries: -1,
		Client: &http.Client{Transport: &hangingOnce{}},
	})
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld(t)
	w.runner.Model = func(string, *agent.Agent) model.Model { return m }
	w.agent.Policy = func(_ context.Context, req *model.Request) (*model.Reply, error) {
		return req.Calling(model.Planned{Tool: "look", Args: nameIn{"a"}}), nil
	}
	if run := w.drive(); run.Status != dossier.Done || string(run.Answer) != `"Hello."` {
		t.Fatalf("the run is %s with %s; %s", run.Status, run.Answer, run.Failure)
	}
	_, steps, err := w.log.Load(t.Context(), "run-1")
	if err != nil {
		t.Fatal(err)
	}
	var turns []agent.Turn
	for _, s := range steps {
		if s.Kind == dossier.ModelTurn {
			turn, err := agent.TurnOf(s)
			if err != nil {
				t.Fatal(err)
			}
			turns = append(turns, turn)
		}
	}
	if len(turns) != 2 || turns[0].Model != "reference/tester" || turns[1].Model != "compatible/m" {
		t.Fatalf("turns by %+v", turns)
	}
	if !strings.HasSuffix(turns[0].Fallback, "The provider did not answer within 1m0s.") || turns[1].Fallback != "" {
		t.Errorf("fallbacks %q and %q", turns[0].Fallback, turns[1].Fallback)
	}
}
