package gatepass

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"dossier"
	"dossier/apps/gatepass/operation"
	"dossier/internal/app"
)

// What a person agrees to is put in words here, from the arguments of the call and the
// stored record, never by the model that planned the call.

// misheard says why a deed that a model planned is shown first, or "" if it need not be:
// a notification that was marked as read by mistake does no harm.
func misheard(o operation.Operation) string {
	if o.Method != "POST" || o.Name == "mark_notification_read" {
		return ""
	}
	return "This is how I understood you."
}

// lasting says why a deed that an assistant outside asks for is asked first, or "" if it
// need not be: a pass that waits for approval can still be deleted, and nobody leaves
// with it.
func lasting(o operation.Operation) string {
	if o.Name == "create_gate_pass" || misheard(o) == "" {
		return ""
	}
	return "Another assistant asks for this in your name, and it cannot be taken back."
}

// titleOf puts a deed in words with everything that it will be done with.
func titleOf(o operation.Operation, in any) string {
	does := strings.ToUpper(o.Does[:1]) + o.Does[1:]
	switch in := in.(type) {
	case createIn:
		return fmt.Sprintf("%s for %s. Purpose: %s. %s", does, in.Person, in.Purpose, in.comesBack())
	case decideIn:
		return fmt.Sprintf("%s %s, in the name of %s.", strings.TrimSuffix(does, " a pass"), in.Number, in.Name)
	case scanIn:
		return fmt.Sprintf("%s: %s, with the photo that was attached.", does, in.Number)
	}
	return does + "."
}

// inWords puts planned arguments in words.
func inWords(o operation.Operation, args map[string]json.RawMessage) string {
	raw, err := json.Marshal(args)
	if err != nil {
		panic("encode arguments: " + err.Error()) // they were encoded one by one
	}
	var in any
	switch o.Name {
	case "create_gate_pass":
		in, err = decoded[createIn](raw)
	case "scan_exit", "scan_return":
		in, err = decoded[scanIn](raw)
	case "approve_gate_pass", "reject_gate_pass", "delete_gate_pass":
		in, err = decoded[decideIn](raw)
	}
	if err != nil {
		in = nil // the tool itself will say what is wrong
	}
	return titleOf(o, in)
}

func decoded[T any](raw json.RawMessage) (in T, err error) { return in, json.Unmarshal(raw, &in) }

func (in createIn) comesBack() string {
	switch at, err := time.Parse("2006-01-02T15:04", in.ReturnBy); {
	case !in.Returnable:
		return "The person will not come back."
	case in.ReturnBy == "":
		return "The person will come back."
	case err != nil:
		return "The person will come back by " + in.ReturnBy + "."
	default:
		return "The person will come back by " + at.Format("Monday 2 January 2006, 15:04") + "."
	}
}

// background tells whoever decides about a deed what the record holds of its pass.
func (h *house) background(ctx context.Context, a dossier.Approval, _ dossier.Principal) ([]app.Background, error) {
	var in numberIn
	if json.Unmarshal(a.Args, &in) != nil || in.Number == "" || h.cfg.address() != "" {
		return nil, nil
	}
	out := app.Background{Label: "The pass", How: "As the record stands now."}
	switch p, err := h.office.Pass(ctx, in.Number); {
	case errors.Is(err, dossier.NotFound):
		out.Value = "there is no " + in.Number
	case err != nil:
		return nil, err
	default:
		out.Value = fmt.Sprintf("%s of %s (%s), %s", p.Number, p.Person, p.Purpose, p.Status)
	}
	return []app.Background{out}, nil
}
