package report

import (
	"context"
	"errors"
	"fmt"

	"dossier"
	"dossier/apps/report/draft"
	"dossier/apps/report/outline"
	"dossier/apps/report/writer"
	"dossier/internal/agent"
	"dossier/internal/app"
	"dossier/internal/tool"
)

var _ writer.Place = (*office)(nil)

func (o *office) desk() *writer.Desk {
	return &writer.Desk{
		Place: o, Readers: []dossier.Role{analyst, reviewer, dossier.Admin}, Writers: writers,
		MaxRows: o.cfg.MaxRows, SQLRows: o.cfg.SQLRows, SQLTime: o.cfg.SQLTime, Model: o.cfg.Model, NewID: o.env.NewID,
	}
}

func (o *office) writer() *agent.Agent { return o.desk().Agent(o.finalize()) }

func (o *office) promptVersion() string { return o.writer().Version() }

// Open implements writer.Place: it opens the report that a call's case is about.
func (o *office) Open(ctx context.Context, c tool.Call) (*writer.Look, error) {
	report, section, err := o.section(ctx, c.Case)
	if err != nil {
		return nil, err
	}
	if _, err = o.book.report(ctx, report); errors.Is(err, dossier.NotFound) {
		report, err = o.only(ctx) // the case is about none of ours
	}
	if err != nil {
		return nil, err
	}
	rec, r, err := o.open(ctx, report)
	if err != nil {
		return nil, err
	}
	return &writer.Look{Report: r, ID: rec.ID, Section: section}, nil
}

// Evidence implements writer.Place.
func (o *office) Evidence(ctx context.Context, c tool.Call) ([]dossier.Evidence, error) {
	chain, _, err := o.env.Desk.Facts(ctx, c.Case)
	return chain, err
}

// Round implements writer.Place.
func (o *office) Round(ctx context.Context, l *writer.Look) (int, error) {
	last, _, err := o.book.latest(ctx, l.ID, l.Section)
	return last.Round + 1, err
}

// Keep implements writer.Place: it stores a draft in the outline and as a round of its
// own.
func (o *office) Keep(ctx context.Context, c tool.Call, w writer.Written, v draft.Verdict) error {
	err := o.book.change(ctx, w.Report, c.Now, func(rec record) ([]byte, error) {
		doc, err := outline.Parse([]byte(rec.Outline))
		if err != nil {
			return nil, err
		}
		return doc.SetContent(w.Section, w.Text)
	})
	if err != nil {
		return err
	}
	err = o.book.addDraft(ctx, stored{
		Report: w.Report, Section: w.Section, Round: w.Round, Text: w.Text, Verdict: v, Status: "draft",
		Prompt: o.promptVersion(), Run: c.Run, Case: c.Case, Created: c.Now,
	})
	if err != nil {
		return err
	}
	_, err = o.env.Desk.Move(ctx, c.Case, app.Change{State: dossier.Waiting, Stage: "review", Note: fmt.Sprintf("Round %d is written.", w.Round), By: writer.Name})
	return err
}

func (o *office) finalize() tool.Tool {
	return tool.Def[writer.FinalIn, writer.FinalOut]{
		Name: writer.Finalize, Roles: writers, Effect: tool.Write,
		Doc: "Asks a reviewer to make a draft the final text of its section, and does so once they agree.",
		Ask: func(writer.FinalIn) string { return "A section is final only after a person has read and accepted it." },
		Title: func(in writer.FinalIn) string {
			return fmt.Sprintf("Make round %d of the section “%s” final.", in.Round, in.Section)
		},
		Policy: tool.Policy{Approvers: raters, Verbs: []dossier.Verb{dossier.Approve, dossier.Reject, dossier.Respond}, Remind: o.cfg.Expires},
		Run: func(ctx context.Context, c tool.Call, in writer.FinalIn) (tool.Output[writer.FinalOut], error) {
			report, section, err := o.section(ctx, c.Case)
			if err != nil {
				return tool.Output[writer.FinalOut]{}, err
			}
			d, ok, err := o.book.latest(ctx, report, section)
			if err != nil {
				return tool.Output[writer.FinalOut]{}, err
			}
			if section != in.Section || !ok || d.Round != in.Round || !d.Verdict.OK || d.Status == "sent_back" {
				return tool.Output[writer.FinalOut]{}, dossier.Errorf(dossier.Conflict, "Round %d of %q is not the draft that stands now.", in.Round, in.Section)
			}
			if err := o.book.settle(ctx, report, section, in.Round, "final"); err != nil {
				return tool.Output[writer.FinalOut]{}, err
			}
			_, err = o.env.Desk.Move(ctx, c.Case, app.Change{State: dossier.Closed, Stage: "final", Outcome: "final", Note: "A reviewer made the section final.", By: c.For.ID})
			return tool.Output[writer.FinalOut]{Value: writer.FinalOut{Section: section, Status: "final", Round: in.Round}}, err
		},
	}.Tool()
}
