package patrol

import (
	"context"
	"encoding/json"
	"errors"
	"slices"

	"dossier"
	"dossier/apps/poolpatrol/roster"
	"dossier/apps/poolpatrol/verify"
	"dossier/internal/agent"
	"dossier/internal/model"
	"dossier/internal/tool"
)

// A Trigger is what set the case manager to work.
type Trigger string

// The triggers.
const (
	ByAudit   Trigger = "audit"            // the first look at a van
	ByReply   Trigger = "reply"            // a rider wrote
	ByTimeout Trigger = "timeout"          // a rider stayed silent for a week
	ByCounter Trigger = "counter_evidence" // a rider sent a document or a correction
	ByPerson  Trigger = "person"           // a coordinator asked for a new look
)

// Values lists the triggers, for schemas.
func (Trigger) Values() []string {
	return []string{string(ByAudit), string(ByReply), string(ByTimeout), string(ByCounter), string(ByPerson)}
}

// managerIn is what the case manager is started with.
type managerIn struct {
	Vanpool  string   `json:"vanpool_id"`
	Trigger  Trigger  `json:"trigger"`
	Employee string   `json:"employee_id,omitempty" jsonschema:"the rider who wrote, or stayed silent"`
	Thread   string   `json:"email_thread_id,omitempty"`
	Message  string   `json:"message_id,omitempty" jsonschema:"the reply to answer"`
	Recheck  []string `json:"recheck,omitempty" jsonschema:"checks to run again; empty means all"`
	Straight bool     `json:"straight_to_cancel,omitempty" jsonschema:"a coordinator asked to decide about the membership without outreach"`
}

// managerContext is what the case manager is told beforehand, without a model.
type managerContext struct {
	Case         dossier.CaseID `json:"case_id"`
	Status       Status         `json:"status"`
	Vanpool      string         `json:"vanpool_id"`
	Employees    []string       `json:"employee_ids"`
	Riders       []profile      `json:"riders"`
	Reason       string         `json:"reason,omitempty"`
	FailedChecks []string       `json:"failed_checks"`
	Reaudits     int            `json:"re_audits"`
	MaxReaudits  int            `json:"max_re_audits"`
	Threads      []threadView   `json:"threads"`
}

// A profile is what the case manager is told of a rider: no name, no address.
type profile struct {
	Employee string `json:"employee_id"`
	ZIP      string `json:"home_zip,omitempty"`
	Site     string `json:"site,omitempty"`
	Shift    string `json:"shift_id,omitempty"`
}

type threadView struct {
	Thread   string   `json:"email_thread_id"`
	Employee string   `json:"employee_id"`
	Checks   []string `json:"failed_checks"`
	Settled  string   `json:"settled,omitempty"`
	Silent   bool     `json:"silent"`
}

// caseManager orchestrates: it has the specialists look, weighs what they say, and
// owns the case from the first audit to its outcome.
func (p *Patrol) caseManager(checks []*agent.Agent, outreach *agent.Agent) *agent.Agent {
	return &agent.Agent{
		Name: "casemanager", Doc: "Owns the case of a vanpool: verification, outreach, re-audits, cancellation.",
		Prompt: p.prompt("casemanager"), Model: "strong", Policy: ManagerPolicy,
		Tools:       []tool.Tool{p.upsertCase(), p.closeCase(), p.cancelMembership()},
		Specialists: append(slices.Clip(checks), outreach),
		Input:       tool.SchemaOf[managerIn](), Output: tool.SchemaOf[Managed](),
		Limits:  agent.Limits{Turns: 16},
		Preload: p.preloadManager,
		Check:   bornOut(checks),
	}
}

