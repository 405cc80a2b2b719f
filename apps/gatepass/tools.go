package gatepass

import (
	"context"
	"encoding/base64"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"dossier"
	"dossier/apps/gatepass/client"
	"dossier/apps/gatepass/office"
	"dossier/apps/gatepass/operation"
	"dossier/apps/gatepass/pass"
	"dossier/apps/gatepass/photo"
	"dossier/apps/gatepass/rest"
	"dossier/internal/tool"
)

// A filterWord is a status to filter by; its values go into the tools' schema.
type filterWord string

// Values implements tool.Enum.
func (filterWord) Values() []string { return pass.FilterWords() }

type (
	createIn struct {
		Person     string `json:"person_name" jsonschema:"the full name of the person who leaves"`
		Purpose    string `json:"description" jsonschema:"why the person leaves"`
		Returnable bool   `json:"is_returnable" jsonschema:"whether the person will come back"`
		ReturnBy   string `json:"return_by,omitempty" jsonschema:"when the person is expected back, in local time as 2006-01-02T15:04"`
	}
	listIn struct {
		Status filterWord `json:"status,omitempty" jsonschema:"only passes with this status"`
		Search string     `json:"search,omitempty" jsonschema:"words of the person's name or the purpose"`
		Date   string     `json:"date,omitempty" jsonschema:"only passes made on this day, as 2006-01-02"`
		Page   int        `json:"page,omitempty" jsonschema:"the page of the list, from 1"`
	}
	refIn struct {
		ID string `json:"pass_id" jsonschema:"the pass id; the pass number will do too"`
	}
	numberIn struct {
		Number string `json:"pass_number" jsonschema:"the pass number, as GP-YYYY-NNNN"`
	}
	decideIn struct {
		Number string `json:"pass_number" jsonschema:"the pass number, as GP-YYYY-NNNN"`
		Name   string `json:"name" jsonschema:"the name of the admin"`
	}
	scanIn struct {
		Number string `json:"pass_number" jsonschema:"the pass number, as GP-YYYY-NNNN"`
		Photo  string `json:"photo" jsonschema:"the reference of the attached photo, or the photo as a data URL"`
	}
	noteIn struct {
		ID string `json:"notification_id" jsonschema:"the notification's id"`
	}
	noneIn struct{}
)

// A Reply is what a tool tells the model: what the API answered, a sentence about it
// and, if it failed, what to do now.
type Reply struct {
	OK            bool                `json:"ok"`
	Says          string              `json:"says"` // the answer in plain words
	Pass          *pass.Pass          `json:"pass,omitempty"`
	Passes        *office.Page        `json:"passes,omitempty"`
	Notifications []pass.Notification `json:"notifications,omitempty"`
	Notification  *pass.Notification  `json:"notification,omitempty"`
	Photos        *rest.PhotoList     `json:"photos,omitempty"`
	Link          string              `json:"link,omitempty"` // to a document
	MIME          string              `json:"mime,omitempty"` // of Image
	Image         []byte              `json:"image_base64,omitempty"`
	Error         *client.ErrorInfo   `json:"error,omitempty"`
}

// A toolbox makes the tools of the operations over one API client.
type toolbox struct {
	api      *client.Client
	files    *client.Client // of the product's own API, which has what was attached
	base     string         // where the passes are, for links people open
	maxPhoto int
	say      voice
	doubts   doubts
}

type forKey struct{}

// all returns a tool for every operation, in their order.
func (b *toolbox) all() []tool.Tool {
	out := make([]tool.Tool, 0, len(operation.All))
	for _, o := range operation.All {
		switch o.Name {
		case "create_gate_pass":
			out = append(out, change(b, o, b.create))
		case "list_gate_passes", "list_all_gate_passes_admin":
			out = append(out, look(b, o, func(_ context.Context, in listIn) (client.Request, *client.ErrorInfo) {
				return get(o.Endpoint, in.params()), nil
			}))
		case "get_gate_pass_details", "get_gate_pass_by_id_gate":
			out = append(out, look(b, o, func(_ context.Context, in refIn) (client.Request, *client.ErrorInfo) {
				return b.about(o.Endpoint, "pass_id", in.ID)
			}))
		case "approve_gate_pass", "reject_gate_pass", "delete_gate_pass":
			out = append(out, change(b, o, func(_ context.Context, in decideIn) (client.Request, *client.ErrorInfo) {
				r, bad := b.about(o.Endpoint, "pass_number", in.Number)
				r.Method, r.JSON = http.MethodPost, struct {
					Name string `json:"name"`
				}{in.Name}
				return r, bad
			}))
		case "scan_exit", "scan_return":
			out = append(out, change(b, o, b.scan(o.Endpoint)))
		case "mark_notification_read":
			out = append(out, change(b, o, func(_ context.Context, in noteIn) (client.Request, *client.ErrorInfo) {
				r, bad := b.about(o.Endpoint, "notification_id", in.ID)
				r.Method = http.MethodPost
				return r, bad
			}))
		case "list_pending_gate_passes", "get_admin_notifications", "get_hr_notifications":
			out = append(out, look(b, o, func(context.Context, noneIn) (client.Request, *client.ErrorInfo) { return get(o.Endpoint, nil), nil }))
		default:
			out = append(out, look(b, o, func(_ context.Context, in numberIn) (client.Request, *client.ErrorInfo) {
				return b.about(o.Endpoint, "pass_number", in.Number)
			}))
		}
	}
	return out
}

