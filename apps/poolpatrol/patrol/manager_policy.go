package patrol

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"dossier/apps/poolpatrol/replies"
	"dossier/apps/poolpatrol/verify"
	"dossier/internal/model"
)

// ManagerPolicy plays the case manager. It reads the transcript from the top each
// time and gives the next move:
//
//	a reply came          → run_outreach; a question or a dispute ends there
//	then, or otherwise    → every specialist on offer, at the same time
//	all pass              → verified, or close_case as resolved
//	fail                  → upsert_case, then run_outreach for each rider concerned
//	fail once too often   → upsert_case as pre_cancel, then cancel_membership
func ManagerPolicy(_ context.Context, req *model.Request) (*model.Reply, error) {
	m := &managing{req: req}
	if err := req.Brief(&m.in, &m.ctx); err != nil {
		return nil, err
	}
	return m.next()
}

// managing is one reading of the case manager's transcript.
type managing struct {
	req *model.Request
	in  managerIn
	ctx managerContext
}

func (m *managing) next() (*model.Reply, error) {
	var bucket replies.Bucket
	if m.in.Trigger == ByReply {
		r, called := m.req.Last("run_outreach")
		if !called {
			return m.req.Calling(m.outreach(m.in.Employee, "reply")), nil
		}
		var out Outreach
		switch {
		case r.Failed:
			return m.answer(m.ctx.Status, "", "The reply could not be answered: "+r.Problem())
		case r.Decode(&out) != nil || out.Bucket == nil:
			return m.answer(m.ctx.Status, "", "The reply was not classified.")
		}
		bucket = *out.Bucket
		if done := m.afterReply(out); done != nil {
			return done()
		}
	}
	results, waiting := m.results(m.checksFor(bucket))
	if waiting != nil {
		return m.verify(waiting), nil
	}
	return m.decide(results)
}

// afterReply ends the run where a reply calls for no audit.
func (m *managing) afterReply(out Outreach) func() (*model.Reply, error) {
	switch *out.Bucket {
	case replies.Question:
		return func() (*model.Reply, error) {
			return m.answer(PendingReply, "", "The question was answered; the next word is the rider's.")
		}
	case replies.Escalation:
		if out.Sent {
			return func() (*model.Reply, error) {
				return m.answer(PendingReply, "", "A coordinator approved the answer to a dispute; the next word is the rider's.")
			}
		}
		return func() (*model.Reply, error) {
			return m.answer(HITLReview, "", "A coordinator rejected the answer to a dispute; the case stays with people.")
		}
	case replies.Acknowledgment, replies.Update:
	}
	return nil
}

// checksFor returns the specialists to call. A rider who reports a change has the
// failed checks looked at again; everything else gets a full look.
func (m *managing) checksFor(b replies.Bucket) []string {
	only := m.in.Recheck
	if len(only) == 0 && b == replies.Update {
		only = m.ctx.FailedChecks
	}
	var out []string
	for _, t := range m.req.Tools {
		check, ok := strings.CutPrefix(t.Name, "run_")
		check, isSpecialist := strings.CutSuffix(check, "_specialist")
		if ok && isSpecialist && (len(only) == 0 || slices.Contains(only, check)) {
			out = append(out, check)
		}
	}
	return out
}

// A checked is one specialist's answer.
type checked struct {
	check  string
	result verify.Result
	failed string // why there is none
}

// results returns the specialists' answers, or the checks still to be called.
func (m *managing) results(checks []string) (out []checked, waiting []string) {
	for _, c := range checks {
		r, called := m.req.Last("run_" + c + "_specialist")
		if !called {
			return nil, checks
		}
		got := checked{check: c, failed: r.Problem()}
		if !r.Failed && r.Decode(&got.result) != nil {
			got.failed = "The answer could not be read."
		}
		out = append(out, got)
	}
	return out, nil
}

// reauditing reports whether this is a new look at a case that is open already.
func (m *managing) reauditing() bool { return m.in.Trigger != ByAudit }

