package office_test

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"dossier/apps/gatepass/office"
	"dossier/apps/gatepass/pass"
	"dossier/internal/store/storetest"
)

// told returns what the admins were told of scans that were refused.
func told(t testing.TB, o *office.Office) []string {
	t.Helper()
	notes, err := o.Notifications(t.Context(), "admin", 50)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, n := range notes {
		if n.Type == "offline_refused" {
			out = append(out, n.Message)
		}
	}
	return out
}

func reconcile(t testing.TB, o *office.Office, s office.QueuedScan, outcome string) office.Reconciled {
	t.Helper()
	r, err := o.Reconcile(t.Context(), gopal, s)
	if err != nil || r.Outcome != outcome {
		t.Fatalf("%s of %s: %+v %v, want %s", s.Op, s.Number, r, err, outcome)
	}
	return r
}

func lastOf(t testing.TB, o *office.Office, number string) pass.Change {
	t.Helper()
	p, err := o.Pass(t.Context(), number)
	if err != nil {
		t.Fatal(err)
	}
	return p.History[len(p.History)-1]
}

// The answer to a scan is lost on the way; the gate queues the scan with the same key.
func TestOfflineAfterALostAnswer(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o *office.Office, clock *storetest.Clock) {
		p := create(t, o, "Ravi Kumar", "bank", yes())
		do(t, o, meera, p, pass.Approve)
		_, err := office.Once(t.Context(), o, gopal.Principal, "key-1", "exit", func(ctx context.Context) (pass.Pass, error) {
			return o.Do(ctx, gopal, p.Number, office.Move{Op: pass.Exit})
		})
		if err != nil {
			t.Fatal(err)
		}
		s := office.QueuedScan{Scan: "key-1", Number: p.Number, Op: pass.Exit, Gate: "north", At: clock.Now(), Photo: jpegOf(t, 30)}
		reconcile(t, o, s, "repeated")
		if all := told(t, o); len(all) > 0 {
			t.Errorf("G7 the admins are told of a scan that was allowed: %v", all)
		}
		s.Op = pass.Return
		_, err = o.Reconcile(t.Context(), gopal, s)
		problem(t, err, http.StatusConflict)
	})
}

// An id that stands for one scan never swallows another.
func TestOfflineIDs(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o *office.Office, clock *storetest.Clock) {
		one, two := create(t, o, "One", "bank", yes()), create(t, o, "Two", "bank", yes())
		do(t, o, meera, one, pass.Approve)
		do(t, o, meera, two, pass.Approve)
		s := office.QueuedScan{Scan: "scan-1", Number: one.Number, Op: pass.Exit, Gate: "north", At: clock.Now()}
		reconcile(t, o, s, "applied")
		reconcile(t, o, s, "applied")
		s.Number = two.Number
		_, err := o.Reconcile(t.Context(), gopal, s)
		problem(t, err, http.StatusConflict)
		for _, bad := range []office.QueuedScan{{Scan: "a\x00", Gate: "north"}, {Scan: "a", Gate: "n\x00"}, {Scan: strings.Repeat("x", 65), Gate: "north"}} {
			bad.Number, bad.Op, bad.At = two.Number, pass.Exit, clock.Now()
			_, err := o.Reconcile(t.Context(), gopal, bad)
			problem(t, err, http.StatusUnprocessableEntity)
		}
	})
}

// A person who has passed the gate stays on record whatever is wrong with the rest.
func TestOfflineKeepsThePassage(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o *office.Office, clock *storetest.Clock) {
		p := create(t, o, "Ravi Kumar", "bank", yes())
		do(t, o, meera, p, pass.Approve)
		s := office.QueuedScan{Scan: "scan-1", Number: p.Number, Op: pass.Exit, Gate: "north", At: clock.Now().Add(time.Hour), Photo: []byte("%PDF-1.7")}
		reconcile(t, o, s, "applied")
		c := lastOf(t, o, p.Number)
		if c.Op != pass.Exit || c.Photo != "" || !strings.Contains(c.Note, "no photo: The file is not a JPEG") {
			t.Errorf("a photo that cannot be kept: %+v", c)
		}
		if !c.At.Equal(clock.Now()) || !strings.Contains(c.Note, "the gate's clock said 13:00 on 2 March 2026") {
			t.Errorf("a clock that runs ahead, at %v: %+v", clock.Now(), c)
		}
	})
}

