package patrol

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"dossier"
	"dossier/apps/poolpatrol/casebook"
	"dossier/apps/poolpatrol/counter"
	"dossier/apps/poolpatrol/replies"
	"dossier/internal/app"
)

// Link returns the rider's own address for documents and corrections.
func (p *Patrol) Link(t casebook.Thread, now time.Time) (string, error) {
	return counter.Link(p.env.URL, p.env.Sign, t.ID, now)
}

// Admit returns the thread that a link is for.
func (p *Patrol) Admit(ctx context.Context, token string) (casebook.Thread, error) {
	id, err := counter.Thread(p.env.PublicKey, token, p.env.Now())
	if err != nil {
		return casebook.Thread{}, err
	}
	return p.Book.Thread(ctx, id)
}

// A Counter is what a rider sends against a finding.
type Counter struct {
	About     string `json:"about" enum:"shift,location,other" doc:"What it contradicts"`
	Statement string `json:"statement" maxLength:"4000" doc:"What is wrong, in the rider's words"`
	Name      string `json:"document_name,omitempty" maxLength:"200"`
	MIME      string `json:"document_type,omitempty" maxLength:"100"`
	Document  []byte `json:"document,omitempty" doc:"Base64; PDF, PNG, JPEG or plain text, at most 5 MB"`
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
	fact := counter.Fact{Employee: t.Employee, Vanpool: t.Vanpool, About: in.About, Statement: replies.Redact(replies.Clean(in.Statement), van.Names())}
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
		if _, err := p.env.Desk.Record(ctx, t.Case, fact.Evidence(chain, p.env.Now()), nil); err != nil {
			return err
		}
		if err := p.Book.Heard(ctx, t.ID, p.env.Now()); err != nil {
			return err
		}
		if err := p.env.Desk.Publish(ctx, app.Event{Kind: "counter.evidence", Case: t.Case, By: t.Employee, Text: t.Employee + " sent counter-evidence about " + in.About + "."}); err != nil {
			return err
		}
		return p.env.Desk.Later(ctx, jobRecheck, caseArgs{t.Case, t.Employee}, p.env.Now(), "recheck/"+string(t.Case)+"/"+t.Employee)
	})
}
