package gatepass_test

import (
	"bytes"
	"context"
	"encoding/json"
	"image"
	"image/jpeg"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"dossier"
	"dossier/apps/gatepass"
	"dossier/apps/gatepass/pass"
	"dossier/apps/gatepass/rest"
	"dossier/internal/agent"
	"dossier/internal/app"
	"dossier/internal/app/apptest"
	"dossier/internal/tool"
)

func TestApp(t *testing.T) {
	t.Parallel()
	apptest.Run(t, gatepass.App)
}

var monday = time.Date(2026, 11, 16, 4, 30, 0, 0, time.UTC) // 10:00 in Kolkata

// A talk is one conversation over a real store.
type talk struct {
	*apptest.Bench
	run dossier.RunID
	who dossier.Principal
}

func begin(b *apptest.Bench, desk string, who dossier.Principal) *talk {
	b.T.Helper()
	c, _, err := b.Desk.Open(b.T.Context(), app.Opening{Subject: "chat/" + desk + "/" + apptest.NewID(""), Title: "chat", State: dossier.Open, By: who})
	if err != nil {
		b.T.Fatal(err)
	}
	run, err := b.Desk.Start(b.T.Context(), app.Start{Case: c.ID, Agent: desk, For: who, Input: struct{}{}, Hold: true})
	if err != nil {
		b.T.Fatal(err)
	}
	return &talk{b, run.ID, who}
}

// say speaks and returns the answer.
func (k *talk) say(text string, attached ...app.Attachment) string {
	k.T.Helper()
	if err := k.Desk.Say(k.T.Context(), k.run, k.who, text, attached); err != nil {
		k.T.Fatalf("say %q: %v", text, err)
	}
	return k.drive()
}

func (k *talk) drive() string {
	k.T.Helper()
	run, err := k.Desk.Drive(k.T.Context(), k.run)
	if err != nil {
		k.T.Fatal(err)
	}
	if run.Status == dossier.Failed {
		return "FAILED " + run.Failure
	}
	_, steps, err := k.Store.Load(k.T.Context(), k.run)
	if err != nil {
		k.T.Fatal(err)
	}
	last := steps[len(steps)-1]
	if last.Kind == dossier.Asked {
		return "ASKED"
	}
	for i := len(steps) - 1; i >= 0; i-- {
		if steps[i].Kind == dossier.ModelTurn {
			turn, err := agent.TurnOf(steps[i])
			if err != nil {
				k.T.Fatal(err)
			}
			return turn.Text
		}
	}
	return ""
}

func (k *talk) must(text string, wants ...string) string {
	k.T.Helper()
	got := k.say(text)
	for _, w := range wants {
		if !strings.Contains(got, w) {
			k.T.Errorf("%q: %q does not say %q", text, got, w)
		}
	}
	return got
}

func person(id, name string, role dossier.Role) dossier.Principal {
	return dossier.Principal{ID: id, Name: name, Roles: []dossier.Role{role}}
}

var (
	hr    = person("u-hr", "Hema Rao", rest.HR)
	admin = person("u-adm", "Meera Iyer", rest.PassAdmin)
	gate  = person("u-gate", "Gopal Das", rest.Gate)
)

// attach uploads a photo the way the chat does and returns the attachment.
func attach(b *apptest.Bench, who dossier.Principal) app.Attachment {
	b.T.Helper()
	var buf bytes.Buffer
	if err := jpeg.Encode(&buf, image.NewGray(image.Rect(0, 0, 40, 40)), nil); err != nil {
		b.T.Fatal(err)
	}
	res := upload(b, who, "/gatepass/attachments", nil, buf.Bytes())
	if res.StatusCode != 201 {
		b.T.Fatalf("attach: %d %s", res.StatusCode, res.Body)
	}
	var a app.Attachment
	if err := json.Unmarshal(res.Data, &a); err != nil {
		b.T.Fatal(err)
	}
	return a
}

