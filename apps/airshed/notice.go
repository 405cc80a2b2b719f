package airshed

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"dossier"
	"dossier/apps/airshed/book"
	"dossier/apps/airshed/gate"
	"dossier/apps/airshed/legal"
	"dossier/apps/airshed/observe"
	"dossier/internal/app"
	"dossier/internal/faith"
	"dossier/internal/tool"
)

// notices drafts the mails to the states of a report.
func (a *airshed) notices(r legal.Report) []legal.Notice {
	return legal.Notices(r, a.cfg.StateMail, a.cfg.HomeState)
}

type noticeOut struct {
	MessageID string `json:"message_id"`
	Via       string `json:"via"`
}

func (a *airshed) noticeTool() tool.Tool {
	return tool.Def[legal.Notice, noticeOut]{
		Name:   "notify_state_tool",
		Doc:    "Mails the notice about a filed report to the authorities of one state. Use the drafts that generate_report_tool gave. A legal officer decides first.",
		Roles:  []dossier.Role{legalOf},
		Effect: tool.Act,
		Ask:    func(legal.Notice) string { return "A mail that has been sent cannot be taken back." },
		Title: func(n legal.Notice) string {
			return fmt.Sprintf("Mail the notice on %s to the authorities of %s (%s)", n.ReportID, n.State, strings.Join(n.To, ", "))
		},
		Key:    func(n legal.Notice) string { return n.ReportID + "/" + observe.StateKey(n.State) },
		Check:  func(n legal.Notice) error { return checkID(n.ReportID) },
		Policy: asks(),
		Run: func(ctx context.Context, c tool.Call, n legal.Notice) (tool.Output[noticeOut], error) {
			return a.notify(ctx, c, n, a.Mail.Send)
		},
		Happened: func(ctx context.Context, c tool.Call, n legal.Notice) (tool.Output[noticeOut], error) {
			return a.notify(ctx, c, n, a.Mail.Noted)
		},
	}.Tool()
}

// notify mails a notice, or notes one that has left the house, as carry does.
func (a *airshed) notify(ctx context.Context, c tool.Call, n legal.Notice, carry func(context.Context, string, app.Message) (app.Receipt, error)) (tool.Output[noticeOut], error) {
	d, err := a.book.Report(ctx, n.ReportID)
	if err != nil {
		return tool.Output[noticeOut]{}, err
	}
	drafts := a.notices(d.Report)
	i := slices.IndexFunc(drafts, func(draft legal.Notice) bool { return observe.StateKey(draft.State) == observe.StateKey(n.State) })
	switch {
	case d.Report.CaseID != string(c.Case):
		return tool.Output[noticeOut]{}, dossier.Errorf(dossier.Invalid, "%s belongs to another case.", n.ReportID)
	case d.Status == book.Drafted || d.Status == book.Withdrawn:
		return tool.Output[noticeOut]{}, dossier.Errorf(dossier.Conflict, "%s has not been filed; states are told of filed reports only.", n.ReportID)
	case i < 0:
		return tool.Output[noticeOut]{}, dossier.Errorf(dossier.Invalid, "%s names no authorities of %s to be told. Notices go to high contributors that the Act covers and that have an address.", n.ReportID, n.State)
	case len(n.To) == 0 || slices.ContainsFunc(n.To, func(to string) bool { return !slices.Contains(drafts[i].To, to) }):
		return tool.Output[noticeOut]{}, dossier.Errorf(dossier.Invalid, "Notices to %s go to %s and to nobody else.", n.State, strings.Join(drafts[i].To, ", "))
	}
	for _, text := range []string{n.Subject, n.Text} {
		err := cmp.Or(faith.Check(text, gate.Facts(d.Report)).Err(), gate.NoBlame(text), gate.NoVerdict(text, d.Report.Conclusion))
		if err != nil {
			return tool.Output[noticeOut]{}, dossier.Errorf(dossier.Invalid, "The notice is not sent. %s", dossier.Message(err)).Because(err)
		}
	}
	receipt, err := carry(ctx, c.Key, app.Message{App: "airshed", Case: c.Case, To: n.To, Subject: n.Subject, Text: n.Text})
	if err != nil {
		return tool.Output[noticeOut]{}, err
	}
	return tool.Output[noticeOut]{Value: noticeOut{receipt.MessageID, receipt.Via}, Evidence: []dossier.Evidence{dossier.NewEvidence("notice",
		dossier.Source{System: "mail", Locator: receipt.MessageID, Fetched: c.Now}, n, "Notice on %s to %s.", n.ReportID, n.State)}}, nil
}
