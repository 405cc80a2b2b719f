package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"sync/atomic"
	"testing"

	"dossier/internal/records"
	"dossier/internal/store/storetest"
)

// TestEvalSurvivesKill kills a suite under way with SIGKILL. What was finished is
// stored; --resume goes on with the same run and plays only what is missing.
func TestEvalSurvivesKill(t *testing.T) {
	t.Parallel()
	var asked atomic.Int64
	reached := make(chan struct{})
	const at = 12 // the request at which the process is killed
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if asked.Add(1) == at {
			_, _ = io.Copy(io.Discard, r.Body) // so that the server notices who is gone
			close(reached)
			<-r.Context().Done() // it never gets its answer
			return
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"id":"x","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant","content":"banana"}}],"usage":{"prompt_tokens":5,"completion_tokens":2,"total_tokens":7}}`)
	}))
	t.Cleanup(srv.Close)
	dir := t.TempDir()
	config := filepath.Join(dir, "dossier.toml")
	text := fmt.Sprintf("[models.local]\nprovider = \"compatible\"\nmodel = \"m\"\nbase_url = %q\nkey = \"env:KEY\"\nretries = -1\n[prices.\"compatible/m\"]\nin = 10\nout = 100\n", srv.URL)
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	run := func(more ...string) *exec.Cmd {
		cmd := exec.CommandContext(t.Context(), os.Args[0], append([]string{
			"--config", config, "--data", filepath.Join(dir, "data"), "--json", "eval", "run", "poolpatrol/location", "--model", "local", "--parallel", "1", "--only-safety",
		}, more...)...)
		cmd.Env = append(os.Environ(), asProgram+"=1", "KEY=none", "DOSSIER_LOG_LEVEL=error")
		return cmd
	}
	first := run()
	if err := first.Start(); err != nil {
		t.Fatal(err)
	}
	<-reached
	if err := first.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = first.Wait() // it was killed
	st := storetest.OpenURL(t, "sqlite:"+filepath.Join(dir, "data", "dossier.db"), storetest.NewClock())
	left := onlyResult(t, st.Results)
	_, kept, err := st.Result(t.Context(), left.ID)
	if err != nil || left.Done() || len(kept) == 0 {
		t.Fatalf("after the kill: done %v, %d rows, %v", left.Done(), len(kept), err)
	}
	st.Close()
	before := asked.Load()
	var out bytes.Buffer
	second := run("--resume")
	second.Stdout, second.Stderr = &out, os.Stderr
	if err := second.Run(); err != nil {
		t.Fatalf("resume: %v", err)
	}
	var got struct {
		ID       string
		Examples int
		Metrics  map[string]float64
	}
	if err := json.Unmarshal(out.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	st = storetest.OpenURL(t, "sqlite:"+filepath.Join(dir, "data", "dossier.db"), storetest.NewClock())
	done, rows, err := st.Result(t.Context(), left.ID)
	if err != nil || !done.Done() || got.ID != left.ID || len(rows) != got.Examples || got.Examples != 25 {
		t.Fatalf("after resuming: %+v with %d rows, %v; the command said %+v", done, len(rows), err, got)
	}
	for i, row := range kept {
		if rows[i].Ms != row.Ms || rows[i].Path == nil {
			t.Errorf("row %d was played again", i+1)
		}
	}
	// Each turn costs (5*10 + 2*100)/1e6, wherever it was played.
	var turns float64
	for _, row := range rows {
		turns += row.Cost / 250e-6
	}
	if most := float64(asked.Load() - 1); turns < most-4 || turns > most {
		t.Errorf("P-177 the rows cost %v turns, the server was asked %v times", turns, most)
	}
	if again, whole := asked.Load()-before, before*25/int64(len(kept)); again >= whole {
		t.Errorf("resuming asked %d times; a whole run takes about %d", again, whole)
	}
}

// onlyResult returns the one run of a suite that is stored.
func onlyResult(t *testing.T, list func(ctx context.Context, apps []string, suite string, limit int) ([]records.EvalResult, error)) records.EvalResult {
	t.Helper()
	all, err := list(t.Context(), nil, "", 5)
	if err != nil || len(all) != 1 {
		t.Fatalf("got %d results, %v", len(all), err)
	}
	return all[0]
}