// A whole day at a gate, by talking: create, approve, print, scan out, scan in.
func TestDay(t *testing.T) {
	t.Parallel()
	for _, database := range []string{"sqlite", "postgres"} {
		t.Run(database, func(t *testing.T) {
			t.Parallel()
			b := apptest.Open(t, gatepass.App, apptest.Options{At: monday, Database: database})
			k := begin(b, "hr", hr)
			k.must("hello", "Hello Hema Rao")
			k.must("I need a gate pass for Ravi Kumar", "purpose")
			k.must("bank work", "come back")
			k.must("he'll be back by 4 pm", "GP-2026-0001", "Ravi Kumar", "pending", "16 Nov 2026 16:00")
			k.must("print it", "http://dossier.test/hr/gatepass/GP-2026-0001/print")
			k.must("what's its status?", "GP-2026-0001", "is pending")

			m := begin(b, "admin", admin)
			m.must("any notifications?", "Hema Rao asks for a pass for Ravi Kumar", "1 of them new")
			m.must("mark the first one as read", "Marked as read")
			m.must("what's waiting for my approval?", "1 pending pass", "GP-2026-0001", "Ravi Kumar")
			m.must("approve it", "GP-2026-0001 for Ravi Kumar is approved", "by Meera Iyer")
			m.must("approve it", "is approved now", "only while a pass is pending", "delete or exit")

			g := begin(b, "gate", gate)
			g.must("GP-2026-0001 is going out", "attach a photo")
			got := g.say("here is the photo", attach(b, gate))
			if !strings.Contains(got, "Ravi Kumar went out with GP-2026-0001") {
				t.Errorf("G-105 %q", got)
			}
			got = g.say("scan exit again for GP-2026-0001", attach(b, gate))
			if !strings.Contains(got, "It went out on 16 November 2026") {
				t.Errorf("G11 second exit: %q", got)
			}
			k.must("who is out now?", "Ravi Kumar", "GP-2026-0001")
			g.must("show photos of it", "Photos of GP-2026-0001", "exit at")
			g.must("qr code", "QR code of GP-2026-0001")
			g.must("he is back", "attach a photo")
			if got := g.say("", attach(b, gate)); !strings.Contains(got, "came back with GP-2026-0001") {
				t.Errorf("return: %q", got)
			}
			k.must("who is out now?", "Nobody is out")
		})
	}
}

func TestDeletionIsConfirmed(t *testing.T) {
	t.Parallel()
	b := apptest.Open(t, gatepass.App, apptest.Options{At: monday})
	k := begin(b, "hr", hr)
	k.must("create a pass for Arjun Singh for vehicle repair, not coming back", "GP-2026-0001")
	m := begin(b, "admin", admin)
	if got := m.say("delete GP-2026-0001"); got != "ASKED" {
		t.Fatalf("a deletion is not asked: %q", got)
	}
	pending := b.Pending()
	if len(pending) != 1 || pending[0].Tool != "delete_gate_pass" || pending[0].Title != "Delete GP-2026-0001, in the name of Meera Iyer." {
		t.Fatalf("%+v", pending)
	}
	b.Decide(pending[0].ID, dossier.Decision{Verb: dossier.Reject, By: admin, Note: "Said no in the conversation."})
	if got := m.drive(); got != "All right, I have left it as it is." {
		t.Errorf("after a no: %q", got)
	}
	if got := m.must("show GP-2026-0001", "is pending"); strings.Contains(got, "deleted") {
		t.Error("a rejected deletion happened")
	}
	m.say("delete it")
	b.Decide(b.Pending()[0].ID, dossier.Decision{Verb: dossier.Approve, By: admin})
	if got := m.drive(); !strings.Contains(got, "GP-2026-0001 for Arjun Singh is deleted") {
		t.Errorf("%q", got)
	}
	m.must("approve GP-2026-0001", "is deleted now", "Nothing more can be done")
}

// diedAtAPass is a conversation in which the product died while it made a pass.
func diedAtAPass(t *testing.T) (*apptest.Bench, *talk) {
	t.Helper()
	b := apptest.Open(t, gatepass.App, apptest.Options{At: monday})
	k := begin(b, "hr", hr)
	b.Crash(false, func() error {
		if err := k.Desk.Say(t.Context(), k.run, k.who, "create a pass for Arjun Singh for vehicle repair, not coming back", nil); err != nil {
			return err
		}
		_, err := k.Desk.Drive(t.Context(), k.run)
		return err
	})
	return b, k
}

