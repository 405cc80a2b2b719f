package api

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"dossier"
	"dossier/internal/app"
	"dossier/internal/records"
)

func (s *Server) approvalRoutes(r *app.Router) {
	tags := []string{"approvals"}
	readers := []dossier.Role{reader}
	app.Handle(r, huma.Operation{
		OperationID: "list-approvals", Method: http.MethodGet, Path: "/api/v1/approvals", Tags: tags,
		Summary: "What waits for a person, or was decided; newest first",
	}, readers, s.approvals)
	app.Handle(r, huma.Operation{
		OperationID: "get-approval", Method: http.MethodGet, Path: "/api/v1/approvals/{id}", Tags: tags,
		Summary: "What is asked, why, on which evidence, and what each verb will do", Errors: []int{404},
	}, readers, s.approval)
	app.Handle(r, huma.Operation{
		OperationID: "decide", Method: http.MethodPost, Path: "/api/v1/approvals/{id}/decision", Tags: tags,
		Summary: "Decide about an approval", Errors: []int{403, 404, 409, 412},
	}, []dossier.Role{member}, s.decide)
}

type approvalsInput struct {
	Paging
	View   string                 `query:"view" enum:"mine,pending,decided,all" default:"mine" doc:"mine: pending ones that you may decide; pending: all of them; decided: no longer pending; all: any"`
	By     string                 `query:"by" doc:"Only those that this user decided; me for yourself"`
	App    string                 `query:"app"`
	Case   dossier.CaseID         `query:"case"`
	Status dossier.ApprovalStatus `query:"status" enum:"pending,approved,rejected,expired,void"`
}

type approvalsOutput struct{ Body Page[ApprovalItem] }

// An ApprovalItem is an approval in a list.
type ApprovalItem struct {
	dossier.Approval
	Mine bool   `json:"mine" doc:"You may decide it now"`
	More int    `json:"more" doc:"How many more people must approve"`
	ETag string `json:"etag" doc:"For If-Match"`
}

func (s *Server) approvals(ctx context.Context, in *approvalsInput) (*approvalsOutput, error) {
	after, err := in.position()
	if err != nil {
		return nil, err
	}
	p := s.Principal(ctx)
	q := records.ApprovalQuery{
		Apps: s.within(p, in.App), Case: in.Case, DecidedBy: in.By, Now: s.Now(), After: after, Limit: in.Limit + 1,
	}
	if in.By == "me" {
		q.DecidedBy = p.ID
	}
	switch in.View {
	case "mine":
		q.Statuses, q.Roles = []dossier.ApprovalStatus{dossier.Pending}, list(p.Roles)
	case "pending":
		q.Statuses = []dossier.ApprovalStatus{dossier.Pending}
	case "decided":
		q.Statuses = []dossier.ApprovalStatus{dossier.Approved, dossier.Rejected, dossier.Expired, dossier.Void}
	}
	if in.Status != "" {
		q.Statuses = []dossier.ApprovalStatus{in.Status}
	}
	rows, err := s.Records.ListApprovals(ctx, q)
	if err != nil {
		return nil, err
	}
	p0 := page(rows, in.Limit, func(a dossier.Approval) (time.Time, string) { return a.Asked, string(a.ID) })
	out := &approvalsOutput{Page[ApprovalItem]{Items: []ApprovalItem{}, Next: p0.Next}}
	for _, a := range p0.Items {
		// A query cannot see four-eyes, expiry to the second, or that one has agreed already.
		item := s.approvalItem(a, p)
		if in.View == "mine" && !item.Mine {
			continue
		}
		out.Body.Items = append(out.Body.Items, item)
	}
	return out, nil
}

func (s *Server) approvalItem(a dossier.Approval, p dossier.Principal) ApprovalItem {
	a.Roles, a.Verbs, a.Evidence, a.Decisions = list(a.Roles), list(a.Verbs), list(a.Evidence), list(a.Decisions)
	a.Args = object(a.Args)
	return ApprovalItem{
		Approval: a, Mine: whyNot(a, p, s.Now()) == "", More: max(0, a.Need-len(a.Decisions)), ETag: approvalTag(a),
	}
}

// whyNot says why p cannot decide a now, or "".
func whyNot(a dossier.Approval, p dossier.Principal, now time.Time) string {
	if len(a.Verbs) == 0 {
		return "Nothing can be done about this."
	}
	if !a.Remind.IsZero() && !now.Before(a.Remind) {
		a.Roles = slices.Concat(a.Roles, a.Escalate)
	}
	// The note is for verbs that need one; nothing is recorded here.
	err := a.Decide(dossier.Decision{Verb: a.Verbs[0], By: p, At: now, Note: "?", Args: json.RawMessage("{}")})
	if err != nil {
		return dossier.Message(err)
	}
	return ""
}

// approvalTag changes whenever the approval does.
func approvalTag(a dossier.Approval) string {
	return fmt.Sprintf(`"%.16s-%s-%d"`, a.Digest, a.Status, len(a.Decisions))
}

// An ApprovalDetail is everything a person needs to decide.
type ApprovalDetail struct {
	ApprovalItem
	CaseTitle string          `json:"case_title"`
	Stage     string          `json:"stage"`
	Cited     []EvidenceView  `json:"cited" doc:"The evidence the call rests on"`
	Findings  []FindingView   `json:"findings" doc:"The latest findings of the case"`
	Does      []VerbInfo      `json:"does" doc:"What each verb will do"`
	ToolDoc   string          `json:"tool_doc"`
	Effect    string          `json:"effect" enum:"read,write,act"`
	Schema    json.RawMessage `json:"schema" doc:"JSON Schema of the arguments, for an edit"`
	WhyNot    string          `json:"why_not,omitempty" doc:"Why you cannot decide it"`

	Background []app.Background `json:"background" doc:"What the app knows beside the case, computed now"`
}

