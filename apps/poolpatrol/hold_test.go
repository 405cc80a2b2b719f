package poolpatrol

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"dossier"
	"dossier/apps/poolpatrol/patrol"
	"dossier/apps/poolpatrol/verify"
	"dossier/internal/app/apptest"
	"dossier/internal/model"
	"dossier/internal/tool"
)

// A model chooses whom to ask about, and can no more make a verdict by that than by
// saying one: a look is about the case's van and everybody in it.
func TestNoVerdictByChoosing(t *testing.T) {
	t.Parallel()
	for name, in := range map[string]verify.CheckIn{
		"P-035 riders who fit":       {Vanpool: "VP-102", Employees: []string{"EMP-1007", "EMP-1008"}},
		"P-035 the one who does not": {Vanpool: "VP-102", Employees: []string{"EMP-1006"}},
		"P-035 a van that fits":      {Vanpool: "VP-101", Employees: []string{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := start(t, apptest.Options{Model: funcModel(func(req *model.Request) (*model.Reply, error) {
				manages := slices.ContainsFunc(req.Tools, func(s model.ToolSpec) bool { return s.Name == "run_shift_specialist" })
				_, asked := req.Last("run_shift_specialist")
				switch {
				case !manages:
					return nil, dossier.Errorf(dossier.Unavailable, "the policy plays")
				case !asked:
					return req.Calling(model.Planned{Tool: "run_shift_specialist", Args: in}, model.Planned{Tool: "run_location_specialist", Args: in}), nil
				}
				return model.Answer(patrol.Managed{Vanpool: "VP-102", Status: patrol.Verification, Outcome: "verified", FailedChecks: []string{}, Reasoning: "All is well."})
			})})
			l := p.audit("VP-102")
			if looked := in.Vanpool == "VP-102"; l.Outcome != "" || looked != slices.Contains(l.Failed, "shift") {
				t.Errorf("got %+v", l)
			}
			seen, _, err := p.Bench.Desk.Facts(t.Context(), l.Case)
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range seen {
				if strings.Contains(e.Source.Locator, "VP-101") || strings.Contains(string(e.Data), "VP-101") {
					t.Errorf("the case holds evidence about another van: %s", e.Summary)
				}
			}
		})
	}
	t.Run("P-128 a tool looks at the van of its run", func(t *testing.T) {
		t.Parallel()
		p := start(t, apptest.Options{})
		shifts, ok := p.Kit.Tool("get_employee_shifts")
		if !ok {
			t.Fatal("there is no such tool")
		}
		c := tool.Call{App: "poolpatrol", For: p.Person("ann"), Now: p.Clock.Now(), Input: json.RawMessage(`{"vanpool_id":"VP-102","employee_ids":[]}`)}
		if _, err := shifts.Run(t.Context(), c, json.RawMessage(`{"vanpool_id":"VP-101","employee_ids":[]}`)); dossier.Message(err) != "This look is about VP-102, not VP-101." {
			t.Errorf("got %v", err)
		}
	})
}

// toThePolicy leaves a turn to the reference policy.
func toThePolicy() (*model.Reply, error) {
	return nil, dossier.Errorf(dossier.Unavailable, "the policy plays")
}

// A model cannot bring a seat before a coordinator before its time.
func TestNotTooEarly(t *testing.T) {
	t.Parallel()
	var id dossier.CaseID
	p := start(t, apptest.Options{Model: funcModel(func(req *model.Request) (*model.Reply, error) {
		_, looked := req.Last("run_location_specialist")
		_, tried := req.Last("cancel_membership")
		if !req.Offers("cancel_membership") || !looked || tried {
			return toThePolicy()
		}
		var in struct {
			Case dossier.CaseID `json:"case_id"`
		}
		if err := req.Brief(nil, &in); err != nil {
			return nil, err
		}
		id = in.Case
		args := func(rider string) map[string]any {
			return map[string]any{"case_id": id, "vanpool_id": "VP-102", "employee_id": rider, "failed_checks": []string{"shift"}, "reason": "To save time."}
		}
		return req.Calling(
			model.Planned{Tool: "upsert_case", Args: map[string]any{"vanpool_id": "VP-102", "status": "pre_cancel", "failed_checks": []string{"shift"}, "details": "x"}},
			model.Planned{Tool: "cancel_membership", Args: args("EMP-1006")},
			model.Planned{Tool: "cancel_membership", Args: args("EMP-1007")},
		), nil
	})})
	l := p.audit("VP-102")
	if asked := p.Pending(); len(asked) != 0 || id != l.Case {
		t.Errorf("P-046 P-054 a coordinator is asked %+v, in %s", asked, id)
	}
	p.wantStatus(l.Case, patrol.PendingReply)
	t.Run("P-046 after the silence of one rider, that one", func(t *testing.T) {
		p.Walk(7*24*time.Hour + time.Minute)
		if asked := p.Pending(); len(asked) != 1 || asked[0].Title != "Remove EMP-1006 from VP-102" {
			t.Errorf("got %+v", asked)
		}
		p.wantStatus(l.Case, patrol.PreCancel)
	})
}