// TestADeedInDoubt dies at the making of a pass; whoever looked says that it was made.
func TestADeedInDoubt(t *testing.T) {
	t.Parallel()
	b, k := diedAtAPass(t)
	asked := b.Pending()
	if len(asked) != 1 || !strings.HasPrefix(asked[0].Title, "Did this happen?") {
		t.Fatalf("asked %+v", asked)
	}
	b.Decide(asked[0].ID, dossier.Decision{Verb: dossier.Respond, By: hr, Note: "GP-2026-0001 is in the list."})
	if got := k.drive(); got != "It was done, says "+hr.Name+". GP-2026-0001 is in the list." {
		t.Errorf("the desk says %q", got)
	}
	k.must("show GP-2026-0001", "Arjun Singh", "is pending")
}

// keyboard is a terminal at which somebody types.
type keyboard struct {
	app.CLI
	b     *apptest.Bench
	who   dossier.Principal
	typed io.Reader
	shown bytes.Buffer
}

func (k *keyboard) In() io.Reader                                   { return k.typed }
func (k *keyboard) Out() io.Writer                                  { return &k.shown }
func (k *keyboard) Err() io.Writer                                  { return io.Discard }
func (k *keyboard) As() dossier.Principal                           { return k.who }
func (k *keyboard) Open(context.Context) (*app.Kit, app.Env, error) { return k.b.Kit, k.b.Env, nil }
func (k *keyboard) Config() (app.Config, error)                     { return gatepass.App.Default(), nil }

