// Package outbox lists the programme's outgoing mail across its cases.
//
// What was mailed stands in the core's outbox, with what became of it; what waits for a
// coordinator is a draft in the arguments of an approval. [Source.List] puts both into
// one list, newest first. An [Item] names the rider by id: neither an address nor the
// text of a letter leaves by this way, because a letter holds the rider's own link.
package outbox

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"dossier"
	"dossier/apps/poolpatrol/patrol"
	"dossier/apps/poolpatrol/replies"
	"dossier/internal/app"
	"dossier/internal/db"
	"dossier/internal/mail"
)

// A State says how far a mail has come: a state of the core's outbox, or [Held].
type State string

// Held is the state of a draft that waits for a coordinator.
const Held State = "held"

// An Item is one outgoing mail.
type Item struct {
	ID       string             `json:"id" doc:"Of the mail in the outbox, or of the approval it waits for"`
	State    State              `json:"state" enum:"held,kept,queued,sent,failed" doc:"held waits for a coordinator; kept stays in the outbox because no carrier is configured; queued is tried again; sent and failed are final"`
	Via      string             `json:"via" doc:"outbox, smtp or resend; empty while it is held"`
	Problem  string             `json:"problem,omitempty" doc:"Why it failed or is tried again"`
	Employee string             `json:"employee_id"`
	Kind     string             `json:"kind" doc:"initial, follow_up, reminder or answer"`
	Subject  string             `json:"subject"`
	Case     dossier.CaseID     `json:"case_id"`
	Approval dossier.ApprovalID `json:"approval_id,omitempty" doc:"Of a held mail"`
	At       time.Time          `json:"at" doc:"When it was written"`
}

// A Page is a piece of the list.
type Page struct {
	Items []Item `json:"items"`
	Next  string `json:"next,omitempty" doc:"Pass this as after to get more; absent at the end"`
}

// A Query picks mail. Zero fields pick all.
type Query struct {
	State State
	After string // Next of the page before
	Limit int
}

// A Source is where mail is found.
type Source struct {
	DB   db.DB
	Desk app.Desk
}

// List returns a page of the outgoing mail, newest first.
func (s Source) List(ctx context.Context, q Query) (Page, error) {
	last, err := place(q.After)
	if err != nil {
		return Page{}, err
	}
	var items []Item
	if q.State != Held {
		letters, err := mail.List(ctx, s.DB, mail.Query{
			App: "poolpatrol", State: mail.State(q.State), Before: last.At, BeforeID: last.ID, Limit: q.Limit + 1,
		})
		if err != nil {
			return Page{}, err
		}
		for _, l := range letters {
			items = append(items, itemOf(l))
		}
	}
	if q.State == Held || q.State == "" {
		held, err := s.held(ctx, last)
		if err != nil {
			return Page{}, err
		}
		items = append(items, held...)
		slices.SortFunc(items, newestFirst)
	}
	if len(items) <= q.Limit {
		return Page{Items: append([]Item{}, items...)}, nil
	}
	items = items[:q.Limit]
	end := items[q.Limit-1]
	return Page{Items: items, Next: fmt.Sprintf("%d-%s", end.At.UnixMicro(), end.ID)}, nil
}

func newestFirst(a, b Item) int { return cmp.Or(b.At.Compare(a.At), cmp.Compare(b.ID, a.ID)) }

// place reads where a page ended. At the beginning it is the zero item.
func place(after string) (Item, error) {
	if after == "" {
		return Item{}, nil
	}
	micros, id, ok := strings.Cut(after, "-")
	at, err := strconv.ParseInt(micros, 10, 64)
	if !ok || err != nil {
		return Item{}, dossier.Errorf(dossier.Invalid, "after must be the next of an earlier page.").Because(err)
	}
	return Item{ID: id, At: time.UnixMicro(at).UTC()}, nil
}

// held returns the drafts that wait for a coordinator and come after a place.
func (s Source) held(ctx context.Context, last Item) ([]Item, error) {
	asked, err := s.Desk.Asked(ctx, "send_email_for_review")
	if err != nil {
		return nil, err
	}
	var out []Item
	for _, a := range asked {
		var in patrol.MailIn
		if a.Status != dossier.Pending || json.Unmarshal(a.Args, &in) != nil {
			continue
		}
		it := Item{ID: string(a.ID), State: Held, Employee: in.Employee, Kind: in.Kind, Subject: in.Subject, Case: a.Case, Approval: a.ID, At: a.Asked}
		if last.ID == "" || newestFirst(last, it) < 0 {
			out = append(out, it)
		}
	}
	return out, nil
}

// itemOf describes a mail of the core's outbox. Its key says what it is about; the
// carrier's words may hold an address, which is taken out.
func itemOf(l mail.Letter) Item {
	about := mailOfKey(l.Key)
	return Item{
		ID: l.ID, State: State(l.State), Via: l.Via, Problem: replies.Redact(l.Problem, nil), Employee: about.Employee, Kind: about.Kind,
		Subject: l.Message.Subject, Case: l.Message.Case, At: l.Created,
	}
}

// mailOfKey returns what the key of a mail says about it: case, rider and kind. They
// hold no slash, by the forms of ids.
func mailOfKey(key string) patrol.MailIn {
	parts := append(strings.Split(key, "/"), "", "", "", "")
	return patrol.MailIn{Case: parts[1], Employee: parts[2], Kind: parts[3]}
}