// A VerbInfo says what a verb will do.
type VerbInfo struct {
	Verb dossier.Verb `json:"verb"`
	Does string       `json:"does"`
}

// ApprovalRef is an approval that an operation is about.
type ApprovalRef struct {
	ID dossier.ApprovalID `path:"id"`
}

type approvalOutput struct {
	ETag string `header:"ETag"`
	Body ApprovalDetail
}

func (s *Server) approval(ctx context.Context, in *ApprovalRef) (*approvalOutput, error) {
	a, err := s.approvalSeen(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	c, err := s.Records.Case(ctx, a.Case)
	if err != nil {
		return nil, err
	}
	chain, found, err := s.Records.Facts(ctx, a.Case)
	if err != nil {
		return nil, err
	}
	p := s.Principal(ctx)
	d := ApprovalDetail{
		ApprovalItem: s.approvalItem(a, p), CaseTitle: c.Title, Stage: c.Stage,
		Cited: []EvidenceView{}, Findings: []FindingView{}, Does: []VerbInfo{}, Effect: "act", Schema: object(nil),
		WhyNot: whyNot(a, p, s.Now()), Background: []app.Background{},
	}
	for _, e := range s.viewEvidence(c, chain, found) {
		if slices.Contains(a.Evidence, e.ID) {
			d.Cited = append(d.Cited, e)
		}
	}
	for _, f := range dossier.Latest(found) {
		f.Cites = list(f.Cites)
		d.Findings = append(d.Findings, FindingView{f, true})
	}
	if inst, ok := s.apps[a.App]; ok {
		d.Background = inst.Kit.Tell(ctx, s.Log, a, p)
		if t, ok := inst.Kit.Tool(a.Tool); ok {
			d.ToolDoc, d.Effect, d.Schema = t.Doc, t.Effect.String(), object(t.Input.Text)
		}
	}
	for _, v := range a.Verbs {
		d.Does = append(d.Does, VerbInfo{v, a.Does(v)})
	}
	return &approvalOutput{d.ETag, d}, nil
}

func (s *Server) approvalSeen(ctx context.Context, id dossier.ApprovalID) (dossier.Approval, error) {
	a, err := s.Records.Approval(ctx, id)
	if err != nil {
		return a, err
	}
	return a, s.see(ctx, a.App, "approval "+string(id))
}

type decideInput struct {
	ApprovalRef
	IfMatch string `header:"If-Match" doc:"The ETag of the approval as you saw it"`
	Body    struct {
		Verb   dossier.Verb    `json:"verb" enum:"approve,edit,reject,respond"`
		Args   json.RawMessage `json:"args,omitempty" doc:"The arguments to use instead, with edit"`
		Note   string          `json:"note,omitempty" maxLength:"2000" doc:"Why; needed with reject and respond"`
		Digest string          `json:"digest,omitempty" doc:"The digest of what you saw; needed unless If-Match is sent"`
	}
}

type decideOutput struct {
	ETag string `header:"ETag"`
	Body ApprovalItem
}

func (s *Server) decide(ctx context.Context, in *decideInput) (*decideOutput, error) {
	a, err := s.approvalSeen(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	if err := s.byPerson(ctx, a); err != nil {
		return nil, err
	}
	p := s.Principal(ctx)
	seen := in.Body.Digest
	if in.IfMatch != "" {
		if in.IfMatch != approvalTag(a) {
			return nil, changedMeanwhile(a, p, s.Now())
		}
		seen = a.Digest
	}
	if seen == "" {
		return nil, dossier.Errorf(dossier.Invalid, "Send If-Match or the digest, so that you decide about exactly what you saw.")
	}
	a, err = s.Inbox.Decide(ctx, in.ID, seen, dossier.Decision{
		Verb: in.Body.Verb, Args: in.Body.Args, Note: in.Body.Note, By: p,
	})
	if err != nil {
		return nil, err
	}
	return &decideOutput{approvalTag(a), s.approvalItem(a, p)}, nil
}

// byPerson refuses a token's word about what an assistant outside the product asked for:
// the token may be that assistant's.
func (s *Server) byPerson(ctx context.Context, a dossier.Approval) error {
	if who(ctx).Token == "" || s.Others == "" {
		return nil
	}
	run, err := s.Records.Run(ctx, a.Run)
	if err == nil && run.Agent == s.Others {
		err = dossier.Errorf(dossier.Forbidden, "An assistant asked for this, and a token may be an assistant's. Sign in to decide it.")
	}
	return err
}

// changedMeanwhile tells the second of two people who came first.
func changedMeanwhile(a dossier.Approval, p dossier.Principal, now time.Time) error {
	msg := whyNot(a, p, now)
	if msg == "" {
		msg = "Somebody else decided meanwhile. Look at it again."
		if n := len(a.Decisions); n > 0 {
			msg = fmt.Sprintf("%s decided meanwhile (%s). Look at it again.", a.Decisions[n-1].By.Name, a.Decisions[n-1].Verb)
		}
	}
	return dossier.Errorf(dossier.Conflict, "%s", msg).Because(errStale)
}