// TestADeedInDoubtAtTheTerminal: whoever takes the conversation up again is asked first,
// and a yes says that the pass was made. It makes no other.
func TestADeedInDoubtAtTheTerminal(t *testing.T) {
	t.Parallel()
	b, k := diedAtAPass(t)
	keys := &keyboard{b: b, who: hr, typed: strings.NewReader("what is this about?\nyes\n/quit\n")}
	all := gatepass.App.Commands(keys)
	chat := all[slices.IndexFunc(all, func(c *cobra.Command) bool { return c.Name() == "chat" })]
	chat.SetArgs([]string{"--role", "hr", "--resume", string(k.run)})
	if err := chat.ExecuteContext(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := keys.shown.String(); strings.Count(got, "Did it happen? (yes or no)") != 2 || !strings.Contains(got, "It was done, says "+hr.Name) {
		t.Errorf("the terminal shows %q", got)
	}
	k.must("show GP-2026-0001", "Arjun Singh", "is pending")
	if got := k.say("show GP-2026-0002"); strings.Contains(got, "Arjun") {
		t.Errorf("a yes made a second pass: %q", got)
	}
}

func TestRoles(t *testing.T) {
	t.Parallel()
	b := apptest.Open(t, gatepass.App, apptest.Options{At: monday})
	want := map[string]int{"hr": 7, "admin": 10, "gate": 6}
	names := map[string]bool{}
	for _, a := range b.Kit.Agents {
		if len(a.Tools) != want[a.Name] {
			t.Errorf("G-053 %s has %d tools, want %d", a.Name, len(a.Tools), want[a.Name])
		}
		for _, tl := range a.Tools {
			names[tl.Name] = true
		}
	}
	if len(names) != 20 || len(b.Kit.Tools) != 20 {
		t.Errorf("G-053 %d tools, want 20", len(names))
	}
	k := begin(b, "hr", hr)
	k.must("approve GP-2026-0001", "different permissions", "admin desk")
	k.must("scan exit for GP-2026-0001", "different permissions", "gate desk")
	g := begin(b, "gate", gate)
	g.must("create a pass for Ravi to go to bank", "different permissions", "hr desk")
	g.must("who won the cricket?", "gate passes only")
	wrong := begin(b, "admin", hr)
	if err := b.Desk.Say(t.Context(), wrong.run, hr, "approve GP-2026-0001", nil); err == nil {
		if got := wrong.drive(); !strings.Contains(got, "different permissions") {
			t.Errorf("G-108 an HR user talks to the admin desk: %q", got)
		}
	}
}

// A conversation goes on where it stopped after the product was restarted.
func TestSurvivesRestart(t *testing.T) {
	t.Parallel()
	b := apptest.Open(t, gatepass.App, apptest.Options{At: monday})
	k := begin(b, "hr", hr)
	k.must("create a gate pass for Ravi Kumar", "purpose")
	k.must("bank work", "come back")
	runner := &agent.Runner{
		Log: b.Store, Now: b.Clock.Now, NewID: apptest.NewID, Slog: b.Env.Log,
		Agent: func(_, name string) (*agent.Agent, bool) {
			i := slices.IndexFunc(b.Kit.Agents, func(a *agent.Agent) bool { return a.Name == name })
			return b.Kit.Agents[i], true
		},
	}
	desk := *b.Desk
	desk.Runner = runner
	b.Runner, b.Desk = runner, &desk
	k.must("no, he won't", "GP-2026-0001", "Returns: no")
}

// While the API is away the conversation says that it tries again.
func TestRetriesAreTold(t *testing.T) {
	t.Parallel()
	var calls atomic.Int32
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if calls.Add(1) == 1 {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"items":[],"page":1,"more":false,"total":0}`)
	}))
	t.Cleanup(api.Close)
	b := apptest.Open(t, gatepass.App, apptest.Options{At: monday, Change: func(c app.Config) { c.(*gatepass.Config).APIURL = api.URL }})
	k := begin(b, "hr", hr)
	if err := b.Desk.Say(t.Context(), k.run, hr, "list all passes", nil); err != nil {
		t.Fatal(err)
	}
	var told []string
	if _, err := b.Desk.Drive(agent.WithProgress(t.Context(), func(s string) { told = append(told, s) }), k.run); err != nil {
		t.Fatal(err)
	}
	want := []string{"The gate pass service does not work just now; trying again in 2 s (1 of 3)."}
	if !slices.Equal(told, want) || calls.Load() != 2 {
		t.Errorf("G-097 told %q after %d calls, want %q after 2", told, calls.Load(), want)
	}
}

func TestOverdue(t *testing.T) {
	t.Parallel()
	b := apptest.Open(t, gatepass.App, apptest.Options{At: monday})
	k := begin(b, "hr", hr)
	k.must("create a pass for Ravi Kumar to visit the bank, he'll be back by 4 pm", "GP-2026-0001")
	begin(b, "admin", admin).must("approve GP-2026-0001", "is approved")
	begin(b, "gate", gate).say("GP-2026-0001 is going out", attach(b, gate))
	b.Walk(5 * time.Hour) // 15:00
	if cs, _ := b.Desk.Cases(t.Context(), app.CaseFilter{Subject: "pass/GP-2026-0001"}); len(cs) != 0 {
		t.Fatal("a case is opened before the person is late")
	}
	b.Walk(70 * time.Minute) // 16:10
	c, err := b.Desk.CaseOf(t.Context(), "pass/GP-2026-0001")
	if err != nil || c.Stage != "overdue" {
		t.Fatalf("no case for a late return: %+v %v", c, err)
	}
	k.must("any notifications?", "Ravi Kumar was expected back by", "minutes late")
	b.Walk(2 * time.Hour)
	if c, _ = b.Desk.Case(t.Context(), c.ID); c.Stage != "escalated" {
		t.Errorf("not escalated: %+v", c)
	}
	begin(b, "admin", admin).must("show notifications", "minutes late")
	b.Verify(c.ID)
	begin(b, "gate", gate).say("GP-2026-0001 is back", attach(b, gate))
	b.Walk(2 * time.Hour)
	if c, _ = b.Desk.Case(t.Context(), c.ID); c.State != dossier.Closed || c.Outcome != "returned" {
		t.Errorf("the case stays open after the return: %+v", c)
	}
}

// What is attached here can be sent to passes that are kept elsewhere, and a link to a
// printed pass leads to where the pass is.
func TestRemoteAPI(t *testing.T) {
	t.Parallel()
	b, rec := remote(t)
	scan, _ := b.Kit.Tool("scan_exit")
	got, err := call(t, t.Context(), scan, gate, `{"pass_number":"GP-2026-0001","photo":"`+attach(b, gate).Ref+`"}`)
	if seen := rec.take(); err != nil || !got.OK || len(seen) != 1 || seen[0].path != "/gate/scan-exit" || len(seen[0].photo) == 0 {
		t.Errorf("G-035 an attached photo: %+v %v, asked %+v", got, err, seen)
	}
	rec.print = "%PDF-1.7"
	print, _ := b.Kit.Tool("print_gate_pass")
	got, err = call(t, t.Context(), print, hr, `{"pass_number":"GP-2026-0001"}`)
	if want := rec.url + "/hr/gatepass/GP-2026-0001/print"; err != nil || got.Link != want {
		t.Errorf("G-019 link %q, want %q (%v)", got.Link, want, err)
	}
}

// A photo is found whatever its file is called.
func TestNamesOfPhotos(t *testing.T) {
	t.Parallel()
	b := apptest.Open(t, gatepass.App, apptest.Options{At: monday})
	h := begin(b, "hr", hr)
	for i, name := range []string{"IMG [1].jpg", "a: b] c.jpg", "two\nlines.jpg", "[attached x: y].jpg"} {
		n := pass.Number(2026, i+1)
		h.must("create a pass for Ravi Kumar to visit the bank, not coming back", n)
		begin(b, "admin", admin).must("approve "+n, "is approved")
		photo := attach(b, gate)
		photo.Name = name
		if got := begin(b, "gate", gate).say(n+" is going out", photo); !strings.Contains(got, "went out with "+n) {
			t.Errorf("G-162 %q: %s", name, got)
		}
	}
}

// Who is asked for a better value gives just that, and the deed goes on.
func TestABetterValue(t *testing.T) {
	t.Parallel()
	b := apptest.Open(t, gatepass.App, apptest.Options{At: monday})
	k := begin(b, "hr", hr)
	k.must("create a pass for Ravi Kumar to visit the bank, back by 5 pm yesterday", "must lie in the future", "Tell me the right value")
	k.must("16 November 2062 5 pm", "time of return must lie within 90 days from now", "look at the year")
	k.must("tomorrow 6 pm", "Pass GP-2026-0001 is made for Ravi Kumar", "Expected back: 17 Nov 2026 18:00")
	k.must("create a pass for "+strings.Repeat("Ravi", 40)+" to visit the bank, not coming back", "name is too long")
	k.must("what is pending?", "1 pending pass")
	k.must("create a pass for "+strings.Repeat("Ravi", 40)+" to visit the bank, not coming back", "name is too long")
	k.must("Priya Nair", "Pass GP-2026-0002 is made for Priya Nair", "Returns: no")
}

// An answer is lost, and the person says "try again": the second try is the same deed.
func TestTryAgainIsTheSameDeed(t *testing.T) {
	t.Parallel()
	b, rec := remote(t)
	create, _ := b.Kit.Tool("create_gate_pass")
	at := monday
	try := func(key, person string, cut bool) string {
		t.Helper()
		rec.cut.Store(cut)
		args := json.RawMessage(`{"person_name":"` + person + `","description":"bank","is_returnable":true}`)
		res, err := create.Run(t.Context(), tool.Call{For: hr, Now: at, Key: key}, args)
		seen := rec.take() // more than one: the transport itself asks again over a new connection
		if err != nil || len(seen) == 0 || strings.Contains(string(res.Value), `"ok":true`) == cut {
			t.Fatalf("%s: %s %v, asked %v", key, res.Value, err, seen)
		}
		return seen[len(seen)-1].key
	}
	first := try("one", "Ravi", true)
	if again := try("two", "Ravi", false); again != first {
		t.Errorf("G7 tried with %s and again with %s", first, again)
	}
	if third := try("three", "Ravi", false); third == first {
		t.Error("a second pass for the same person is taken for the first")
	}
	first = try("four", "Ravi", true)
	if other := try("five", "Priya", false); other == first {
		t.Error("another deed takes the key of one in doubt")
	}
	at = at.Add(time.Hour)
	if late := try("six", "Ravi", false); late == first {
		t.Error("a deed of the next hour is taken for a try")
	}
}
