package rest

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"dossier/apps/gatepass/office"
	"dossier/apps/gatepass/pass"
)

type passOutput struct{ Body pass.Pass }

type pageOutput struct{ Body office.Page }

type document struct {
	ContentType        string `header:"Content-Type"`
	ContentDisposition string `header:"Content-Disposition"`
	PassNumber         string `header:"Gatepass-Number"`
	Body               []byte
}

// A CreateBody is the particulars of a new pass.
type CreateBody struct {
	Person     string `json:"person_name,omitempty" doc:"Whom the pass is for"`
	Purpose    string `json:"description,omitempty" doc:"Why the person leaves"`
	Returnable *bool  `json:"is_returnable,omitempty" doc:"Whether the person will come back"`
	ReturnBy   string `json:"return_by,omitempty" doc:"When the person is expected back: RFC 3339, or local time as 2006-01-02T15:04"`

	bad []pass.FieldError // what is of the wrong kind
}

// UnmarshalJSON reads the particulars one by one, so that one of the wrong kind is
// named as any other bad input is.
func (b *CreateBody) UnmarshalJSON(raw []byte) error {
	var in map[string]json.RawMessage
	if json.Unmarshal(raw, &in) != nil {
		b.bad = append(b.bad, pass.FieldError{Field: "body", Rule: "must be an object with person_name, description and is_returnable"})
		return nil
	}
	for _, f := range []struct {
		name, rule string
		into       any
	}{
		{"person_name", "must be text", &b.Person}, {"description", "must be text", &b.Purpose},
		{"is_returnable", "must be true or false", &b.Returnable}, {"return_by", "must be a time such as 2026-11-16T17:30", &b.ReturnBy},
	} {
		if v, ok := in[f.name]; ok && json.Unmarshal(v, f.into) != nil {
			b.bad = append(b.bad, pass.FieldError{Field: f.name, Rule: f.rule})
		}
	}
	return nil
}

type createInput struct {
	Actor
	Key  string `header:"Idempotency-Key" doc:"A key of your choice: a repeated request with it makes no second pass"`
	Body CreateBody
}

type listInput struct {
	Actor
	Status string `query:"status" doc:"pending, approved, rejected, exited, returned, deleted, pending_return or completed"`
	Search string `query:"search" doc:"Words, or beginnings of words, of name and purpose; or a pass number"`
	Date   string `query:"date" doc:"The day of creation, as 2006-01-02"`
	Page   int    `query:"page" doc:"From 1"`
	Limit  int    `query:"limit" doc:"At most 200; 20 if absent"`
}

func (in *listInput) query() office.Query {
	return office.Query{Status: in.Status, Search: in.Search, Date: in.Date, Page: in.Page, Limit: in.Limit}
}

type idInput struct {
	Actor
	ID string `path:"pass_id" doc:"The pass id; its number will do too"`
}

type numberInput struct {
	Actor
	Number string `path:"pass_number" doc:"GP-YYYY-NNNN"`
}

type nobodyInput struct{ Actor }

func (a *API) hrRoutes() {
	hr := RolesOf("hr")
	handle(a, huma.Operation{
		OperationID: "hr-create-gatepass", Method: http.MethodPost, Path: "/hr/gatepass/create", Summary: "Make a gate pass",
		DefaultStatus: http.StatusCreated, Errors: []int{400, 409},
	}, hr, func(ctx context.Context, in *createInput) (*passOutput, error) {
		who, o := from(ctx), a.Office
		if len(in.Body.bad) > 0 {
			return nil, office.Invalid(in.Body.bad...)
		}
		p, err := office.Once(ctx, o, who, in.Key, in.Body, func(ctx context.Context) (pass.Pass, error) {
			return o.Create(ctx, person(ctx, ""), office.New{
				Person: in.Body.Person, Purpose: in.Body.Purpose, Returnable: in.Body.Returnable, ReturnBy: in.Body.ReturnBy,
			})
		})
		return &passOutput{p}, err
	})
	handle(a, huma.Operation{
		OperationID: "hr-list-gatepasses", Method: http.MethodGet, Path: "/hr/gatepass/list", Summary: "List gate passes, newest first",
	}, hr, a.list)
	handle(a, huma.Operation{
		OperationID: "hr-get-gatepass", Method: http.MethodGet, Path: "/hr/gatepass/{pass_id}", Summary: "One gate pass with its history", Errors: []int{404},
	}, hr, func(ctx context.Context, in *idInput) (*passOutput, error) {
		p, err := a.Office.Pass(ctx, in.ID)
		return &passOutput{p}, err
	})
	handle(a, huma.Operation{
		OperationID: "hr-print-gatepass", Method: http.MethodGet, Path: "/hr/gatepass/{pass_number}/print", Summary: "The printable pass, as PDF", Errors: []int{404},
	}, hr, a.print)
}

func (a *API) list(ctx context.Context, in *listInput) (*pageOutput, error) {
	p, err := a.Office.List(ctx, in.query())
	return &pageOutput{p}, err
}

func (a *API) byNumber(ctx context.Context, in *numberInput) (*passOutput, error) {
	p, err := a.Office.Pass(ctx, in.Number)
	return &passOutput{p}, err
}

