package cli

import (
	"context"
	"fmt"
	"io"
	"maps"
	"net"
	"slices"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"dossier/internal/api"
)

// started is when the process began, for the status page.
var started = time.Now()

// status reports on the product's parts.
func (p *product) status(ctx context.Context) api.Status {
	s := api.Status{
		Version: buildVersion(), Started: started,
		Database: api.Part{Name: p.store.Dialect(), OK: true, Note: "The database answers."},
		Work:     api.Part{Name: "river", OK: true, Note: fmt.Sprintf("Up to %d jobs at a time.", p.Work.Workers)},
		Mail:     api.Part{Name: p.Mail.Via, OK: true, Note: "Mail goes to " + p.Mail.Via + "."},
		Tracing:  api.Part{Name: "off", OK: true, Note: "Nothing is sent."},
	}
	if err := p.store.Ping(ctx); err != nil {
		s.Database.OK, s.Database.Note = false, "The database does not answer."
	}
	if p.Mail.Via == "outbox" {
		s.Mail.Note = "Mail stays in the outbox, where the console shows it. Set mail.via to send it."
	}
	if p.tracing() != "" {
		s.Tracing = api.Part{Name: "otlp", OK: true, Note: "Traces go to " + p.tracing() + "."}
	}
	s.Models = p.modelStates()
	s.Gates = p.gateStates(ctx)
	return s
}

func (p *product) modelStates() []api.ModelState {
	out := []api.ModelState{}
	for _, alias := range slices.Sorted(maps.Keys(p.models.byAlias)) {
		out = append(out, api.ModelState{Alias: alias, Model: p.models.byAlias[alias].Name(), OK: true, Note: "Configured."})
	}
	for _, a := range p.apps {
		for _, ag := range a.Kit.Agents {
			mod, why := p.models.choose(context.Background(), a.ID, ag)
			st := api.ModelState{Alias: a.ID + "." + ag.Name, Model: "reference/" + ag.Name, OK: true, Note: "The reference policy plays: " + why + "."}
			if mod != nil {
				st.Model, st.Note = mod.Name(), why
			}
			out = append(out, st)
		}
	}
	return out
}

func (l *line) doctor() *cobra.Command {
	return &cobra.Command{
		Use: "doctor", Short: "Check that everything the product needs is there, and say what to do if not", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			p, err := l.product(cmd.Context())
			if err != nil {
				return err
			}
			s := p.status(cmd.Context())
			p.tryMail(cmd.Context(), &s.Mail)
			bad := false
			if err := l.print(s, func(w io.Writer) error {
				for _, part := range []struct {
					what string
					api.Part
				}{{"database", s.Database}, {"work", s.Work}, {"mail", s.Mail}, {"tracing", s.Tracing}} {
					fmt.Fprintf(w, "%-4s %-10s %-10s %s\n", mark(part.OK), part.what, part.Name, part.Note)
				}
				for _, m := range s.Models {
					fmt.Fprintf(w, "%-4s %-10s %-24s %s\n", mark(m.OK), "model", m.Alias, m.Note)
				}
				for _, g := range s.Gates {
					if g.Set {
						fmt.Fprintf(w, "%-4s %-10s %s.%s in %s: %s\n", mark(g.Holds), "gate", g.App, g.Agent, g.Suite, g.Note)
					}
				}
				return nil
			}); err != nil {
				return err
			}
			bad = !s.Database.OK || !s.Work.OK || !s.Mail.OK
			if bad {
				return errSilent
			}
			return nil
		},
	}
}

// tryMail looks whether the mail server answers. Only the doctor does: a page that shows
// how things are must not wait for a server that does not.
func (p *product) tryMail(ctx context.Context, part *api.Part) {
	if p.Mail.Via != "smtp" {
		return
	}
	addr := net.JoinHostPort(p.Mail.Host, strconv.Itoa(p.Mail.Port))
	conn, err := (&net.Dialer{Timeout: 5 * time.Second}).DialContext(ctx, "tcp", addr)
	if err != nil {
		part.OK, part.Note = false, "The mail server "+addr+" does not answer. Check mail.host and mail.port; mail waits in the outbox."
		return
	}
	_ = conn.Close() // only that it answers counts
	part.Note = "The mail server " + addr + " answers."
}

func mark(ok bool) string {
	if ok {
		return "ok"
	}
	return "BAD"
}
