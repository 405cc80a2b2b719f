package lake_test

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"
	"gocloud.dev/blob"
	"gocloud.dev/blob/memblob"

	"dossier"
	"dossier/apps/airshed/lake"
)

// pauses records what a lake would have slept.
type pauses struct{ slept []time.Duration }

func (p *pauses) sleep(_ context.Context, d time.Duration) error {
	p.slept = append(p.slept, d)
	return nil
}

func newLake(t *testing.T, url string, p *pauses) *lake.Lake {
	t.Helper()
	return &lake.Lake{URL: url, Retries: 3, Base: time.Second, Dir: t.TempDir(), Sleep: p.sleep, Log: slog.New(slog.DiscardHandler)}
}

func put(t *testing.T, dir, key, text string, modified time.Time) {
	t.Helper()
	name := filepath.Join(dir, filepath.FromSlash(key))
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(name, modified, modified); err != nil {
		t.Fatal(err)
	}
}

func TestLatest(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	old := time.Date(2025, 11, 14, 6, 0, 0, 0, time.UTC)
	put(t, dir, "data/z.json", "old", old)
	put(t, dir, "data/a.json", "new", old.Add(time.Hour))
	put(t, dir, "other/b.json", "elsewhere", old.Add(2*time.Hour))
	put(t, dir, "data/empty", "", old.Add(3*time.Hour))
	p := &pauses{}
	l := newLake(t, "file://"+dir, p)
	t.Run("A-011 A-019 A-020 A-126 the newest under the prefix", func(t *testing.T) {
		o, err := l.Latest(t.Context(), "data/")
		if err != nil || string(o.Data) != "new" || o.Key != "data/a.json" || !o.Modified.Equal(old.Add(time.Hour)) || o.FromCache {
			t.Fatalf("%+v, %v", o, err)
		}
		if o.Locator() != "file://"+dir+"/data/a.json" || len(o.SHA256) != 64 {
			t.Errorf("%+v", o)
		}
	})
	t.Run("nothing there is told at once", func(t *testing.T) {
		_, err := l.Latest(t.Context(), "nowhere/")
		if !errors.Is(err, dossier.NotFound) || len(p.slept) != 0 {
			t.Errorf("%v after %v", err, p.slept)
		}
	})
	t.Run("A-123 no way out of the bucket", func(t *testing.T) {
		for _, prefix := range []string{"../", "data/../../", "/etc", `a\b`} {
			if _, err := l.Latest(t.Context(), prefix); !errors.Is(err, dossier.Invalid) {
				t.Errorf("%q: %v", prefix, err)
			}
		}
		if _, err := l.Put(t.Context(), "reports/../../x", "text/plain", nil); !errors.Is(err, dossier.Invalid) {
			t.Error(err)
		}
	})
	t.Run("A-121 no credentials in the address", func(t *testing.T) {
		bad := newLake(t, "s3://key:secret@bucket", p)
		if _, err := bad.Latest(t.Context(), "data/"); !errors.Is(err, dossier.Invalid) {
			t.Error(err)
		}
	})
	if l.Name() != filepath.Base(dir) {
		t.Error(l.Name())
	}
}

