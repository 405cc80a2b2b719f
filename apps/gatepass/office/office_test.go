package office_test

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"image"
	"image/jpeg"
	"log/slog"
	"math"
	"net/http"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"gocloud.dev/blob/memblob"

	"dossier"
	"dossier/apps/gatepass/office"
	"dossier/apps/gatepass/pass"
	"dossier/apps/gatepass/qr"
	"dossier/internal/store/storetest"
)

var (
	hana  = office.Person{Principal: dossier.Principal{ID: "u-hr", Name: "Hana HR", Roles: []dossier.Role{"hr"}}}
	meera = office.Person{Principal: dossier.Principal{ID: "u-adm", Name: "Meera Iyer", Roles: []dossier.Role{"passadmin"}}}
	gopal = office.Person{Principal: dossier.Principal{ID: "u-gate", Name: "Gopal Gate", Roles: []dossier.Role{"gate"}}}
)

func open(t testing.TB, database string) (*office.Office, *storetest.Clock) {
	t.Helper()
	st, clock := storetest.Open(t, database)
	if err := st.Migrate(t.Context(), "gatepass", os.DirFS("..")); err != nil {
		t.Fatal(err)
	}
	key := ed25519.NewKeyFromSeed(make([]byte, 32))
	bucket := memblob.OpenBucket(nil)
	t.Cleanup(func() { bucket.Close() })
	var n atomic.Int64
	return &office.Office{
		DB: st.DB(), Photos: bucket, Log: slog.New(slog.DiscardHandler), Now: clock.Now,
		NewID:    func(prefix string) string { return fmt.Sprintf("%s%08x", prefix, n.Add(1)) },
		MaxPhoto: 5 << 20, Grace: 8 * time.Hour, Validity: 24 * time.Hour, Zone: time.UTC, URL: "http://gate.test",
		Sign: func(m []byte) []byte { return ed25519.Sign(key, m) }, PublicKey: key.Public().(ed25519.PublicKey),
	}, clock
}

// each runs f on every database at hand.
func each(t *testing.T, f func(t *testing.T, o *office.Office, clock *storetest.Clock)) {
	for _, name := range storetest.Databases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o, clock := open(t, name)
			f(t, o, clock)
		})
	}
}

func yes() *bool { b := true; return &b }
func no() *bool  { b := false; return &b }