// bornOut refuses an answer of the case manager that its tools do not bear out: a van
// called verified that a specialist was not asked about or did not pass, an outcome that
// close_case did not give.
func bornOut(checks []*agent.Agent) func(context.Context, agent.Draft) error {
	return func(_ context.Context, d agent.Draft) error {
		var said Managed
		if err := json.Unmarshal(d.Answer, &said); err != nil {
			return dossier.Errorf(dossier.Invalid, "The answer is not a case manager's result: %v.", err)
		}
		newest := map[string]model.Return{}
		for _, r := range d.Returns {
			newest[r.Tool] = r
		}
		passed := 0
		for _, c := range checks {
			var got verify.Result
			if r, asked := newest[c.ToolName]; asked && !r.Failed && r.Decode(&got) == nil && got.Verdict == "pass" {
				passed++
			}
		}
		var ended closeOut
		if r, called := newest["close_case"]; called && !r.Failed {
			if err := r.Decode(&ended); err != nil {
				return err
			}
		}
		switch {
		case byReply(d.Run) && !wasRead(d.Returns):
			return dossier.Errorf(dossier.Invalid, "A rider wrote: call run_outreach with the purpose reply and the message first.")
		case said.Outcome == "verified" && passed < len(checks):
			return dossier.Errorf(dossier.Invalid, "The outcome is verified only if every specialist was asked and passed the van.")
		case said.Outcome != "verified" && (said.Outcome != "") != ended.Closed, ended.Closed && said.Outcome != string(ended.Status):
			return dossier.Errorf(dossier.Invalid, "The outcome must be what close_case returned, and empty while the case goes on.")
		}
		return nil
	}
}

// byReply reports whether a run was started because a rider wrote.
func byReply(run dossier.Run) bool {
	var in managerIn
	return json.Unmarshal(run.Input, &in) == nil && in.Trigger == ByReply
}

// wasRead reports whether an outreach read a reply, or tried to.
func wasRead(returns []model.Return) bool {
	return slices.ContainsFunc(returns, func(r model.Return) bool {
		var out Outreach
		return r.Tool == "run_outreach" && (r.Failed || r.Decode(&out) == nil && out.Bucket != nil)
	})
}

// preloadManager looks up the roster, where the case stands and the mail about it.
func (p *Patrol) preloadManager(ctx context.Context, run dossier.Run) (agent.Preloaded, error) {
	var in managerIn
	if err := json.Unmarshal(run.Input, &in); err != nil {
		return agent.Preloaded{}, dossier.Errorf(dossier.Invalid, "The case manager was started with something else.").Because(err)
	}
	van, err := p.Roster.Crew(ctx, in.Vanpool)
	if err != nil {
		return agent.Preloaded{}, err
	}
	c, err := p.env.Desk.Case(ctx, run.Case)
	if err != nil {
		return agent.Preloaded{}, err
	}
	out := managerContext{
		Case: c.ID, Status: StatusOf(c), Vanpool: van.ID, Employees: van.IDs(), Riders: []profile{}, FailedChecks: []string{},
		MaxReaudits: p.Config.MaxReaudits, Threads: []threadView{},
	}
	for _, e := range van.Riders {
		out.Riders = append(out.Riders, profile{e.ID, e.ZIP, e.Site, e.Shift})
	}
	f, err := p.Book.File(ctx, c.ID)
	if err != nil && !errors.Is(err, dossier.NotFound) {
		return agent.Preloaded{}, err
	}
	if err == nil {
		out.Reason, out.FailedChecks, out.Reaudits = f.Reason, f.FailedChecks, f.Reaudits
		threads, err := p.Book.Threads(ctx, c.ID)
		if err != nil {
			return agent.Preloaded{}, err
		}
		for _, t := range threads {
			out.Threads = append(out.Threads, threadView{t.ID, t.Employee, t.Checks, t.Settled, t.Silent()})
		}
	}
	return agent.Preloaded{Context: out, Evidence: []dossier.Evidence{p.rosterEvidence(van)}}, nil
}

// A RosterFact is who rides in a van: the data of "vanpool_roster" evidence.
type RosterFact struct {
	Vanpool   string   `json:"vanpool_id"`
	Site      string   `json:"site,omitempty"`
	Employees []string `json:"employee_ids"`
}

func (p *Patrol) rosterEvidence(van roster.Van) dossier.Evidence {
	src := dossier.Source{System: "roster", Locator: "vanpool/" + van.ID + "/roster", Fetched: p.env.Now()}
	return dossier.NewEvidence("vanpool_roster", src, RosterFact{van.ID, van.Site, van.IDs()}, "%s has %d riders.", van.ID, len(van.Riders))
}

// StatusOf returns where a case stands, in the programme's words.
func StatusOf(c dossier.Case) Status {
	switch {
	case c.State == dossier.Closed && slices.Contains([]string{"resolved", "cancelled"}, c.Outcome):
		return Status(c.Outcome)
	case c.Stage != "":
		return Status(c.Stage)
	}
	return Opened
}
