package rest

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"mime/multipart"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"dossier"
	"dossier/apps/gatepass/office"
	"dossier/apps/gatepass/pass"
	"dossier/apps/gatepass/photo"
	"dossier/apps/gatepass/qr"
	"dossier/internal/app"
)

// A PhotoList is the photos of a pass.
type PhotoList struct {
	Number string               `json:"pass_number"`
	Person string               `json:"person_name"`
	Items  []office.PhotoRecord `json:"items"`
}

// A Check is what the server knows of a scanned code.
type Check struct {
	qr.Verdict
	Pass *pass.Pass `json:"pass,omitempty"`
}

func (a *API) gateRoutes() {
	gate := RolesOf("gate")
	handle(a, huma.Operation{
		OperationID: "gate-get-by-number", Method: http.MethodGet, Path: "/gate/gatepass/number/{pass_number}", Summary: "One gate pass by its number", Errors: []int{404},
	}, gate, a.byNumber)
	handle(a, huma.Operation{
		OperationID: "gate-get-by-id", Method: http.MethodGet, Path: "/gate/gatepass/id/{pass_id}", Summary: "One gate pass by its id", Errors: []int{404},
	}, gate, func(ctx context.Context, in *idInput) (*passOutput, error) {
		p, err := a.Office.Pass(ctx, in.ID)
		return &passOutput{p}, err
	})
	handle(a, huma.Operation{
		OperationID: "gate-out", Method: http.MethodGet, Path: "/gate/out", Summary: "Who is out and expected back",
	}, everyone, func(ctx context.Context, in *listInput) (*pageOutput, error) {
		in.Status = "pending_return"
		return a.list(ctx, in)
	})
	handle(a, huma.Operation{
		OperationID: "gate-photos", Method: http.MethodGet, Path: "/gate/photos/{pass_number}", Summary: "The photos of a pass", Errors: []int{404},
	}, gate, func(ctx context.Context, in *numberInput) (*struct{ Body PhotoList }, error) {
		p, items, err := a.Office.PhotosOf(ctx, in.Number)
		if items == nil {
			items = []office.PhotoRecord{}
		}
		return &struct{ Body PhotoList }{PhotoList{p.Number, p.Person, items}}, err
	})
	handle(a, huma.Operation{
		OperationID: "gate-photo", Method: http.MethodGet, Path: "/gate/photos/{pass_number}/{operation}", Summary: "One photo of a pass", Errors: []int{404},
	}, everyone, func(ctx context.Context, in *struct {
		Actor
		Number string  `path:"pass_number"`
		Op     pass.Op `path:"operation" doc:"exit or return"`
	}) (*document, error) {
		mime, data, err := a.Office.Photo(ctx, in.Number, in.Op)
		return &document{mime, "inline", in.Number, data}, err
	})
	handle(a, huma.Operation{
		OperationID: "gate-kit", Method: http.MethodGet, Path: "/gate/kit", Summary: "What a gate needs to check codes offline: keys, signed revocations, who is out",
	}, gate, func(ctx context.Context, _ *nobodyInput) (*struct{ Body office.GateKit }, error) {
		k, err := a.Office.GateKit(ctx)
		return &struct{ Body office.GateKit }{k}, err
	})
	handle(a, huma.Operation{
		OperationID: "gate-verify", Method: http.MethodPost, Path: "/gate/verify", Summary: "Check a scanned code", Errors: []int{404},
	}, gate, func(ctx context.Context, in *struct {
		Actor
		Body struct {
			Token string `json:"token"`
		}
	}) (*struct{ Body Check }, error) {
		v, p, err := a.Office.Verify(ctx, in.Body.Token)
		return &struct{ Body Check }{Check{v, p}}, err
	})
	handle(a, huma.Operation{
		OperationID: "gate-sync", Method: http.MethodPost, Path: "/gate/sync", Summary: "Hand in a scan that was made offline", MaxBodyBytes: max(16<<20, int64(a.Office.MaxPhoto)*3/2), // base64 takes a third more
	}, gate, func(ctx context.Context, in *struct {
		Actor
		Body office.QueuedScan
	}) (*struct{ Body office.Reconciled }, error) {
		r, err := a.Office.Reconcile(ctx, person(ctx, ""), in.Body)
		return &struct{ Body office.Reconciled }{r}, err
	})
	a.raw("POST /gate/scan-exit", gate, a.scan(pass.Exit))
	a.raw("POST /gate/scan-return", gate, a.scan(pass.Return))
}

// raw registers an operation that takes a multipart form.
func (a *API) raw(pattern string, roles []dossier.Role, h func(http.ResponseWriter, *http.Request) error) {
	a.router.Raw(pattern, append([]dossier.Role{app.Own}, roles...), http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, err := a.allow(r.Context(), r.Header.Get("Dossier-Acting-For"), roles)
		if err == nil {
			err = h(w, r.WithContext(ctx))
		}
		if err != nil {
			a.fail(w, r, err)
		}
	}))
}