func (m *managing) verify(checks []string) *model.Reply {
	var calls []model.Planned
	if m.reauditing() {
		calls = append(calls, model.Planned{Tool: "upsert_case", Args: upsertIn{
			Vanpool: m.in.Vanpool, Status: ReAudit, Reason: Reason(m.ctx.Reason), FailedChecks: verify.OrEmpty(m.ctx.FailedChecks),
			Details: "Looking at the records again: " + string(m.in.Trigger) + ".",
		}})
	}
	for _, c := range checks {
		calls = append(calls, model.Planned{Tool: "run_" + c + "_specialist", Args: verify.CheckIn{Vanpool: m.in.Vanpool, Employees: verify.OrEmpty(m.ctx.Employees)}})
	}
	return m.req.Calling(calls...)
}

// decide weighs the specialists' answers.
func (m *managing) decide(results []checked) (*model.Reply, error) {
	var failed, unclear, riders, why []string
	for _, r := range results {
		switch {
		case r.failed != "":
			return m.answer(m.ctx.Status, "", "The "+r.check+" check could not be made: "+r.failed)
		case r.result.Verdict == "fail":
			failed = append(failed, r.check)
			if r.result.Unclear {
				unclear = append(unclear, r.check)
			}
			for _, id := range r.result.Affected {
				if !slices.Contains(riders, id) {
					riders = append(riders, id)
				}
			}
		}
		if !slices.Contains(why, r.result.Reasoning) { // of an empty van all say the same
			why = append(why, r.result.Reasoning)
		}
	}
	failed, riders = m.unchecked(results, failed, riders)
	slices.Sort(riders)
	reasoning := strings.Join(why, " ")
	targets := m.targets(riders)
	switch {
	case len(failed) > 0 && m.toCancel() && len(targets) > 0:
		return m.cancel(failed, unclear, targets, reasoning)
	case len(failed) > 0 && m.toCancel():
		if !m.upserted(PendingReply) {
			return m.req.Calling(m.upsert(PendingReply, failed, unclear, reasoning)), nil
		}
		return m.answer(PendingReply, "", "The records of "+m.in.Employee+" fit now; others are still concerned. "+reasoning, failed...)
	case len(failed) > 0:
		return m.reachOut(failed, unclear, riders, reasoning)
	case m.reauditing():
		return m.close(Resolved, "The records fit now. "+reasoning)
	}
	return m.answer(Verification, "verified", reasoning)
}

// unchecked adds what failed before and was not looked at now.
func (m *managing) unchecked(results []checked, failed, riders []string) ([]string, []string) {
	for _, c := range m.ctx.FailedChecks {
		if slices.ContainsFunc(results, func(r checked) bool { return r.check == c }) {
			continue
		}
		failed = append(failed, c)
		for _, t := range m.ctx.Threads {
			if slices.Contains(t.Checks, c) && !slices.Contains(riders, t.Employee) {
				riders = append(riders, t.Employee)
			}
		}
	}
	return failed, riders
}

// targets returns the riders whose membership is in question: the one who wrote or
// stayed silent, or everybody concerned if nobody in particular did.
func (m *managing) targets(riders []string) []string {
	var out []string
	for _, id := range riders {
		if !m.settled(id) && (m.in.Employee == "" || m.in.Employee == id) {
			out = append(out, id)
		}
	}
	return out
}

// toCancel reports whether a failure now goes to a coordinator: after silence, after
// the last re-audit, or because one asked for it.
func (m *managing) toCancel() bool {
	return m.in.Trigger == ByTimeout || m.in.Straight || m.reauditing() && m.ctx.Reaudits+1 >= m.ctx.MaxReaudits
}

func (m *managing) upsert(s Status, failed, unclear []string, details string) model.Planned {
	return model.Planned{Tool: "upsert_case", Args: upsertIn{
		Vanpool: m.in.Vanpool, Status: s, Reason: reasonFor(failed, unclear), FailedChecks: failed, Details: details,
	}}
}

// reachOut opens the case, or takes it back to waiting, and writes to the riders.
func (m *managing) reachOut(failed, unclear, riders []string, reasoning string) (*model.Reply, error) {
	if !m.upserted(PendingReply) {
		return m.req.Calling(m.upsert(PendingReply, failed, unclear, reasoning)), nil
	}
	purpose := "initial"
	if m.reauditing() {
		purpose = "follow_up"
	}
	var calls []model.Planned
	for _, id := range riders {
		if !m.wrote(id, purpose) && !m.settled(id) {
			calls = append(calls, m.outreach(id, purpose))
		}
	}
	if len(calls) > 0 {
		return m.req.Calling(calls...), nil
	}
	return m.answer(PendingReply, "", reasoning, failed...)
}