// A model that is to answer a dispute cannot get a letter past the coordinator: not as
// another kind of letter, not to another rider, not as the answer to another reply.
func TestNoWayRoundReview(t *testing.T) {
	t.Parallel()
	other := ""
	p := start(t, apptest.Options{Model: funcModel(func(req *model.Request) (*model.Reply, error) {
		var in patrol.OutreachIn
		_, tried := req.Last("send_email")
		if !req.Offers("classify_reply") || tried || req.Brief(&in, nil) != nil || in.Employee != "EMP-1031" || in.Purpose != patrol.ToReply {
			return toThePolicy()
		}
		mail := func(rider, kind, answers string) model.Planned {
			return model.Planned{Tool: "send_email", Args: patrol.MailIn{Case: in.Case, Vanpool: in.Vanpool, Employee: rider, Kind: kind, Round: 7, Answers: answers, Subject: "Your seat", Body: "All is well."}}
		}
		return req.Calling(
			model.Planned{Tool: "classify_reply", Args: patrol.ClassifyIn{Thread: in.Thread, Message: in.Message}},
			mail("EMP-1031", "follow_up", ""), mail("EMP-1031", "reminder", ""), mail("EMP-1032", "initial", ""),
			mail("EMP-1031", "answer", other), mail("EMP-1031", "answer", in.Message),
		), nil
	})})
	p.audit("VP-111")
	p.reply("EMP-1051", "How is the distance measured?") // a question, and so answered at once
	threads, err := p.patrol.Book.OpenWith(t.Context(), "EMP-1051")
	if err != nil || len(threads) != 1 {
		t.Fatalf("got %+v %v", threads, err)
	}
	mail, err := p.patrol.Book.Messages(t.Context(), threads[0].ID)
	if err != nil || len(mail) != 3 {
		t.Fatalf("got %+v %v", mail, err)
	}
	other = mail[1].ID
	l := p.audit("VP-107")
	before := len(p.Mail.Sent())
	p.reply("EMP-1031", "This is wrong, I dispute it.")
	if sent := p.Mail.Sent(); len(sent) != before {
		t.Errorf("P-051 P12 %d letters went past the coordinator, the last: %+v", len(sent)-before, sent[len(sent)-1])
	}
	p.wantStatus(l.Case, patrol.HITLReview)
	if asked := p.Pending(); len(asked) != 1 || asked[0].Tool != "send_email_for_review" {
		t.Errorf("P-053 got %+v", asked)
	}
}

// A model that is told of a reply cannot leave it unread.
func TestAReplyIsRead(t *testing.T) {
	t.Parallel()
	p := start(t, apptest.Options{Model: funcModel(func(req *model.Request) (*model.Reply, error) {
		var in struct {
			Trigger patrol.Trigger `json:"trigger"`
		}
		if !req.Offers("cancel_membership") || req.Brief(&in, nil) != nil || in.Trigger != patrol.ByReply || len(req.Returns("run_outreach")) > 0 {
			return toThePolicy()
		}
		return model.Answer(patrol.Managed{Vanpool: "VP-107", Status: patrol.PendingReply, FailedChecks: []string{"shift"}, Reasoning: "Nothing to do."})
	})})
	l := p.audit("VP-107")
	if bucket := p.reply("EMP-1031", "This is wrong, I dispute it."); bucket != "escalation" {
		t.Errorf("P-042 the reply was read as %q", bucket)
	}
	p.wantStatus(l.Case, patrol.HITLReview)
}
