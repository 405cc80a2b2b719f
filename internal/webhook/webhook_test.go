package webhook_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"dossier"
	"dossier/internal/records"
	"dossier/internal/store"
	"dossier/internal/store/storetest"
	"dossier/internal/webhook"
)

// An address is where events go, and what it answers.
type address struct {
	*httptest.Server
	status atomic.Int64
	before func() // called once with the next request, if set
	mu     sync.Mutex
	got    []string // texts, in order
	ids    []string
}

func newAddress(t *testing.T) *address {
	t.Helper()
	a := &address{}
	a.status.Store(200)
	a.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		a.mu.Lock()
		a.ids = append(a.ids, r.Header.Get("Webhook-Id"))
		if a.status.Load() == 200 {
			a.got = append(a.got, string(body))
		}
		a.mu.Unlock()
		if do := a.before; do != nil {
			a.before = nil
			do()
		}
		if a.status.Load() == 302 {
			http.Redirect(w, r, "/elsewhere", http.StatusFound)
			return
		}
		w.WriteHeader(int(a.status.Load()))
	}))
	t.Cleanup(a.Close)
	return a
}

type bench struct {
	*webhook.Sender
	t     *testing.T
	store *store.Store
	clock *storetest.Clock
}

func newBench(t *testing.T) bench {
	t.Helper()
	st, clock := storetest.Open(t, "sqlite")
	return bench{t: t, store: st, clock: clock, Sender: &webhook.Sender{
		Store: st, HTTP: http.DefaultClient, Now: clock.Now, Log: slog.New(slog.DiscardHandler),
		Sign: func(m []byte) []byte { return append([]byte("signed:"), m...) },
	}}
}

func (b bench) hook(a *address) string {
	b.t.Helper()
	last, err := b.store.LastEvent(b.t.Context())
	if err != nil {
		b.t.Fatal(err)
	}
	w := records.Webhook{ID: fmt.Sprintf("hook-%s", a.Listener.Addr()), URL: a.URL, Created: b.clock.Now(), Enabled: true, Sent: last}
	if err := b.store.CreateWebhook(b.t.Context(), w); err != nil {
		b.t.Fatal(err)
	}
	return w.ID
}

func (b bench) happen(texts ...string) {
	b.t.Helper()
	for _, text := range texts {
		if err := b.store.Publish(b.t.Context(), records.Event{Kind: "test", App: "fleet", Text: text}); err != nil {
			b.t.Fatal(err)
		}
	}
}

func (b bench) deliver() {
	b.t.Helper()
	for {
		more, err := b.Once(b.t.Context())
		if err != nil {
			b.t.Fatal(err)
		}
		if !more {
			return
		}
	}
}

func (b bench) state(id string) records.Webhook {
	b.t.Helper()
	w, err := b.store.Webhook(b.t.Context(), id)
	if err != nil {
		b.t.Fatal(err)
	}
	return w
}

func TestInOrderAndAgainUntilAnswered(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	a := newAddress(t)
	id := b.hook(a)
	b.happen("one", "two")
	b.deliver()
	if len(a.got) != 2 {
		t.Fatalf("delivered %d", len(a.got))
	}
	a.status.Store(500)
	b.happen("three", "four")
	b.deliver()
	w := b.state(id)
	if w.Failures != 1 || w.LastNote != "The address answered 500." || !w.Next.Equal(b.clock.Now().Add(10*time.Second)) {
		t.Fatalf("after a failure: %+v", w)
	}
	tries := len(a.ids)
	b.deliver()
	if len(a.ids) != tries {
		t.Error("tried again at once")
	}
	a.status.Store(200)
	b.clock.Add(10 * time.Second)
	b.deliver()
	if len(a.got) != 4 || b.state(id).Failures != 0 {
		t.Errorf("delivered %d: %+v", len(a.got), b.state(id))
	}
	if a.ids[2] != a.ids[3] {
		t.Errorf("a repeat has another id: %v", a.ids)
	}
	if sorted := slices.Clone(a.got); len(slices.Compact(sorted)) != 4 {
		t.Errorf("something was delivered twice: %v", a.got)
	}
}