func create(t testing.TB, o *office.Office, person, purpose string, returnable *bool) pass.Pass {
	t.Helper()
	p, err := o.Create(t.Context(), hana, office.New{Person: person, Purpose: purpose, Returnable: returnable})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func do(t testing.TB, o *office.Office, who office.Person, p pass.Pass, op pass.Op) pass.Pass {
	t.Helper()
	m := office.Move{Op: op}
	if op == pass.Exit || op == pass.Return {
		ph, err := o.CheckPhoto(jpegOf(t, 20))
		if err != nil {
			t.Fatal(err)
		}
		if err := o.PutPhoto(t.Context(), ph); err != nil {
			t.Fatal(err)
		}
		m.Photo = &ph
	}
	out, err := o.Do(t.Context(), who, p.Number, m)
	if err != nil {
		t.Fatalf("%s %s: %v", op, p.Number, err)
	}
	return out
}

func jpegOf(t testing.TB, side int) []byte {
	var b bytes.Buffer
	if err := jpeg.Encode(&b, image.NewGray(image.Rect(0, 0, side, side)), nil); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func problem(t testing.TB, err error, status int) *office.Problem {
	t.Helper()
	p, ok := errors.AsType[*office.Problem](err)
	if !ok || p.Status != status {
		t.Fatalf("got %v, want a problem with status %d", err, status)
	}
	return p
}

func TestLife(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o *office.Office, clock *storetest.Clock) {
		p := create(t, o, "Ravi  Kumar", "bank", yes())
		if p.Number != "GP-2026-0001" || p.Status != pass.Pending || p.Person != "Ravi Kumar" || p.CreatedBy != "Hana HR" {
			t.Fatalf("G-060 %+v", p)
		}
		clock.Add(time.Minute)
		who := meera
		who.Claimed = "Suresh"
		p = do(t, o, who, p, pass.Approve)
		if p.ApprovedBy != "Meera Iyer" || p.ClaimedName != "Suresh" || p.ApprovedAt == nil || !p.ApprovedAt.Equal(clock.Now()) {
			t.Errorf("G3 approver on record: %+v", p)
		}
		p = do(t, o, gopal, p, pass.Exit)
		first := *p.ExitTime
		clock.Add(time.Hour)
		_, err := o.Do(t.Context(), gopal, p.Number, office.Move{Op: pass.Exit})
		pr := problem(t, err, http.StatusForbidden)
		if pr.State != pass.Exited || !slices.Equal(pr.Allowed, []pass.Op{pass.Return}) || pr.FirstExit == nil || !pr.FirstExit.Equal(first) {
			t.Errorf("G11 second exit: %+v", pr.Problem)
		}
		p = do(t, o, gopal, p, pass.Return)
		if p.Status != pass.Returned || !p.ReturnTime.Equal(clock.Now()) {
			t.Errorf("%+v", p)
		}
		var ops []pass.Op
		for _, c := range p.History {
			ops = append(ops, c.Op)
		}
		if !slices.Equal(ops, []pass.Op{pass.Create, pass.Approve, pass.Exit, pass.Return}) || p.History[2].Photo == "" {
			t.Errorf("history %v", p.History)
		}
		byID, err := o.Pass(t.Context(), p.ID)
		if err != nil || byID.Number != p.Number {
			t.Errorf("by id: %v %v", byID.Number, err)
		}
		_, photos, err := o.PhotosOf(t.Context(), p.Number)
		if err != nil || len(photos) != 2 || photos[0].Op != pass.Exit || photos[0].SHA256 != p.History[2].Photo {
			t.Errorf("photos: %v %v", photos, err)
		}
		_, data, err := o.Photo(t.Context(), p.Number, pass.Exit)
		if err != nil || !bytes.HasPrefix(data, []byte("\xff\xd8")) {
			t.Errorf("photo bytes: %v", err)
		}
		notes, err := o.Notifications(t.Context(), "hr", 10)
		if err != nil || len(notes) != 3 {
			t.Errorf("notifications: %v %v", notes, err)
		}
		who.Claimed = "Somebody Else"
		if p = do(t, o, who, p, pass.Delete); p.ClaimedName != "Suresh" || p.History[4].Note != "in the name of Somebody Else" {
			t.Errorf("G3 the approval in another's name: %+v", p)
		}
	})
}

func TestProblems(t *testing.T) {
	t.Parallel()
	o, _ := open(t, "sqlite")
	ctx := t.Context()
	_, err := o.Pass(ctx, "GP-2026-0099")
	if p := problem(t, err, 404); p.Identifier != "GP-2026-0099" {
		t.Errorf("G9 unknown pass: %+v", p.Problem)
	}
	_, err = o.Pass(ctx, "nonsense")
	if p := problem(t, err, 422); p.Errors[0].Field != "pass_number" {
		t.Errorf("G9 bad number: %+v", p.Problem)
	}
	_, err = o.Create(ctx, hana, office.New{Person: " ", Purpose: "bank"})
	if p := problem(t, err, 422); len(p.Errors) != 2 || p.Errors[0].Field != "is_returnable" || p.Errors[1].Field != "person_name" {
		t.Errorf("G9 fields: %+v", p.Errors)
	}
	_, err = o.Create(ctx, hana, office.New{Person: "A", Purpose: "b", Returnable: yes(), ReturnBy: "soon"})
	if p := problem(t, err, 422); p.Errors[0].Field != "return_by" {
		t.Errorf("%+v", p.Errors)
	}
	_, err = o.Create(ctx, hana, office.New{Person: "A", Purpose: "b", Returnable: yes(), ReturnBy: "2062-11-16T17:00"})
	if p := problem(t, err, 422); p.Errors[0] != (pass.FieldError{Field: "return_by", Rule: "must lie within 90 days from now, and 16 November 2062 does not: look at the year"}) {
		t.Errorf("%+v", p.Errors)
	}
	p := create(t, o, "Out Wards", "bank", yes())
	do(t, o, meera, p, pass.Approve)
	do(t, o, gopal, p, pass.Exit)
	_, err = o.Do(ctx, meera, p.Number, office.Move{Op: pass.Delete})
	problem(t, err, 403)
	q := create(t, o, "Gone", "home", no())
	do(t, o, meera, q, pass.Delete)
	_, err = o.Do(ctx, meera, q.Number, office.Move{Op: pass.Approve})
	if pr := problem(t, err, 403); pr.State != pass.Deleted || len(pr.Allowed) != 0 {
		t.Errorf("%+v", pr.Problem)
	}
	if next := create(t, o, "Next", "x", no()); next.Number != "GP-2026-0003" {
		t.Errorf("G10 a deleted number is used again: %s", next.Number)
	}
}

