package airshed

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"dossier"
	"dossier/apps/airshed/book"
	"dossier/apps/airshed/gate"
	"dossier/apps/airshed/legal"
	"dossier/apps/airshed/observe"
	"dossier/internal/app"
	"dossier/internal/faith"
	"dossier/internal/tool"
)

// A notice is a mail to one state's authorities.
type notice struct {
	ReportID string   `json:"report_id"`
	State    string   `json:"state"`
	To       []string `json:"to"`
	Subject  string   `json:"subject"`
	Text     string   `json:"text"`
}

// notices drafts a mail to each high contributor that the Act covers and that has an
// address.
func (a *airshed) notices(r legal.Report) []notice {
	out := []notice{}
	for _, s := range r.FireCorrelation {
		to := a.addresses(s.State)
		if !s.IsHighContribution || !legal.InReach(s.State) || len(to) == 0 || observe.StateKey(s.State) == observe.StateKey(a.cfg.HomeState) {
			continue
		}
		text := fmt.Sprintf(`To the state authorities of %s,

%s

%s

The report counts %d fire events in %s within %v km and %v hours of the surge. Districts: %s.

This notice is addressed to authorities and officials. It seeks no penalty against farmers.

Report %s
`, s.State, r.ExecutiveSummary, r.LegalCitations.EnforcementRequest+".", s.FireCount, s.State, r.Rules.RadiusKm, r.Rules.Window.Hours(), strings.Join(s.Districts, ", "), r.ReportID)
		out = append(out, notice{r.ReportID, s.State, to, "Notice of cross-border pollution: " + r.ReportID, text})
	}
	return out
}

// addresses returns the addresses configured for a state, by any spelling of its name.
func (a *airshed) addresses(state string) []string {
	for name, to := range a.cfg.StateMail {
		if observe.StateKey(name) == observe.StateKey(state) {
			return to
		}
	}
	return nil
}

type noticeOut struct {
	MessageID string `json:"message_id"`
	Via       string `json:"via"`
}

func (a *airshed) noticeTool() tool.Tool {
	return tool.Def[notice, noticeOut]{
		Name:   "notify_state_tool",
		Doc:    "Mails the notice about a filed report to the authorities of one state. Use the drafts that generate_report_tool gave. A legal officer decides first.",
		Roles:  []dossier.Role{legalOf},
		Effect: tool.Act,
		Ask:    func(notice) string { return "A mail that has been sent cannot be taken back." },
		Title: func(n notice) string {
			return fmt.Sprintf("Mail the notice on %s to the authorities of %s (%s)", n.ReportID, n.State, strings.Join(n.To, ", "))
		},
		Key:    func(n notice) string { return n.ReportID + "/" + observe.StateKey(n.State) },
		Check:  func(n notice) error { return checkID(n.ReportID) },
		Policy: tool.Policy{Approvers: []dossier.Role{legalOf}, Expires: 7 * 24 * time.Hour, Remind: 24 * time.Hour},
		Run:    a.notify,
	}.Tool()
}

func (a *airshed) notify(ctx context.Context, c tool.Call, n notice) (tool.Output[noticeOut], error) {
	d, err := a.book.Report(ctx, n.ReportID)
	if err != nil {
		return tool.Output[noticeOut]{}, err
	}
	allowed := a.addresses(n.State)
	switch {
	case d.Status == book.Drafted || d.Status == book.Withdrawn:
		return tool.Output[noticeOut]{}, dossier.Errorf(dossier.Conflict, "%s has not been filed; states are told of filed reports only.", n.ReportID)
	case len(n.To) == 0 || slices.ContainsFunc(n.To, func(to string) bool { return !slices.Contains(allowed, to) }):
		return tool.Output[noticeOut]{}, dossier.Errorf(dossier.Invalid, "Notices to %s go to %s and to nobody else.", n.State, strings.Join(allowed, ", "))
	}
	if err := faith.Check(n.Text, gate.Facts(d.Report)).Err(); err != nil {
		return tool.Output[noticeOut]{}, dossier.Errorf(dossier.Invalid, "The notice is not sent. %s", dossier.Message(err)).Because(err)
	}
	receipt, err := a.Mail.Send(ctx, c.Key, app.Message{App: "airshed", Case: c.Case, To: n.To, Subject: n.Subject, Text: n.Text})
	if err != nil {
		return tool.Output[noticeOut]{}, err
	}
	return tool.Output[noticeOut]{Value: noticeOut{receipt.MessageID, receipt.Via}, Evidence: []dossier.Evidence{dossier.NewEvidence("notice",
		dossier.Source{System: "mail", Locator: receipt.MessageID, Fetched: c.Now}, n, "Notice on %s to %s.", n.ReportID, n.State)}}, nil
}
