package poolpatrol

import (
	"bytes"
	"context"
	"crypto/subtle"
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"dossier"
	"dossier/apps/poolpatrol/casebook"
	"dossier/apps/poolpatrol/numbers"
	"dossier/apps/poolpatrol/outbox"
	"dossier/apps/poolpatrol/patrol"
	"dossier/apps/poolpatrol/roster"
	"dossier/apps/poolpatrol/vans"
	"dossier/internal/app"
	"dossier/internal/mail"
)

const base = "/api/v1/poolpatrol"

// A body is an answer whose content is T.
type body[T any] struct{ Body T }

// The fields below are embedded in inputs; huma fills embedded fields of exported types
// alone.

// A ByVan names a vanpool in a path.
type ByVan struct {
	Vanpool string `path:"vanpool" doc:"Vanpool id, such as VP-101"`
}

// A ByCase names a case in a path.
type ByCase struct {
	Case dossier.CaseID `path:"case" doc:"Case id, such as CASE-1f0a9c3b"`
}

// A ByToken carries the signed part of a rider's link.
type ByToken struct {
	Token string `path:"token" doc:"The last part of the rider's link"`
}

func (s *server) routes(r *app.Router) {
	s.routesOfVans(r)
	s.routesOfCases(r)
	s.routesOfMail(r)
}

func op(id, method, path, summary string) huma.Operation {
	return huma.Operation{OperationID: "poolpatrol-" + id, Method: method, Path: base + path, Summary: summary}
}

func (s *server) routesOfVans(r *app.Router) {
	app.Handle(r, op("vans", http.MethodGet, "/vans", "List vanpools with their open case and newest audit"), patrol.Readers,
		func(ctx context.Context, in *struct {
			Text    string `query:"q" maxLength:"100" doc:"Stands in the id, the name or the pickup place"`
			Flagged bool   `query:"flagged" doc:"Only vans with an open case"`
			After   string `query:"after" doc:"The last van of the page before"`
			Limit   int    `query:"limit" minimum:"1" maximum:"1000" default:"200"`
		}) (*body[[]vans.Line], error) {
			list := vans.Source{Roster: s.patrol.Roster, Book: s.patrol.Book, Desk: s.env.Desk}
			page, err := list.List(ctx, vans.Query{Text: in.Text, Flagged: in.Flagged, After: in.After, Limit: in.Limit})
			return &body[[]vans.Line]{page}, err
		})
	app.Handle(r, op("van", http.MethodGet, "/vans/{vanpool}", "Show a vanpool: riders, shifts, homes, cases"), patrol.Readers,
		func(ctx context.Context, in *ByVan) (*body[vanPage], error) {
			v, err := s.van(ctx, in.Vanpool)
			return &body[vanPage]{v}, err
		})
	app.Handle(r, op("audit", http.MethodPost, "/vans/{vanpool}/audit", "Audit a vanpool now"), patrol.Staff,
		func(ctx context.Context, in *struct {
			ByVan
			Body struct {
				Again  bool     `json:"again,omitempty" doc:"Look again if a case is open"`
				Checks []string `json:"checks,omitempty" doc:"With again: only these checks"`
			}
		}) (*body[patrol.Look], error) {
			if err := s.patrol.KnowsChecks(in.Body.Checks); err != nil {
				return nil, err
			}
			l, err := s.patrol.Audit(ctx, patrol.Order{Vanpool: in.Vanpool, For: r.Principal(ctx), Again: in.Body.Again, Recheck: in.Body.Checks})
			return &body[patrol.Look]{l}, err
		})
	app.Handle(r, op("audit-all", http.MethodPost, "/audits", "Make the audit of every vanpool due"), patrol.Staff,
		func(ctx context.Context, _ *struct{}) (*body[counted], error) {
			n, err := s.patrol.AuditAll(ctx)
			return &body[counted]{counted{n}}, err
		})
	app.Handle(r, op("reinstate", http.MethodPost, "/vans/{vanpool}/riders/{employee}/reinstate", "Give a rider the seat back"), []dossier.Role{patrol.Coordinator},
		func(ctx context.Context, in *struct {
			ByVan
			Employee string `path:"employee"`
		}) (*struct{}, error) {
			return nil, s.reinstate(ctx, r.Principal(ctx), in.Vanpool, in.Employee)
		})
	app.Handle(r, op("metrics", http.MethodGet, "/metrics", "Count audits, hours saved, time to resolution, cost and reversals"), patrol.Readers,
		func(ctx context.Context, _ *struct{}) (*body[numbers.Metrics], error) {
			m, err := s.numbers.Metrics(ctx)
			return &body[numbers.Metrics]{m}, err
		})
	app.Handle(r, op("export", http.MethodGet, "/roster", "Export every record"), []dossier.Role{patrol.Coordinator},
		func(ctx context.Context, _ *struct{}) (*body[json.RawMessage], error) {
			b, err := s.patrol.Roster.All(ctx)
			if err != nil {
				return nil, err
			}
			raw, err := json.Marshal(b)
			return &body[json.RawMessage]{raw}, err
		})
	app.Handle(r, op("import", http.MethodPost, "/roster", "Import records from CSV or JSON"), []dossier.Role{patrol.Coordinator}, s.importBody)
}