// A scan counts at its own time, also when it is handed in later than others.
func TestOfflineOutOfOrder(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o *office.Office, clock *storetest.Clock) {
		p := create(t, o, "Ravi Kumar", "bank", yes())
		start := clock.Now()
		clock.Add(time.Hour)
		do(t, o, meera, p, pass.Approve)
		early := office.QueuedScan{Scan: "early", Number: p.Number, Op: pass.Exit, Gate: "north", At: start}
		if r := reconcile(t, o, early, "refused"); !strings.Contains(r.Reason, "was approved only at 13:00") {
			t.Errorf("an exit before the approval: %+v", r)
		}
		back := office.QueuedScan{Scan: "back", Number: p.Number, Op: pass.Return, Gate: "south", At: clock.Now().Add(30 * time.Minute)}
		clock.Add(time.Hour)
		_, err := o.Reconcile(t.Context(), gopal, back)
		problem(t, err, http.StatusConflict)
		out := office.QueuedScan{Scan: "out", Number: p.Number, Op: pass.Exit, Gate: "north", At: back.At.Add(-10 * time.Minute)}
		reconcile(t, o, out, "applied")
		late := back
		late.Scan, late.At = "before", out.At.Add(-6*time.Minute)
		reconcile(t, o, late, "refused")
		reconcile(t, o, back, "applied")
		if got, _ := o.Pass(t.Context(), p.Number); got.Status != pass.Returned || !got.ReturnTime.Equal(back.At) {
			t.Errorf("after both gates handed in: %+v", got)
		}
		lost := create(t, o, "Lost Exit", "bank", yes())
		do(t, o, meera, lost, pass.Approve)
		s := office.QueuedScan{Scan: "lost", Number: lost.Number, Op: pass.Return, Gate: "south", At: clock.Now()}
		clock.Add(24 * time.Hour)
		reconcile(t, o, s, "refused")
		if all := told(t, o); len(all) != 3 {
			t.Errorf("the admins are told of %d scans, want 3: %v", len(all), all)
		}
	})
}

// The kit names every pass whose code still opens a gate although it must not.
func TestGateKit(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o *office.Office, clock *storetest.Clock) {
		const month = 30 * 24 * time.Hour
		long := func(person string) pass.Pass {
			p, err := o.Create(t.Context(), hana, office.New{Person: person, Purpose: "training", Returnable: yes(), ReturnBy: clock.Now().Add(3 * month).Format(time.RFC3339)})
			if err != nil {
				t.Fatal(err)
			}
			return p
		}
		longGone, longBack, longOut := long("Long Gone"), long("Long Back"), long("Long Out")
		late := create(t, o, "Approved Late", "bank", yes())
		for _, p := range []pass.Pass{longGone, longBack, longOut} {
			do(t, o, meera, p, pass.Approve)
		}
		do(t, o, gopal, longBack, pass.Exit)
		do(t, o, gopal, longOut, pass.Exit)
		clock.Add(2 * month)
		do(t, o, gopal, longBack, pass.Return)
		do(t, o, meera, longGone, pass.Delete)
		do(t, o, meera, late, pass.Approve)
		do(t, o, meera, late, pass.Delete)
		forGood, back := create(t, o, "For Good", "home", no()), create(t, o, "Back", "bank", yes())
		for _, p := range []pass.Pass{forGood, back} {
			do(t, o, meera, p, pass.Approve)
			do(t, o, gopal, p, pass.Exit)
		}
		do(t, o, gopal, back, pass.Return)
		kit, err := o.GateKit(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		numbers := func(all []office.Exit) (out []string) {
			for _, e := range all {
				out = append(out, e.Number)
			}
			return out
		}
		if want := []string{longGone.Number, late.Number}; !slices.Equal(kit.Revocations.Numbers, want) {
			t.Errorf("G11 withdrawn %v, want %v", kit.Revocations.Numbers, want)
		}
		if want := []string{longOut.Number}; !slices.Equal(numbers(kit.Out), want) {
			t.Errorf("out %v, want %v", kit.Out, want)
		}
		if want := []string{longBack.Number, forGood.Number, back.Number}; !slices.Equal(numbers(kit.Used), want) {
			t.Errorf("G11 used %v, want %v", kit.Used, want)
		}
		clock.Add(2 * month)
		if kit, err = o.GateKit(t.Context()); err != nil || len(kit.Revocations.Numbers)+len(kit.Used) != 0 || len(kit.Out) != 1 {
			t.Errorf("codes that ran out are still spoken of: %+v %v", kit, err)
		}
	})
}
