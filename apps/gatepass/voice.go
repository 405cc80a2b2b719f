package gatepass

import (
	"fmt"
	"strings"
	"time"

	"dossier/apps/gatepass/client"
	"dossier/apps/gatepass/operation"
	"dossier/apps/gatepass/pass"
)

// A voice puts answers in words, in the site's time.
type voice struct{ zone *time.Location }

// failure explains an error: what happened, then what to do.
func (v voice) failure(e client.ErrorInfo) string {
	what := e.Message
	switch e.Type {
	case client.Missing, client.InvalidRole, client.BadFile, client.TooLarge, client.Timeout, client.Refused, client.DNS, client.Network,
		client.WrongState, client.NotFound, client.Validation:
		return e.Guidance
	}
	if !strings.HasSuffix(what, ".") {
		what += "."
	}
	if strings.HasPrefix(what, "the API answered") {
		return e.Guidance
	}
	return strings.ToUpper(what[:1]) + what[1:] + " " + e.Guidance
}

// success says what was done or found.
func (v voice) success(o operation.Operation, r client.Request, reply Reply) string {
	switch {
	case reply.Passes != nil:
		return v.passes(o, r, reply)
	case strings.Contains(o.Name, "_notifications"):
		return v.notifications(reply.Notifications)
	case reply.Notification != nil:
		return "Marked as read: " + reply.Notification.Message
	case reply.Photos != nil:
		return v.photos(reply)
	case reply.Link != "":
		return "The printable pass is ready: " + reply.Link
	case reply.MIME != "":
		return "Here is the QR code of " + lastPart(r.Endpoint) + "."
	case reply.Pass != nil:
		return v.headline(o, *reply.Pass) + "\n" + v.pass(*reply.Pass)
	}
	return "Done."
}

func lastPart(path string) string { return path[strings.LastIndexByte(path, '/')+1:] }

func (v voice) headline(o operation.Operation, p pass.Pass) string {
	switch o.Name {
	case "create_gate_pass":
		return fmt.Sprintf("Pass %s is made for %s and waits for approval.", p.Number, p.Person)
	case "approve_gate_pass":
		return fmt.Sprintf("Pass %s for %s is approved.", p.Number, p.Person)
	case "reject_gate_pass":
		return fmt.Sprintf("Pass %s for %s is rejected.", p.Number, p.Person)
	case "delete_gate_pass":
		return fmt.Sprintf("Pass %s for %s is deleted.", p.Number, p.Person)
	case "scan_exit":
		return fmt.Sprintf("%s went out with %s.", p.Person, p.Number)
	case "scan_return":
		return fmt.Sprintf("%s came back with %s.", p.Person, p.Number)
	}
	return fmt.Sprintf("Pass %s for %s is %s.", p.Number, p.Person, p.Status)
}

// pass shows number, person, status and every time a pass has.
func (v voice) pass(p pass.Pass) string {
	var b strings.Builder
	line := func(name, value string) { fmt.Fprintf(&b, "%s: %s\n", name, value) }
	line("Pass", p.Number)
	line("Person", p.Person)
	line("Purpose", p.Purpose)
	line("Status", string(p.Status))
	if p.Returnable {
		line("Returns", "yes")
	} else {
		line("Returns", "no")
	}
	line("Created", v.time(&p.CreatedAt))
	if p.ApprovedAt != nil {
		by := p.ApprovedBy
		if p.ClaimedName != "" {
			by += " (in the name of " + p.ClaimedName + ")"
		}
		line("Approved", v.time(p.ApprovedAt)+" by "+by)
	}
	for _, t := range []struct {
		name string
		at   *time.Time
	}{{"Expected back", p.ReturnBy}, {"Went out", p.ExitTime}, {"Came back", p.ReturnTime}} {
		if t.at != nil {
			line(t.name, v.time(t.at))
		}
	}
	return strings.TrimRight(b.String(), "\n")
}

func (v voice) time(t *time.Time) string { return t.In(v.zone).Format("2 Jan 2006 15:04") }

func (v voice) passes(o operation.Operation, r client.Request, reply Reply) string {
	p := reply.Passes
	status := r.Params.Get("status")
	if o.Name == "list_pending_gate_passes" {
		status = "pending"
	}
	kind, where := status, ""
	if status == "pending_return" {
		kind, where = "", " out and expected back"
	}
	if len(p.Items) == 0 {
		if status == "pending_return" {
			return "Nobody is out."
		}
		return strings.Join(strings.Fields("There are no "+kind+" passes"+who(r)+"."), " ")
	}
	var b strings.Builder
	count := fmt.Sprint(p.Total)
	if p.Total >= 1000 {
		count = "1000 or more"
	}
	noun := "passes"
	if p.Total == 1 {
		noun = "pass"
	}
	fmt.Fprintf(&b, "%s%s:\n", strings.Join(strings.Fields(count+" "+kind+" "+noun), " ")+where, who(r))
	for i, item := range p.Items {
		at := item.CreatedAt
		if item.ExitTime != nil {
			at = *item.ExitTime
		}
		fmt.Fprintf(&b, "%d. %s  %s  %s  %s  (%s)\n", i+1, item.Number, item.Person, item.Status, item.Purpose, v.time(&at))
	}
	if p.More {
		b.WriteString("Say \"next page\" for more.")
	}
	return strings.TrimRight(b.String(), "\n")
}

func who(r client.Request) string {
	out := ""
	if s := r.Params.Get("search"); s != "" {
		out += " for " + s
	}
	if d := r.Params.Get("date"); d != "" {
		out += " of " + d
	}
	return out
}

func (v voice) notifications(all []pass.Notification) string {
	unread := 0
	var b strings.Builder
	for i, n := range all {
		mark := "read"
		if !n.Read {
			unread++
			mark = "new"
		}
		fmt.Fprintf(&b, "%d. [%s] %s  (%s, %s)\n", i+1, mark, n.Message, v.time(&n.Created), n.ID)
	}
	if len(all) == 0 {
		return "There are no notifications."
	}
	return strings.TrimRight(fmt.Sprintf("%d notifications, %d of them new:\n%s", len(all), unread, b.String()), "\n")
}

func (v voice) photos(reply Reply) string {
	if len(reply.Photos.Items) == 0 {
		return fmt.Sprintf("There are no photos of %s yet.", reply.Photos.Number)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Photos of %s (%s):\n", reply.Photos.Number, reply.Photos.Person)
	for i, p := range reply.Photos.Items {
		fmt.Fprintf(&b, "%d. %s at %s: %s\n", i+1, p.Op, v.time(&p.At), p.URL)
	}
	return strings.TrimRight(b.String(), "\n")
}