// cancel asks a coordinator about the memberships in question.
func (m *managing) cancel(failed, unclear, riders []string, reasoning string) (*model.Reply, error) {
	if !m.upserted(PreCancel) {
		return m.req.Calling(m.upsert(PreCancel, failed, unclear, reasoning)), nil
	}
	if len(m.req.Returns("cancel_membership")) == 0 {
		var calls []model.Planned
		for _, id := range riders {
			calls = append(calls, model.Planned{Tool: "cancel_membership", Args: cancelIn{
				Case: string(m.ctx.Case), Vanpool: m.in.Vanpool, Employee: id, FailedChecks: failed, Reason: reasoning,
			}})
		}
		return m.req.Calling(calls...), nil
	}
	return m.afterCancel(failed, reasoning)
}

// afterCancel follows the coordinator's decisions.
func (m *managing) afterCancel(failed []string, reasoning string) (*model.Reply, error) {
	removed, kept := 0, ""
	for _, r := range m.req.Returns("cancel_membership") {
		problem := r.Problem()
		switch {
		case problem == "":
			removed++
		case strings.HasPrefix(problem, "It was not done"):
			return m.answer(ReAudit, "", "The evidence changed before a coordinator decided; the van is looked at again. "+problem, failed...)
		default:
			kept = problem
		}
	}
	switch {
	case removed > 0:
		return m.close(Cancelled, reasoning)
	default:
		return m.close(Resolved, "The membership is kept. "+kept)
	}
}

// close ends the case, unless the tool says that others are still concerned.
func (m *managing) close(s Status, details string) (*model.Reply, error) {
	r, called := m.req.Tried("close_case")
	if !called {
		return m.req.Calling(model.Planned{Tool: "close_case", Args: closeIn{Vanpool: m.in.Vanpool, Outcome: Outcome(s), Details: details}}), nil
	}
	var out closeOut
	switch {
	case r.Failed:
		return m.answer(m.ctx.Status, "", r.Problem())
	case r.Decode(&out) == nil && !out.Closed:
		return m.answer(out.Status, "", fmt.Sprintf("Settled for some; still open for %s.", strings.Join(out.Remaining, ", ")))
	}
	return m.answer(s, string(s), details)
}

func (m *managing) answer(s Status, outcome, reasoning string, failed ...string) (*model.Reply, error) {
	return model.Answer(Managed{
		Case: string(m.ctx.Case), Vanpool: m.in.Vanpool, Status: s, Outcome: outcome, FailedChecks: verify.OrEmpty(failed), Reasoning: reasoning,
	})
}

func (m *managing) outreach(employee, purpose string) model.Planned {
	in := OutreachIn{Case: string(m.ctx.Case), Vanpool: m.in.Vanpool, Employee: employee, Purpose: Purpose(purpose), Round: m.ctx.Reaudits}
	if purpose == "reply" {
		in.Thread, in.Message = m.in.Thread, m.in.Message
	}
	return model.Planned{Tool: "run_outreach", Args: in}
}

// upserted reports whether upsert_case was called with a status in this run, and tried
// once more if nothing answered.
func (m *managing) upserted(s Status) bool {
	_, tried := m.req.Tried("upsert_case")
	return tried && calledWith(m.req, "upsert_case", func(in upsertIn) bool { return in.Status == s })
}

// wrote reports whether a rider was written to in this run.
func (m *managing) wrote(employee, purpose string) bool {
	return calledWith(m.req, "run_outreach", func(in OutreachIn) bool { return in.Employee == employee && string(in.Purpose) == purpose })
}

func (m *managing) settled(employee string) bool {
	return slices.ContainsFunc(m.ctx.Threads, func(t threadView) bool { return t.Employee == employee && t.Settled != "" })
}

// calledWith reports whether a tool was called with arguments that fit.
func calledWith[T any](req *model.Request, tool string, fits func(T) bool) bool {
	for _, msg := range req.Messages {
		for _, part := range msg.Parts {
			c, ok := part.(model.Call)
			if !ok || c.Tool != tool {
				continue
			}
			var in T
			if json.Unmarshal(c.Args, &in) == nil && fits(in) {
				return true
			}
		}
	}
	return false
}