func TestRetries(t *testing.T) {
	t.Parallel()
	broken := errors.New("connection reset")
	failing := func(times int, calls *int) func(context.Context, string) (*blob.Bucket, error) {
		return func(ctx context.Context, _ string) (*blob.Bucket, error) {
			if *calls++; *calls <= times {
				return nil, broken
			}
			b := memblob.OpenBucket(nil)
			return b, b.WriteAll(ctx, "data/x.json", []byte("there"), nil)
		}
	}
	t.Run("A-024 A1 A-108 A-110 one call and three retries, after 1, 2 and 4 seconds", func(t *testing.T) {
		t.Parallel()
		p, calls := &pauses{}, 0
		l := newLake(t, "mem://", p)
		l.Open = failing(3, &calls)
		o, err := l.Latest(t.Context(), "data/")
		if err != nil || string(o.Data) != "there" || calls != 4 {
			t.Errorf("%v after %d calls", err, calls)
		}
		if !slices.Equal(p.slept, []time.Duration{time.Second, 2 * time.Second, 4 * time.Second}) {
			t.Error(p.slept)
		}
	})
	t.Run("A-025 A-090 S3 read failed after the last", func(t *testing.T) {
		t.Parallel()
		p, calls := &pauses{}, 0
		var text strings.Builder
		l := newLake(t, "mem://", p)
		l.Log = slog.New(slog.NewTextHandler(&text, nil))
		l.Open = failing(99, &calls)
		_, err := l.Latest(t.Context(), "data/")
		if !errors.Is(err, lake.ErrRead) || !errors.Is(err, dossier.Unavailable) || !strings.HasPrefix(dossier.Message(err), "S3 read failed") || calls != 4 {
			t.Errorf("%v after %d calls", err, calls)
		}
		// A-026 A-090: each attempt is in the log, with what went wrong.
		if n := strings.Count(text.String(), "lake read failed"); n != 4 || !strings.Contains(text.String(), "connection reset") {
			t.Errorf("%d lines:\n%s", n, text.String())
		}
	})
	t.Run("A-023 A-090 the last good read, marked", func(t *testing.T) {
		t.Parallel()
		p, calls := &pauses{}, 0
		l := newLake(t, "mem://", p)
		l.Open = failing(0, &calls)
		good, err := l.Latest(t.Context(), "data/")
		if err != nil {
			t.Fatal(err)
		}
		if err := l.Remember("data/", good); err != nil {
			t.Fatal(err)
		}
		l.Open = failing(99, &calls)
		o, err := l.Latest(t.Context(), "data/")
		if err != nil || !o.FromCache || string(o.Data) != "there" || o.SHA256 != good.SHA256 || !strings.Contains(o.Failure, "connection reset") {
			t.Errorf("%+v, %v", o, err)
		}
		if _, err := l.Latest(t.Context(), "other/"); !errors.Is(err, lake.ErrRead) {
			t.Errorf("another prefix has no last good read: %v", err)
		}
	})
	t.Run("a stop ends the waiting", func(t *testing.T) {
		t.Parallel()
		ctx, stop := context.WithCancel(t.Context())
		calls := 0
		l := newLake(t, "mem://", &pauses{})
		l.Open = failing(99, &calls)
		l.Sleep = func(ctx context.Context, _ time.Duration) error { stop(); return ctx.Err() }
		if _, err := l.Latest(ctx, "data/"); !errors.Is(err, context.Canceled) || calls != 1 {
			t.Errorf("%v after %d calls", err, calls)
		}
	})
}

// TestS3 talks to a real S3 server over HTTP. It sets the environment in which the
// store's own credential chain looks, and so cannot run beside other tests.
func TestS3(t *testing.T) {
	t.Setenv("AWS_ACCESS_KEY_ID", "test")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "test")
	var mu sync.Mutex
	var encryption []string
	fake := gofakes3.New(s3mem.New()).Server()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPut && strings.Count(r.URL.Path, "/") > 1 {
			mu.Lock()
			encryption = append(encryption, r.Header.Get("X-Amz-Server-Side-Encryption"))
			mu.Unlock()
		}
		fake.ServeHTTP(w, r)
	}))
	defer server.Close()
	req, _ := http.NewRequestWithContext(t.Context(), http.MethodPut, server.URL+"/airshed", nil)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	l := newLake(t, "s3://airshed?region=ap-south-1&use_path_style=true&endpoint="+server.URL, &pauses{})
	for _, key := range []string{"data/one.json", "data/two.json"} {
		path, err := l.Put(t.Context(), key, "application/json", []byte(`{"key":"`+key+`"}`))
		if err != nil || path != "s3://airshed/"+key {
			t.Fatalf("A-050: %q, %v", path, err)
		}
	}
	o, err := l.Latest(t.Context(), "data/")
	if err != nil || o.Key != "data/two.json" || o.Locator() != "s3://airshed/data/two.json" {
		t.Fatalf("%+v, %v", o, err)
	}
	if !slices.Equal(encryption, []string{"AES256", "AES256"}) {
		t.Errorf("A-125: encryption asked for on each write: %q", encryption)
	}
	if back, err := l.Get(t.Context(), "data/one.json"); err != nil || string(back) != `{"key":"data/one.json"}` {
		t.Errorf("%s, %v", back, err)
	}
}