// Many people at once: every number is given once, every pass is approved once and
// scanned out once, and everybody else is told how it stands.
func TestConcurrent(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o *office.Office, _ *storetest.Clock) {
		const n, rivals = 24, 6
		var mu sync.Mutex
		numbers := map[string]bool{}
		var wg sync.WaitGroup
		for i := range n {
			wg.Go(func() {
				p, err := o.Create(t.Context(), hana, office.New{Person: fmt.Sprintf("Person %d", i), Purpose: "load", Returnable: yes()})
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				defer mu.Unlock()
				if numbers[p.Number] {
					t.Errorf("G10 %s is given twice", p.Number)
				}
				numbers[p.Number] = true
			})
		}
		wg.Wait()
		for i := 1; i <= n; i++ {
			if !numbers[pass.Number(2026, i)] {
				t.Errorf("G10 %s is missing", pass.Number(2026, i))
			}
		}
		for _, op := range []pass.Op{pass.Approve, pass.Exit} {
			var done, refused atomic.Int32
			for i := 1; i <= 4; i++ {
				for range rivals {
					wg.Go(func() {
						_, err := o.Do(t.Context(), meera, pass.Number(2026, i), office.Move{Op: op})
						if pr, ok := errors.AsType[*office.Problem](err); ok && pr.Status == 403 && pr.State != "" {
							refused.Add(1)
						} else if err == nil {
							done.Add(1)
						} else {
							t.Error(err)
						}
					})
				}
			}
			wg.Wait()
			if done.Load() != 4 || refused.Load() != 4*(rivals-1) {
				t.Errorf("%s: %d done and %d refused, want 4 and %d", op, done.Load(), refused.Load(), 4*(rivals-1))
			}
		}
		p, err := o.Pass(t.Context(), "GP-2026-0001")
		if err != nil || len(p.History) != 3 {
			t.Errorf("history of a contested pass: %v %v", p.History, err)
		}
	})
}

func TestOnce(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o *office.Office, _ *storetest.Clock) {
		ctx := t.Context()
		body := struct{ Name string }{"Ravi"}
		var ran atomic.Int32
		make1 := func(ctx context.Context) (pass.Pass, error) {
			ran.Add(1)
			return o.Create(ctx, hana, office.New{Person: "Ravi", Purpose: "bank", Returnable: yes()})
		}
		var wg sync.WaitGroup
		var mu sync.Mutex
		got := map[string]int{}
		for range 8 {
			wg.Go(func() {
				p, err := office.Once(ctx, o, hana.Principal, "key-1", body, make1)
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				got[p.Number]++
				mu.Unlock()
			})
		}
		wg.Wait()
		if ran.Load() != 1 || got["GP-2026-0001"] != 8 {
			t.Errorf("G7 ran %d times, answers %v", ran.Load(), got)
		}
		_, err := office.Once(ctx, o, hana.Principal, "key-1", struct{ Name string }{"Other"}, make1)
		problem(t, err, http.StatusConflict)
		if _, err := office.Once(ctx, o, meera.Principal, "key-1", body, make1); err != nil || ran.Load() != 2 {
			t.Errorf("G7 another person's key: %v, ran %d", err, ran.Load())
		}
		fail := func(context.Context) (pass.Pass, error) { return pass.Pass{}, errors.New("no") }
		if _, err := office.Once(ctx, o, hana.Principal, "key-2", body, fail); err == nil {
			t.Error("a failure is hidden")
		}
		if _, err := office.Once(ctx, o, hana.Principal, "key-2", body, make1); err != nil {
			t.Errorf("G7 a failed request keeps its key: %v", err)
		}
	})
}