func get(endpoint string, params url.Values) client.Request {
	return client.Request{Method: http.MethodGet, Endpoint: endpoint, Params: params}
}

// about fills the parameter of an endpoint, or says that it is missing.
func (b *toolbox) about(endpoint, parameter, value string) (client.Request, *client.ErrorInfo) {
	value = strings.TrimSpace(value)
	if value == "" {
		bad := client.MissingParameter(parameter)
		return client.Request{}, &bad
	}
	return get(strings.ReplaceAll(endpoint, "{"+parameter+"}", url.PathEscape(value)), nil), nil
}

func (in listIn) params() url.Values {
	v := url.Values{}
	for name, value := range map[string]string{"status": string(in.Status), "search": in.Search, "date": in.Date} {
		if value != "" {
			v.Set(name, value)
		}
	}
	if in.Page > 1 {
		v.Set("page", strconv.Itoa(in.Page))
	}
	return v
}

func (b *toolbox) create(_ context.Context, in createIn) (client.Request, *client.ErrorInfo) {
	for name, value := range map[string]string{"person_name": in.Person, "description": in.Purpose} {
		if strings.TrimSpace(value) == "" {
			bad := client.MissingParameter(name)
			return client.Request{}, &bad
		}
	}
	return client.Request{Method: http.MethodPost, Endpoint: "/hr/gatepass/create", JSON: rest.CreateBody{
		Person: in.Person, Purpose: in.Purpose, Returnable: &in.Returnable, ReturnBy: in.ReturnBy,
	}}, nil
}

// scan builds the upload of a scan. The photo is judged before it is sent.
func (b *toolbox) scan(endpoint string) func(context.Context, scanIn) (client.Request, *client.ErrorInfo) {
	return func(ctx context.Context, in scanIn) (client.Request, *client.ErrorInfo) {
		if strings.TrimSpace(in.Number) == "" {
			bad := client.MissingParameter("pass_number")
			return client.Request{}, &bad
		}
		data, bad := b.picture(ctx, in.Photo)
		if bad != nil {
			return client.Request{}, bad
		}
		p, err := photo.Check(data, b.maxPhoto)
		if err != nil {
			kind := client.BadFile
			if errors.Is(err, photo.ErrSize) {
				kind = client.TooLarge
			}
			info := client.FileProblem(kind, err, dossier.Message(err), b.maxPhoto)
			return client.Request{}, &info
		}
		return client.Request{
			Method: http.MethodPost, Endpoint: endpoint, Fields: map[string]string{"pass_number": in.Number},
			Files: []client.File{{Field: "photo", Name: "photo." + string(p.Format), MIME: p.Format.MIME(), Data: p.Data}},
		}, nil
	}
}

// picture reads the photo that a reference or a data URL names.
func (b *toolbox) picture(ctx context.Context, ref string) ([]byte, *client.ErrorInfo) {
	if strings.TrimSpace(ref) == "" {
		bad := client.MissingParameter("photo")
		return nil, &bad
	}
	if rest, ok := strings.CutPrefix(ref, "data:"); ok {
		_, text, _ := strings.Cut(rest, ",")
		data, err := base64.StdEncoding.DecodeString(text)
		if err != nil {
			bad := client.FileProblem(client.BadFile, err, "The photo could not be read. Attach it again.", b.maxPhoto)
			return nil, &bad
		}
		return data, nil
	}
	res := b.files.Do(ctx, get("/gatepass/attachments/"+url.PathEscape(ref), nil))
	if !res.Success {
		bad := *res.Info
		bad.Context.Parameter = "photo"
		bad.Guidance = "I cannot find the attached photo. Attach it again."
		return nil, &bad
	}
	return res.Body, nil
}