func TestGivesUpAfterADayAndGoesOnWhereItStopped(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	a := newAddress(t)
	id := b.hook(a)
	a.status.Store(503)
	b.happen("one")
	start := b.clock.Now()
	tries := 0
	for b.state(id).Enabled && tries < 50 {
		b.deliver()
		tries++
		if next := b.state(id).Next; !next.IsZero() {
			b.clock.Add(next.Sub(b.clock.Now()))
		}
	}
	took := b.clock.Now().Sub(start)
	if tries != 12 || took < 23*time.Hour || took > 25*time.Hour {
		t.Errorf("%d tries in %v", tries, took)
	}
	a.status.Store(200)
	if _, err := b.store.ChangeWebhook(t.Context(), id, b.state(id).Version, func(w *records.Webhook) error {
		w.Enabled, w.Failures = true, 0
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	b.deliver()
	if len(a.got) != 1 {
		t.Errorf("delivered %v", a.got)
	}
}

// TestChangedWhileDelivering: an address that is switched off, moved or removed between
// two events hears no more where it was.
func TestChangedWhileDelivering(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	a, moved := newAddress(t), newAddress(t)
	id := b.hook(a)
	change := func(do func(w *records.Webhook)) {
		if _, err := b.store.ChangeWebhook(t.Context(), id, b.state(id).Version, func(w *records.Webhook) error { do(w); return nil }); err != nil {
			t.Error(err)
		}
	}
	a.before = func() { change(func(w *records.Webhook) { w.URL = moved.URL }) }
	moved.before = func() { change(func(w *records.Webhook) { w.Enabled = false }) }
	b.happen("one", "two", "three")
	b.deliver()
	if len(a.got) != 1 || len(moved.got) != 1 || b.state(id).Enabled {
		t.Fatalf("got %q and %q, %+v", a.got, moved.got, b.state(id))
	}
	moved.before = func() {
		if err := b.store.DeleteWebhook(t.Context(), id); err != nil {
			t.Error(err)
		}
	}
	b.happen("four")
	change(func(w *records.Webhook) { w.Enabled = true })
	if _, err := b.Once(t.Context()); !errors.Is(err, dossier.NotFound) || len(moved.got) != 2 {
		t.Errorf("removed: %v, %q", err, moved.got)
	}
}

// TestABusyAddressLetsOthersHaveTheirTurn: an address that always has something due does
// not keep the others waiting.
func TestABusyAddressLetsOthersHaveTheirTurn(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	one, two := newAddress(t), newAddress(t)
	b.hook(one)
	b.hook(two)
	for range 4 {
		b.happen("x")
		b.clock.Add(time.Second)
		if _, err := b.Once(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if len(one.got)+len(two.got) < 4 || len(one.got) == 0 || len(two.got) == 0 {
		t.Errorf("one got %d and the other %d", len(one.got), len(two.got))
	}
}

func TestGoneMeansOff(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	a := newAddress(t)
	id := b.hook(a)
	a.status.Store(410)
	b.happen("one")
	b.deliver()
	if b.state(id).Enabled || len(a.ids) != 1 {
		t.Errorf("got %+v after %d tries", b.state(id), len(a.ids))
	}
}

func TestNoRedirects(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	a := newAddress(t)
	id := b.hook(a)
	a.status.Store(302)
	b.happen("one")
	b.deliver()
	if len(a.ids) != 1 || b.state(id).Failures != 1 {
		t.Errorf("%d requests, %+v", len(a.ids), b.state(id))
	}
}

func TestAnAddressThatIsDown(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	up, down := newAddress(t), newAddress(t)
	b.hook(up)
	id := b.hook(down)
	down.Close()
	b.happen("one")
	b.deliver()
	if len(up.got) != 1 || b.state(id).LastNote != "The address did not answer." {
		t.Errorf("up got %v, down %+v", up.got, b.state(id))
	}
}

func TestTwoProcessesDeliverOnce(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	a := newAddress(t)
	b.hook(a)
	for i := range 30 {
		b.happen(fmt.Sprint(i))
	}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for {
				if more, err := b.Once(t.Context()); err != nil || !more {
					if err != nil {
						t.Error(err)
					}
					return
				}
			}
		})
	}
	wg.Wait()
	b.deliver()
	if len(a.got) != 30 {
		t.Errorf("delivered %d, want 30", len(a.got))
	}
}

func TestAStoppedDeliveryIsNotCounted(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	ctx, cancel := context.WithCancel(t.Context())
	a := newAddress(t)
	a.Config.Handler = http.HandlerFunc(func(http.ResponseWriter, *http.Request) { cancel(); <-ctx.Done() })
	id := b.hook(a)
	b.happen("one")
	if _, err := b.Once(ctx); !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v", err)
	}
	if w := b.state(id); w.Failures != 0 {
		t.Errorf("got %+v", w)
	}
}

func TestWants(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		kinds, apps []string
		kind, app   string
		want        bool
	}{
		{nil, nil, "case.opened", "fleet", true},
		{[]string{"case.*"}, nil, "case.opened", "fleet", true},
		{[]string{"case.*"}, nil, "approval.asked", "fleet", false},
		{[]string{"approval.asked"}, nil, "approval.asked", "", true},
		{[]string{"approval.asked"}, nil, "approval.askedagain", "", false},
		{nil, []string{"doors"}, "case.opened", "fleet", false},
		{nil, []string{"doors"}, "case.opened", "doors", true},
	} {
		if got := webhook.Wants(records.Webhook{Kinds: c.kinds, Apps: c.apps}, records.Event{Kind: c.kind, App: c.app}); got != c.want {
			t.Errorf("%+v: got %v", c, got)
		}
	}
}

// TestSignature holds the signature to an example worked out by hand with openssl.
func TestSignature(t *testing.T) {
	t.Parallel()
	got := webhook.Signature("whsec_MDEyMzQ1Njc4OWFiY2RlZg==", "evt_1", "1700000000", []byte(`{"a":1}`))
	if got != wantSignature {
		t.Errorf("got %s, want %s", got, wantSignature)
	}
}

const wantSignature = "Ohi4NGMYwRFrIRUJa13YAbxiEydKHDp9bqlnQTDCY+8="