func (a *API) print(ctx context.Context, in *numberInput) (*document, error) {
	p, pdf, err := a.Office.Print(ctx, in.Number)
	if err != nil {
		return nil, err
	}
	return &document{"application/pdf", `inline; filename="` + p.Number + `.pdf"`, p.Number, pdf}, nil
}

type decideInput struct {
	Actor
	Number string `path:"pass_number" doc:"GP-YYYY-NNNN"`
	Name   string `query:"name" doc:"The name of who decides; the record shows who is signed in"`
	Key    string `header:"Idempotency-Key" doc:"A key of your choice: a repeated request with it changes nothing more"`
	Body   *struct {
		Name string `json:"name,omitempty" doc:"The name of who decides; the record shows who is signed in"`
	} `required:"false"`
}

func (in *decideInput) name() string {
	if in.Body != nil && in.Body.Name != "" {
		return in.Body.Name
	}
	return in.Name
}

func (a *API) adminRoutes() {
	admin := RolesOf("admin")
	handle(a, huma.Operation{
		OperationID: "admin-pending-gatepasses", Method: http.MethodGet, Path: "/admin/gatepass/pending", Summary: "Gate passes that wait for approval",
	}, admin, func(ctx context.Context, in *listInput) (*pageOutput, error) {
		in.Status = string(pass.Pending)
		return a.list(ctx, in)
	})
	for _, path := range []string{"list", "all"} {
		handle(a, huma.Operation{
			OperationID: "admin-" + path + "-gatepasses", Method: http.MethodGet, Path: "/admin/gatepass/" + path, Summary: "List gate passes, newest first",
		}, admin, a.list)
	}
	handle(a, huma.Operation{
		OperationID: "admin-gatepass-analytics", Method: http.MethodGet, Path: "/admin/gatepass/analytics", Summary: "How many passes stand where",
	}, admin, func(ctx context.Context, _ *nobodyInput) (*struct{ Body office.Analytics }, error) {
		out, err := a.Office.Analytics(ctx)
		return &struct{ Body office.Analytics }{out}, err
	})
	handle(a, huma.Operation{
		OperationID: "admin-get-gatepass", Method: http.MethodGet, Path: "/admin/gatepass/{pass_number}", Summary: "One gate pass with its history", Errors: []int{404},
	}, admin, a.byNumber)
	handle(a, huma.Operation{
		OperationID: "admin-print-gatepass", Method: http.MethodGet, Path: "/admin/gatepass/{pass_number}/print", Summary: "The printable pass, as PDF", Errors: []int{404},
	}, admin, a.print)
	for _, op := range []pass.Op{pass.Approve, pass.Reject, pass.Delete} {
		handle(a, huma.Operation{
			OperationID: "admin-" + string(op) + "-gatepass", Method: http.MethodPost, Path: "/admin/gatepass/{pass_number}/" + string(op),
			Summary: map[pass.Op]string{pass.Approve: "Approve a pending pass", pass.Reject: "Reject a pending pass", pass.Delete: "Delete a pass"}[op], Errors: []int{404, 409},
		}, admin, func(ctx context.Context, in *decideInput) (*passOutput, error) {
			if bad := pass.CheckText("name", in.name(), pass.MaxName); in.name() != "" && len(bad) > 0 {
				return nil, office.Invalid(bad...)
			}
			request := struct{ Op, Number, Name string }{string(op), in.Number, in.name()}
			p, err := office.Once(ctx, a.Office, from(ctx), in.Key, request, func(ctx context.Context) (pass.Pass, error) {
				return a.Office.Do(ctx, person(ctx, in.name()), in.Number, office.Move{Op: op})
			})
			return &passOutput{p}, err
		})
	}
}

type noticesOutput struct {
	Body struct {
		Items []pass.Notification `json:"items"`
	}
}

type noticeInput struct {
	Actor
	ID  string `path:"notification_id"`
	Key string `header:"Idempotency-Key"`
}

func (a *API) noticeRoutes() {
	for _, desk := range []string{"admin", "hr"} {
		handle(a, huma.Operation{
			OperationID: "notifications-" + desk, Method: http.MethodGet, Path: "/notifications/" + desk, Summary: "Notifications of the " + desk + " desk, unread first",
		}, RolesOf(desk), func(ctx context.Context, _ *nobodyInput) (*noticesOutput, error) {
			items, err := a.Office.Notifications(ctx, desk, 50)
			out := &noticesOutput{}
			out.Body.Items = items
			return out, err
		})
	}
	both := append(RolesOf("hr"), RolesOf("admin")...)
	for _, method := range []string{http.MethodPost, http.MethodGet} {
		handle(a, huma.Operation{
			OperationID: "notification-mark-read-" + method, Method: method, Path: "/notifications/mark-read/{notification_id}",
			Summary: "Mark a notification as read (GET is kept for older clients)", Errors: []int{404},
		}, both, func(ctx context.Context, in *noticeInput) (*struct{ Body pass.Notification }, error) {
			var desks []string
			for _, d := range []string{"hr", "admin"} {
				if from(ctx).HasAny(RolesOf(d)) {
					desks = append(desks, d)
				}
			}
			n, err := a.Office.MarkRead(ctx, person(ctx, ""), desks, in.ID)
			return &struct{ Body pass.Notification }{n}, err
		})
	}
}