func TestList(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o *office.Office, clock *storetest.Clock) {
		for i := range 25 {
			create(t, o, fmt.Sprintf("Person %d", i), "bank", yes())
		}
		clock.Add(24 * time.Hour)
		ravi := create(t, o, "Ravi Kumar", "site visit at Hosur house", yes())
		deleted := create(t, o, "Wrong", "typo", no())
		do(t, o, meera, deleted, pass.Delete)
		do(t, o, meera, ravi, pass.Approve)
		do(t, o, gopal, ravi, pass.Exit)
		tests := []struct {
			name  string
			q     office.Query
			total int
			first string
			more  bool
		}{
			{"all", office.Query{}, 26, ravi.Number, true},
			{"second page", office.Query{Page: 2}, 26, "GP-2026-0006", false},
			{"by status", office.Query{Status: "pending", Limit: 200}, 25, "GP-2026-0025", false},
			{"who is out", office.Query{Status: "pending_return"}, 1, ravi.Number, false},
			{"by name", office.Query{Search: "rav kum"}, 1, ravi.Number, false},
			{"by purpose", office.Query{Search: "hosur"}, 1, ravi.Number, false},
			{"two words of one pass begin alike", office.Query{Search: "h"}, 1, ravi.Number, false},
			{"words of two passes", office.Query{Search: "ravi bank"}, 0, "", false},
			{"second page of a search", office.Query{Search: "bank person", Page: 2}, 25, "GP-2026-0005", false},
			{"searched among a status", office.Query{Search: "ravi", Status: "pending"}, 0, "", false},
			{"by number", office.Query{Search: "gp-2026-0003"}, 1, "GP-2026-0003", false},
			{"by day", office.Query{Date: "2026-03-03"}, 1, ravi.Number, false},
			{"deleted", office.Query{Status: "deleted"}, 1, deleted.Number, false},
			{"nobody", office.Query{Search: "zoe"}, 0, "", false},
			{"a quote", office.Query{Search: "o'brien%_"}, 0, "", false},
			{"behind the last page", office.Query{Page: math.MaxInt}, 26, "", false},
			{"behind the last page of a search", office.Query{Search: "bank", Page: math.MaxInt}, 25, "", false},
		}
		for _, tt := range tests {
			got, err := o.List(t.Context(), tt.q)
			first := ""
			if len(got.Items) > 0 {
				first = got.Items[0].Number
			}
			if err != nil || got.Total != tt.total || first != tt.first || got.More != tt.more {
				t.Errorf("%s: total %d, first %q, more %v, %v", tt.name, got.Total, first, got.More, err)
			}
		}
		_, err := o.List(t.Context(), office.Query{Status: "lost"})
		problem(t, err, 422)
		_, err = o.List(t.Context(), office.Query{Date: "tomorrow"})
		problem(t, err, 422)
		an, err := o.Analytics(t.Context())
		if err != nil || an.ByStatus[pass.Pending] != 25 || an.Out != 1 || an.Overdue != 0 || an.Today.Created != 2 || an.Days[5].Created != 25 {
			t.Errorf("analytics: %+v %v", an, err)
		}
		clock.Add(9 * time.Hour)
		if an, _ := o.Analytics(t.Context()); an.Overdue != 1 {
			t.Errorf("overdue: %+v", an)
		}
	})
}