// problem is what the caller may know of err. The cause of what is not the caller's
// doing goes to the log.
func (a *API) problem(ctx context.Context, err error) *office.Problem {
	if p, ok := errors.AsType[*office.Problem](err); ok {
		return p
	}
	code, ok := map[dossier.Kind]int{
		dossier.Invalid: http.StatusUnprocessableEntity, dossier.NotFound: http.StatusNotFound, dossier.Forbidden: http.StatusForbidden,
		dossier.Conflict: http.StatusConflict, dossier.Unavailable: http.StatusServiceUnavailable,
	}[dossier.KindOf(err)]
	if !ok {
		code = http.StatusInternalServerError
	}
	if code >= http.StatusInternalServerError && ctx.Err() == nil {
		a.Office.Log.ErrorContext(ctx, "gate pass request failed", "status", code, "err", err)
	}
	return status(code, dossier.Message(err), "")
}

// fail writes err as a problem document.
func (a *API) fail(w http.ResponseWriter, r *http.Request, err error) {
	p := a.problem(r.Context(), err)
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(p.Status)
	_ = json.NewEncoder(w).Encode(p.Problem) // the caller went away if this fails
}

func answer(w http.ResponseWriter, code int, v any) error {
	raw, err := json.Marshal(v)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_, _ = w.Write(raw) // the caller went away if this fails
	return nil
}

// form reads a multipart form whose one file is a photo, in the field photo or file.
func (a *API) form(w http.ResponseWriter, r *http.Request) (photo.Photo, string, error) {
	r.Body = http.MaxBytesReader(w, r.Body, int64(a.Office.MaxPhoto)+1<<16)
	err := r.ParseMultipartForm(int64(a.Office.MaxPhoto) + 1<<16)
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return photo.Photo{}, "", a.Office.TooLarge(r.ContentLength)
	}
	if err != nil {
		return photo.Photo{}, "", status(http.StatusBadRequest, "The request must be a multipart form with a photo.", "")
	}
	var f multipart.File
	var h *multipart.FileHeader
	for _, field := range []string{"photo", "file"} {
		if f, h, err = r.FormFile(field); err == nil {
			break
		}
	}
	if err != nil {
		return photo.Photo{}, "", office.Invalid(pass.FieldError{Field: "photo", Rule: "is missing: attach a JPEG, PNG or HEIC file"})
	}
	defer f.Close()
	data, err := io.ReadAll(f)
	if err != nil {
		return photo.Photo{}, "", status(http.StatusBadRequest, "The photo broke off on the way. Send it again.", "")
	}
	p, err := a.Office.CheckPhoto(data)
	return p, h.Filename, err
}

// scan returns the handler that records an exit or a return.
func (a *API) scan(op pass.Op) func(http.ResponseWriter, *http.Request) error {
	return func(w http.ResponseWriter, r *http.Request) error {
		ph, _, err := a.form(w, r)
		if err != nil {
			return err
		}
		number, ok := pass.ParseNumber(r.FormValue("pass_number"))
		if !ok {
			return office.Invalid(pass.FieldError{Field: "pass_number", Rule: "must have the form GP-YYYY-NNNN"})
		}
		ctx, o := r.Context(), a.Office
		if err := o.PutPhoto(ctx, ph); err != nil {
			return err
		}
		request := struct{ Op, Number, Photo string }{string(op), number, ph.SHA256}
		p, err := office.Once(ctx, o, from(ctx), r.Header.Get("Idempotency-Key"), request, func(ctx context.Context) (pass.Pass, error) {
			return o.Do(ctx, person(ctx, ""), number, office.Move{Op: op, Photo: &ph})
		})
		if err != nil {
			return err
		}
		return answer(w, http.StatusOK, p)
	}
}

func (a *API) qrRoutes() {
	handle(a, huma.Operation{
		OperationID: "gatepass-qr", Method: http.MethodGet, Path: "/qr/{pass_number}", Summary: "The QR code of a pass, as PNG", Errors: []int{404},
	}, everyone, func(ctx context.Context, in *numberInput) (*document, error) {
		p, text, err := a.Office.Token(ctx, in.Number)
		if err != nil {
			return nil, err
		}
		data, err := qr.PNG(text, 480)
		return &document{"image/png", `inline; filename="` + p.Number + `.png"`, p.Number, data}, err
	})
}

// An Attachment is a photo that was sent ahead of a message.
type Attachment struct {
	Name string `json:"name"`
	MIME string `json:"mime"`
	Ref  string `json:"ref"`
}

func (a *API) fileRoutes() {
	a.raw("POST /gatepass/attachments", everyone, func(w http.ResponseWriter, r *http.Request) error {
		ph, name, err := a.form(w, r)
		if err != nil {
			return err
		}
		ref, err := a.Office.Attach(r.Context(), from(r.Context()), name, ph)
		if err != nil {
			return err
		}
		return answer(w, http.StatusCreated, Attachment{name, ph.Format.MIME(), ref})
	})
	handle(a, huma.Operation{
		OperationID: "gatepass-attachment", Method: http.MethodGet, Path: "/gatepass/attachments/{ref}", Summary: "A photo that one sent with a message", Errors: []int{404},
	}, everyone, func(ctx context.Context, in *struct {
		Actor
		Ref string `path:"ref"`
	}) (*document, error) {
		_, mime, data, err := a.Office.Attached(ctx, from(ctx), in.Ref)
		return &document{ContentType: mime, ContentDisposition: "inline", Body: data}, err
	})
}