type counted struct {
	Due int `json:"due"`
}

type importIn struct {
	Kind    string `query:"kind" doc:"What the body holds, if it does not say: shifts, zips, employees, pto, vanpools or riders"`
	Keep    bool   `query:"keep_good" doc:"Save the good rows even if others are bad"`
	RawBody []byte `contentType:"application/octet-stream" doc:"CSV with a header line, or JSON"`
}

func (s *server) importBody(ctx context.Context, in *importIn) (*body[imported], error) {
	b, problems, err := roster.Read("upload", roster.Kind(in.Kind), bytes.NewReader(in.RawBody))
	if err != nil {
		return nil, err
	}
	out, err := s.take(ctx, b, problems, in.Keep, false)
	if err != nil {
		return nil, err
	}
	return &body[imported]{out}, nil
}

// A thread is the mail with one rider, with the draft that waits for a person.
type thread struct {
	casebook.Thread
	Messages []casebook.Message `json:"messages"`
	Drafts   []draft            `json:"drafts"`
}

// A draft is a mail that waits for a coordinator.
type draft struct {
	Approval dossier.ApprovalID `json:"approval_id"`
	Subject  string             `json:"subject"`
	Body     string             `json:"body"`
	Sent     bool               `json:"sent"`
}

type casePage struct {
	caseView
	Threads   []thread              `json:"threads"`
	Reversals numbers.ReversalTable `json:"reversals"` // for whoever decides
	Spent     dossier.Expense       `json:"spent"`     // by all runs of the case
}

func (s *server) routesOfCases(r *app.Router) {
	app.Handle(r, op("cases", http.MethodGet, "/cases", "List cases in the programme's words"), patrol.Readers,
		func(ctx context.Context, in *struct {
			Closed bool `query:"closed" doc:"Closed cases, too"`
		}) (*body[[]caseView], error) {
			c, err := s.caseRows(ctx, in.Closed)
			return &body[[]caseView]{c}, err
		})
	app.Handle(r, op("case", http.MethodGet, "/cases/{case}", "Show a case with its mail, drafts, cost and the reversal rates"), patrol.Readers,
		func(ctx context.Context, in *ByCase) (*body[casePage], error) {
			c, err := s.casePage(ctx, in.Case)
			return &body[casePage]{c}, err
		})
}

func (s *server) casePage(ctx context.Context, id dossier.CaseID) (casePage, error) {
	row, err := s.caseRow(ctx, id)
	if err != nil {
		return casePage{}, err
	}
	out := casePage{caseView: row, Threads: []thread{}}
	threads, err := s.patrol.Book.Threads(ctx, id)
	if err != nil {
		return casePage{}, err
	}
	asked, err := s.env.Desk.Approvals(ctx, id)
	if err != nil {
		return casePage{}, err
	}
	for _, t := range threads {
		mail, err := s.patrol.Book.Messages(ctx, t.ID)
		if err != nil {
			return casePage{}, err
		}
		out.Threads = append(out.Threads, thread{t, append([]casebook.Message{}, mail...), draftsOf(t.Employee, asked)})
	}
	if out.Spent, err = s.env.Desk.Spent(ctx, id); err != nil {
		return casePage{}, err
	}
	out.Reversals, err = s.numbers.Reversals(ctx)
	return out, err
}

func draftsOf(employee string, asked []dossier.Approval) []draft {
	out := []draft{}
	for _, a := range asked {
		var in struct {
			Employee string `json:"employee_id"`
			Subject  string `json:"subject"`
			Body     string `json:"body"`
		}
		if a.Tool == "send_email_for_review" && a.Status == dossier.Pending && json.Unmarshal(a.Args, &in) == nil && in.Employee == employee {
			out = append(out, draft{a.ID, in.Subject, in.Body, false})
		}
	}
	return out
}