func TestOffline(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o *office.Office, clock *storetest.Clock) {
		ctx := t.Context()
		p := create(t, o, "Ravi Kumar", "bank", yes())
		do(t, o, meera, p, pass.Approve)
		_, token, err := o.Token(ctx, p.Number)
		if err != nil {
			t.Fatal(err)
		}
		kit, err := o.GateKit(ctx)
		if err != nil || kit.Revocations.Check([]ed25519.PublicKey{o.PublicKey}) != nil || len(kit.Revocations.Numbers) != 0 {
			t.Fatalf("G11 gate kit: %+v %v", kit, err)
		}
		if v := qr.Verify(token, []ed25519.PublicKey{o.PublicKey}, kit.Revocations.Numbers, clock.Now()); !v.Valid {
			t.Fatalf("G11 offline: %+v", v)
		}
		at := clock.Now().Add(time.Minute)
		clock.Add(2 * time.Hour)
		s := office.QueuedScan{Scan: "scan-1", Token: token, Op: pass.Exit, Gate: "north", At: at, Photo: jpegOf(t, 30)}
		for _, want := range []string{"applied", "applied"} {
			r, err := o.Reconcile(ctx, gopal, s)
			if err != nil || r.Outcome != want || r.Number != p.Number {
				t.Errorf("G11 reconcile: %+v %v", r, err)
			}
		}
		got, _ := o.Pass(ctx, p.Number)
		if got.Status != pass.Exited || !got.ExitTime.Equal(at) || got.Unverified || len(got.History) != 3 || got.History[2].Source != "offline" {
			t.Errorf("G11 after sync: %+v", got)
		}
		s.Scan = "scan-2"
		r, err := o.Reconcile(ctx, gopal, s)
		if err != nil || r.Outcome != "refused" || r.Reason == "" {
			t.Errorf("G11 second exit offline: %+v %v", r, err)
		}
		notes, _ := o.Notifications(ctx, "admin", 10)
		if !slices.ContainsFunc(notes, func(n pass.Notification) bool { return n.Type == "offline_refused" }) {
			t.Errorf("the admins are not told: %+v", notes)
		}
		s.Scan, s.Token = "scan-3", token[:len(token)-6]+"AAAAAA"
		_, err = o.Reconcile(ctx, gopal, s)
		problem(t, err, 422)
		bad := create(t, o, "Bad", "x", no())
		do(t, o, meera, bad, pass.Reject)
		kit, _ = o.GateKit(ctx)
		if !slices.Equal(kit.Revocations.Numbers, []string{bad.Number}) || !slices.Equal(kit.Out, []office.Exit{{Number: p.Number, At: at.UTC()}}) {
			t.Errorf("G11 revoked on reject: %+v", kit)
		}
		_, _, err = o.Token(ctx, bad.Number)
		problem(t, err, 403)
	})
}

func TestMarkRead(t *testing.T) {
	t.Parallel()
	o, _ := open(t, "sqlite")
	create(t, o, "Ravi Kumar", "bank", yes())
	notes, err := o.Notifications(t.Context(), "admin", 10)
	if err != nil || len(notes) != 1 || notes[0].Read || notes[0].PassID == "" {
		t.Fatalf("G-062 %+v %v", notes, err)
	}
	if _, err := o.MarkRead(t.Context(), hana, []string{"hr"}, notes[0].ID); err == nil {
		t.Error("HR marks the admins' notification")
	}
	for range 2 {
		if n, err := o.MarkRead(t.Context(), meera, []string{"admin"}, notes[0].ID); err != nil || !n.Read {
			t.Errorf("G-049 %+v %v", n, err)
		}
	}
	if notes, _ := o.Notifications(t.Context(), "admin", 10); !notes[0].Read {
		t.Error("G-049 still unread")
	}
}
