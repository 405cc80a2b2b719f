package patrol

import (
	"encoding/json"

	"dossier"
	"dossier/apps/poolpatrol/casebook"
	"dossier/internal/tool"
)

// ripe refuses to put a membership before a coordinator too early: that is for the rider
// who stayed silent, after the last look that did not help, or if a coordinator asked
// for it. What the run was started with says which; no model does.
func (p *Patrol) ripe(c tool.Call, f casebook.File, employee string) error {
	var in managerIn
	if len(c.Input) == 0 || json.Unmarshal(c.Input, &in) != nil {
		return nil
	}
	switch {
	case in.Employee != "" && employee != "" && in.Employee != employee:
		return dossier.Errorf(dossier.Invalid, "This is about %s, not %s.", in.Employee, employee)
	case in.Trigger == ByTimeout || in.Straight || in.Trigger != ByAudit && f.Reaudits >= p.Config.MaxReaudits:
		return nil
	}
	return dossier.Errorf(dossier.Conflict, "It is too early to decide about a membership: that is for a rider who was written to and stayed silent, or after %d looks that did not help.", p.Config.MaxReaudits)
}

// asStarted refuses a mail that is not what the outreach was started for: to another
// rider, or past the reply that it is to answer.
func asStarted(c tool.Call, in MailIn) error {
	var run OutreachIn
	if len(c.Input) == 0 || json.Unmarshal(c.Input, &run) != nil {
		return nil
	}
	switch {
	case in.Employee != run.Employee:
		return dossier.Errorf(dossier.Invalid, "This outreach is to %s, not to %s.", run.Employee, in.Employee)
	case in.Answers != run.Message:
		return dossier.Errorf(dossier.Invalid, "This outreach was started to answer %q; the mail answers %q.", run.Message, in.Answers)
	}
	return nil
}
