package patrol

import (
	"context"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"dossier"
	"dossier/apps/poolpatrol/casebook"
	"dossier/apps/poolpatrol/engine"
	"dossier/apps/poolpatrol/replies"
	"dossier/internal/app"
)

// linkLasts is how long a rider's link for documents and corrections is good for.
const linkLasts = 60 * 24 * time.Hour

// A pass is what a rider's link says. It is signed, so that nobody can make one, and
// names one thread, so that it shows and changes nothing else.
type pass struct {
	Thread  string `json:"t"`
	Expires int64  `json:"x"` // seconds since 1970
}

// Link returns the rider's own address for documents and corrections.
func (p *Patrol) Link(t casebook.Thread, now time.Time) (string, error) {
	body, err := json.Marshal(pass{t.ID, now.Add(linkLasts).Unix()})
	if err != nil {
		return "", err
	}
	enc := base64.RawURLEncoding
	return p.env.URL + "/poolpatrol/counter/" + enc.EncodeToString(body) + "." + enc.EncodeToString(p.env.Sign(signed(body))), nil
}

// signed puts a purpose before what is signed, so that a signature made for a link is
// good for nothing else.
func signed(body []byte) []byte { return append([]byte("poolpatrol-counter-1\n"), body...) }

// Admit returns the thread that a link is for.
func (p *Patrol) Admit(ctx context.Context, token string) (casebook.Thread, error) {
	refused := dossier.Errorf(dossier.Forbidden, "This link is not valid. Use the newest one from our mail, or reply to it.")
	first, second, ok := strings.Cut(token, ".")
	body, err1 := base64.RawURLEncoding.DecodeString(first)
	sig, err2 := base64.RawURLEncoding.DecodeString(second)
	if !ok || err1 != nil || err2 != nil || !ed25519.Verify(p.env.PublicKey, signed(body), sig) {
		return casebook.Thread{}, refused
	}
	var ps pass
	if err := json.Unmarshal(body, &ps); err != nil {
		return casebook.Thread{}, refused
	}
	if p.env.Now().Unix() > ps.Expires {
		return casebook.Thread{}, dossier.Errorf(dossier.Forbidden, "This link has expired. Reply to our mail instead.")
	}
	return p.Book.Thread(ctx, ps.Thread)
}

// A Counter is what a rider sends against a finding.
type Counter struct {
	About     string `json:"about" enum:"shift,location,other" doc:"What it contradicts"`
	Statement string `json:"statement" maxLength:"4000" doc:"What is wrong, in the rider's words"`
	Name      string `json:"document_name,omitempty" maxLength:"200"`
	MIME      string `json:"document_type,omitempty" maxLength:"100"`
	Document  []byte `json:"document,omitempty" doc:"Base64; PDF, PNG, JPEG or plain text, at most 5 MB"`
}

// A CounterFact is the data of "counter_evidence".
type CounterFact struct {
	Employee  string `json:"employee_id"`
	Vanpool   string `json:"vanpool_id"`
	About     string `json:"about"`
	Statement string `json:"statement"`
	Document  string `json:"document_sha256,omitempty"`
	MIME      string `json:"document_type,omitempty"`
	Bytes     int    `json:"document_bytes,omitzero"`
}

func (c Counter) validate() error {
	switch {
	case c.About != "shift" && c.About != "location" && c.About != "other":
		return dossier.Errorf(dossier.Invalid, "Say what this is about: shift, location or other.")
	case strings.TrimSpace(c.Statement) == "" && len(c.Document) == 0:
		return dossier.Errorf(dossier.Invalid, "Write what is wrong, or attach a document.")
	case len(c.Document) > 5<<20:
		return dossier.Errorf(dossier.Invalid, "The document is larger than 5 MB.")
	case len(c.Document) > 0 && !slices.Contains([]string{"application/pdf", "image/png", "image/jpeg", "text/plain"}, c.MIME):
		return dossier.Errorf(dossier.Invalid, "Documents can be PDF, PNG, JPEG or plain text.")
	}
	return nil
}

// Counter takes what a rider sent: it becomes evidence against what it contradicts,
// questions that rest on that are void, and the van is looked at again.
func (p *Patrol) Counter(ctx context.Context, token string, in Counter) (casebook.Thread, error) {
	t, err := p.Admit(ctx, token)
	if err != nil {
		return t, err
	}
	if err := in.validate(); err != nil {
		return t, err
	}
	c, err := p.env.Desk.Case(ctx, t.Case)
	if err != nil {
		return t, err
	}
	if !c.State.Live() {
		return t, dossier.Errorf(dossier.Conflict, "This matter is closed. Please write to the coordinator.")
	}
	van, err := p.Roster.Crew(ctx, t.Vanpool)
	if err != nil {
		return t, err
	}
	fact := CounterFact{Employee: t.Employee, Vanpool: t.Vanpool, About: in.About, Statement: replies.Redact(replies.Clean(in.Statement), van.Names())}
	if len(in.Document) > 0 {
		sum := sha256.Sum256(in.Document)
		fact.Document, fact.MIME, fact.Bytes = hex.EncodeToString(sum[:]), in.MIME, len(in.Document)
		if err := os.WriteFile(filepath.Join(p.env.Dir, "document-"+fact.Document), in.Document, 0o600); err != nil {
			return t, dossier.Errorf(dossier.Unavailable, "The document could not be kept. Please try again.").Because(err)
		}
	}
	return t, p.env.DB.InTx(ctx, func(ctx context.Context) error {
		chain, _, err := p.env.Desk.Facts(ctx, t.Case)
		if err != nil {
			return err
		}
		if _, err := p.env.Desk.Record(ctx, t.Case, p.contradictions(fact, chain), nil); err != nil {
			return err
		}
		t.LastIn = p.env.Now()
		if err := p.Book.SaveThread(ctx, t); err != nil {
			return err
		}
		if err := p.env.Desk.Publish(ctx, app.Event{Kind: "counter.evidence", Case: t.Case, By: t.Employee, Text: t.Employee + " sent counter-evidence about " + in.About + "."}); err != nil {
			return err
		}
		return p.env.Desk.Later(ctx, jobRecheck, caseArgs{t.Case, t.Employee}, p.env.Now(), "recheck/"+string(t.Case)+"/"+t.Employee)
	})
}

// contradictions returns one entry for each fact about the rider that is contradicted,
// and one that contradicts nothing if there is none.
func (p *Patrol) contradictions(fact CounterFact, chain []dossier.Evidence) []dossier.Evidence {
	against := map[string][]string{"shift": {engine.EmployeeShift}, "location": {engine.DistanceCheck}, "other": {engine.EmployeeShift, engine.DistanceCheck}}
	var out []dossier.Evidence
	for _, kind := range against[fact.About] {
		for _, e := range slices.Backward(chain) {
			var about struct {
				Employee string `json:"employee_id"`
			}
			if e.Kind != kind || json.Unmarshal(e.Data, &about) != nil || about.Employee != fact.Employee {
				continue
			}
			ev := p.counterEvidence(fact, len(chain)+len(out))
			ev.Supersedes = e.ID
			out = append(out, ev)
			break
		}
	}
	if len(out) == 0 {
		out = append(out, p.counterEvidence(fact, len(chain)))
	}
	return out
}

func (p *Patrol) counterEvidence(fact CounterFact, n int) dossier.Evidence {
	src := dossier.Source{System: "rider", Locator: fmt.Sprintf("%s/counter/%d", fact.Employee, n), Fetched: p.env.Now()}
	return dossier.NewEvidence("counter_evidence", src, fact, "%s says the records on %s are wrong.", fact.Employee, fact.About)
}
