package gatepass

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"net/http"
	"strings"
	"sync"
	"time"

	"dossier"
	"dossier/apps/gatepass/client"
	"dossier/apps/gatepass/operation"
	"dossier/apps/gatepass/pass"
	"dossier/apps/gatepass/rest"
	"dossier/internal/tool"
)

// look makes a tool of an operation that only looks.
func look[In any](b *toolbox, o operation.Operation, request func(context.Context, In) (client.Request, *client.ErrorInfo)) tool.Tool {
	return tool.Def[In, Reply]{
		Name: o.Name, Doc: o.Doc + " Example: " + o.Example, Roles: rolesOf(o), Effect: tool.Read,
		Run: func(ctx context.Context, c tool.Call, in In) (tool.Output[Reply], error) {
			return run(ctx, b, o, c, in, request)
		},
	}.Tool()
}

// change makes a tool of an operation that changes something. Each call is a deed of
// its own. What cannot be taken back is asked first, whoever planned it; what a model
// planned is shown first, because it may have misheard; what an assistant outside asks
// for is asked first if it lasts.
func change[In any](b *toolbox, o operation.Operation, request func(context.Context, In) (client.Request, *client.ErrorInfo)) tool.Tool {
	return tool.Def[In, Reply]{
		Name: o.Name, Doc: o.Doc + " Example: " + o.Example, Roles: rolesOf(o), Effect: tool.Act,
		Key:      func(In) string { return "" },
		Ask:      func(In) string { return askOf(o) },
		AskModel: func(In) string { return misheard(o) },
		AskOther: func(In) string { return lasting(o) },
		Title:    func(in In) string { return titleOf(o, in) },
		Policy:   tool.Policy{Verbs: []dossier.Verb{dossier.Approve, dossier.Reject}},
		Run: func(ctx context.Context, c tool.Call, in In) (tool.Output[Reply], error) {
			return run(ctx, b, o, c, in, request)
		},
		Happened: func(_ context.Context, c tool.Call, _ In) (tool.Output[Reply], error) {
			return tool.Output[Reply]{Value: Reply{OK: true, Says: "It was done, says " + c.Approved.By.Name + ". " + c.Approved.Note}}, nil
		},
	}.Tool()
}

func rolesOf(o operation.Operation) []dossier.Role {
	var out []dossier.Role
	for _, d := range o.Desks {
		out = append(out, rest.RolesOf(d)...)
	}
	return out
}

func askOf(o operation.Operation) string {
	if o.Confirm {
		return "A deleted pass cannot be brought back, and its QR code stops working."
	}
	return ""
}

// run carries out an operation: role, request, answer, sentence. A wrong role never
// reaches the API.
func run[In any](ctx context.Context, b *toolbox, o operation.Operation, c tool.Call, in In, request func(context.Context, In) (client.Request, *client.ErrorInfo)) (tool.Output[Reply], error) {
	if roles := rolesOf(o); !c.For.HasAny(roles) {
		return tool.Output[Reply]{}, dossier.Errorf(dossier.Forbidden, "%s needs different permissions than yours: it is done at the %s desk.", o.Name, strings.Join(o.Desks, " or "))
	}
	ctx = context.WithValue(ctx, forKey{}, c.For)
	r, bad := request(ctx, in)
	if bad != nil {
		return tool.Output[Reply]{Value: b.failed(*bad)}, nil
	}
	deed, err := deedOf(c, o, in)
	if err != nil {
		return tool.Output[Reply]{}, err
	}
	if r.Method == http.MethodPost && c.Key != "" {
		r.Key = b.doubts.key(deed, digest([]byte(c.Key)), c.Now)
	}
	res := b.api.Do(ctx, r)
	b.doubts.note(deed, r.Key, res, c.Now)
	if !res.Success {
		return tool.Output[Reply]{Value: b.failed(*res.Info)}, nil
	}
	reply, err := b.understand(o, r, res)
	if err != nil {
		return tool.Output[Reply]{}, err
	}
	return tool.Output[Reply]{Value: reply, Evidence: witness(r, res, reply)}, nil
}