func (s *server) routesOfMail(r *app.Router) {
	app.Handle(r, op("outbox", http.MethodGet, "/outbox", "List outgoing mail across cases, newest first"), patrol.Readers,
		func(ctx context.Context, in *struct {
			State string `query:"state" enum:"held,kept,queued,sent,failed" doc:"Only mail in this state"`
			After string `query:"after" doc:"The next of the page before"`
			Limit int    `query:"limit" minimum:"1" maximum:"200" default:"50"`
		}) (*body[outbox.Page], error) {
			p, err := s.outbox.List(ctx, outbox.Query{State: outbox.State(in.State), After: in.After, Limit: in.Limit})
			return &body[outbox.Page]{p}, err
		})
	app.Handle(r, op("reply-as", http.MethodPost, "/threads/{thread}/replies", "Take a reply as if the rider had mailed it"), []dossier.Role{patrol.Coordinator},
		func(ctx context.Context, in *struct {
			Thread string `path:"thread"`
			Body   struct {
				Text string `json:"text" minLength:"1" maxLength:"20000"`
			}
		}) (*body[casebook.Message], error) {
			m, err := s.patrol.ReplyAs(ctx, in.Thread, in.Body.Text)
			return &body[casebook.Message]{m}, err
		})
	app.Handle(r, op("rider-link", http.MethodPost, "/threads/{thread}/link", "Make the rider's own link, for somebody who came with a document"), []dossier.Role{patrol.Coordinator},
		func(ctx context.Context, in *struct {
			Thread string `path:"thread"`
		}) (*body[riderLink], error) {
			url, err := s.riderLink(ctx, r.Principal(ctx), in.Thread)
			return &body[riderLink]{riderLink{url}}, err
		})
	inbound := op("inbound", http.MethodPost, "/inbound", "Take a mail that came in: JSON fields, or RFC 5322 text as raw")
	app.Handle(r, inbound, []dossier.Role{app.Public}, s.inbound)
	app.Handle(r, op("counter-show", http.MethodGet, "/counter/{token}", "Show a rider what the records say"), []dossier.Role{app.Public}, s.showCounter)
	app.Handle(r, op("counter", http.MethodPost, "/counter/{token}", "Send a document or a correction"), []dossier.Role{app.Public},
		func(ctx context.Context, in *struct {
			ByToken
			Body patrol.Counter
		}) (*body[received], error) {
			t, err := s.patrol.Counter(ctx, in.Token, in.Body)
			return &body[received]{received{string(t.Case)}}, err
		})
	r.Raw("GET /poolpatrol/counter/{token}", []dossier.Role{app.Public}, http.HandlerFunc(s.counterPage))
	r.Raw("POST /poolpatrol/counter/{token}", []dossier.Role{app.Public}, http.HandlerFunc(s.counterForm))
}

type received struct {
	Case string `json:"case_id"`
}

type inboundIn struct {
	Secret string `header:"X-Webhook-Secret" doc:"The secret that was agreed with the mail service"`
	Body   struct {
		InboundMail
		Raw string `json:"raw,omitempty" doc:"The whole mail as RFC 5322 text, instead of its fields"`
	}
}

// An InboundMail is a mail.Inbound of which every field may be left out.
type InboundMail struct {
	From      string    `json:"from,omitempty" doc:"The sender's address alone"`
	To        []string  `json:"to,omitempty"`
	Subject   string    `json:"subject,omitempty"`
	Text      string    `json:"text,omitempty"`
	MessageID string    `json:"message_id,omitempty" doc:"Of the header, without angle brackets"`
	InReplyTo string    `json:"in_reply_to,omitempty"`
	Refs      []string  `json:"references,omitempty"`
	Date      time.Time `json:"date,omitzero"`
}

type taken struct {
	Message string `json:"message_id"`
	Fresh   bool   `json:"fresh" doc:"False if it was taken before"`
}

// inbound takes a mail from a mail service that knows the secret.
func (s *server) inbound(ctx context.Context, in *inboundIn) (*body[taken], error) {
	if s.patrol.Config.Webhook == "" {
		return nil, dossier.Errorf(dossier.NotFound, "No webhook is configured.")
	}
	want, err := s.env.Secret(s.patrol.Config.Webhook)
	if err != nil {
		return nil, err
	}
	if want == "" || subtle.ConstantTimeCompare([]byte(want), []byte(in.Secret)) != 1 {
		return nil, dossier.Errorf(dossier.Forbidden, "The secret is wrong.")
	}
	m := mail.Inbound(in.Body.InboundMail)
	switch {
	case in.Body.Raw == "" && (m.From == "" || m.Text == ""):
		return nil, dossier.Errorf(dossier.Invalid, "A mail needs from and text, or all of it as raw.")
	case in.Body.Raw != "":
		if m, err = mail.Parse(strings.NewReader(in.Body.Raw)); err != nil {
			return nil, err
		}
	}
	msg, fresh, err := s.patrol.Receive(ctx, m)
	if err != nil {
		return nil, err
	}
	return &body[taken]{taken{msg.ID, fresh}}, nil
}

// A standing is what a rider is shown of the own matter.
type standing struct {
	Vanpool string   `json:"vanpool_id"`
	Checks  []string `json:"failed_checks"`
	Open    bool     `json:"open"`
}

func (s *server) showCounter(ctx context.Context, in *ByToken) (*body[standing], error) {
	t, err := s.patrol.Admit(ctx, in.Token)
	if err != nil {
		return nil, err
	}
	return &body[standing]{standing{t.Vanpool, append([]string{}, t.Checks...), t.Settled == ""}}, nil
}
