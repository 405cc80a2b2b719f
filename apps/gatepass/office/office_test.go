package office_test

import (
	"context"
	"crypto/ed25519"
	"log/slog"
	"testing"
	"time"

	"gocloud.dev/blob/memblob"

	"dossier/apps/gatepass/office"
	"dossier/internal/store"
	"dossier/internal/store/storetest"

	"os"
)

var _ = context.Background
var _ = os.DirFS

func open(t testing.TB, database string) (*office.Office, *storetest.Clock, *store.Store) {
	t.Helper()
	st, clock := storetest.Open(t, database)
	if err := st.Migrate(t.Context(), "gatepass", os.DirFS("..")); err != nil {
		t.Fatal(err)
	}
	key := ed25519.NewKeyFromSeed(make([]byte, 32))
	bucket := memblob.OpenBucket(nil)
	t.Cleanup(func() { bucket.Close() })
	return &office.Office{
		DB: st.DB(), Photos: bucket, Log: slog.New(slog.DiscardHandler), Now: clock.Now, NewID: newID(),
		MaxPhoto: 5 << 20, Grace: 8 * time.Hour, Validity: 24 * time.Hour, Zone: time.UTC, URL: "http://gate.test",
		Sign: func(m []byte) []byte { return ed25519.Sign(key, m) }, PublicKey: key.Public().(ed25519.PublicKey),
	}, clock, st
}