// deedOf names a deed by who does what with which arguments.
func deedOf(c tool.Call, o operation.Operation, in any) (string, error) {
	raw, err := json.Marshal(struct {
		Who, Tool string
		With      any
	}{c.For.ID, o.Name, in})
	return digest(raw), err
}

func digest(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:16])
}

// doubts holds the keys of deeds whose answer was lost. Whoever tries such a deed again
// does it with the same key, so that it is done once.
type doubts struct {
	mu   sync.Mutex
	lost map[string]lost // by deed
}

type lost struct {
	key string
	at  time.Time
}

// retryWithin is how long the same deed again is another try.
const retryWithin = time.Hour

func (d *doubts) key(deed, fresh string, now time.Time) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	if l, ok := d.lost[deed]; ok && now.Sub(l.at) < retryWithin {
		return l.key
	}
	return fresh
}

// note remembers a deed that got no answer of the API's own, and forgets it once it has.
func (d *doubts) note(deed, key string, res client.Response, now time.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	maps.DeleteFunc(d.lost, func(k string, l lost) bool { return k == deed || now.Sub(l.at) >= retryWithin })
	if key == "" || res.StatusCode != 0 && res.StatusCode < http.StatusBadGateway {
		return
	}
	if d.lost == nil {
		d.lost = map[string]lost{}
	}
	d.lost[deed] = lost{key, now}
}

func (b *toolbox) failed(info client.ErrorInfo) Reply {
	return Reply{Error: &info, Says: b.say.failure(info)}
}

// understand reads the API's answer and puts it in words.
func (b *toolbox) understand(o operation.Operation, r client.Request, res client.Response) (Reply, error) {
	reply := Reply{OK: true}
	var into any
	switch {
	case strings.HasPrefix(res.Type, "image/"):
		reply.MIME, reply.Image = res.Type, res.Body
	case strings.HasPrefix(res.Type, "application/pdf"):
		reply.Link = b.base + r.Endpoint
	case o.List || o.Name == "list_pending_gate_passes":
		into = &reply.Passes
	case strings.Contains(o.Name, "_notifications"):
		var body struct {
			Items []pass.Notification `json:"items"`
		}
		if err := res.Decode(&body); err != nil {
			return reply, err
		}
		reply.Notifications = body.Items
	case o.Name == "mark_notification_read":
		into = &reply.Notification
	case o.Name == "get_gate_pass_photos":
		into = &reply.Photos
	default:
		into = &reply.Pass
	}
	if into != nil {
		if err := res.Decode(into); err != nil {
			return reply, err
		}
	}
	reply.Says = b.say.success(o, r, reply)
	return reply, nil
}

// witness records what the API answered about one pass, and the digest of a photo that
// was sent, as evidence of the conversation.
func witness(r client.Request, res client.Response, reply Reply) []dossier.Evidence {
	if reply.Pass == nil {
		return nil
	}
	var out []dossier.Evidence
	src := dossier.Source{System: "gatepass-api", Locator: r.Method + " " + r.Endpoint}
	if r.Method == http.MethodPost {
		src.Locator += " " + reply.Pass.Number
	}
	e := dossier.NewEvidence("gatepass_answer", src, json.RawMessage(res.Data), "%s is %s (%s).", reply.Pass.Number, reply.Pass.Status, reply.Pass.Person)
	out = append(out, e)
	for _, f := range r.Files {
		sum := sha256.Sum256(f.Data)
		out = append(out, dossier.NewEvidence("photo", dossier.Source{System: "gate", Locator: reply.Pass.Number + r.Endpoint}, struct {
			SHA256 string `json:"sha256"`
			MIME   string `json:"mime"`
			Size   int    `json:"size"`
			Number string `json:"pass_number"`
		}{hex.EncodeToString(sum[:]), f.MIME, len(f.Data), reply.Pass.Number}, "Photo taken with %s.", reply.Pass.Number))
	}
	return out
}
