package patrol

import (
	"context"
	"encoding/json"
	"errors"

	"dossier"
	"dossier/apps/poolpatrol/casebook"
	"dossier/apps/poolpatrol/letters"
	"dossier/apps/poolpatrol/replies"
	"dossier/apps/poolpatrol/verify"
	"dossier/internal/agent"
	"dossier/internal/model"
	"dossier/internal/tool"
)

// A Purpose is why the outreach agent writes.
type Purpose string

// The purposes.
const (
	Initial  Purpose = "initial"   // the first letter to a rider
	FollowUp Purpose = "follow_up" // a new look did not help
	ToReply  Purpose = "reply"     // the rider wrote
	Reminder Purpose = "reminder"  // the rider has been silent for days
)

// Values lists the purposes, for schemas.
func (Purpose) Values() []string {
	return []string{string(Initial), string(FollowUp), string(ToReply), string(Reminder)}
}

// An OutreachIn is what the outreach agent is started with.
type OutreachIn struct {
	Case     string  `json:"case_id"`
	Vanpool  string  `json:"vanpool_id"`
	Employee string  `json:"employee_id"`
	Purpose  Purpose `json:"purpose"`
	Round    int     `json:"round" jsonschema:"how often the van was looked at again so far"`
	Thread   string  `json:"email_thread_id,omitempty"`
	Message  string  `json:"message_id,omitempty" jsonschema:"the reply to classify and answer"`
}

// An OutreachContext is what the outreach agent is told beforehand: the rider's own facts
// and the thread, with names and addresses taken out.
type OutreachContext struct {
	Employee string        `json:"employee_id"`
	Checks   []string      `json:"failed_checks"`
	Facts    letters.Facts `json:"facts"`
	Template string        `json:"template"`
	Thread   string        `json:"email_thread_id,omitempty"` // "": none yet
	Messages []MailView    `json:"messages"`
}

// A MailView is one mail of a thread as the outreach agent is shown it.
type MailView struct {
	ID      string         `json:"message_id"`
	From    string         `json:"from"` // "programme" or "rider"
	Kind    string         `json:"kind"`
	Subject string         `json:"subject"`
	Text    string         `json:"text"`
	Bucket  replies.Bucket `json:"bucket,omitempty"`
}

// outreachAgent writes to one rider and reads what the rider writes back.
func (p *Patrol) outreachAgent() *agent.Agent {
	return &agent.Agent{
		Name: "outreach", Doc: "Writes to one rider about a case, or classifies and answers the rider's reply.",
		Prompt: p.prompt("outreach"), Model: "strong", Policy: outreachPolicy, ToolName: "run_outreach",
		Tools: []tool.Tool{p.classifyReply(), p.sendEmail(), p.sendEmailForReview()},
		Input: tool.SchemaOf[OutreachIn](), Output: tool.SchemaOf[Outreach](),
		Limits:  agent.Limits{Turns: 8},
		Preload: p.preloadOutreach,
		Check:   saysWhatHappened,
	}
}

func (p *Patrol) preloadOutreach(ctx context.Context, run dossier.Run) (agent.Preloaded, error) {
	var in OutreachIn
	if err := json.Unmarshal(run.Input, &in); err != nil {
		return agent.Preloaded{}, dossier.Errorf(dossier.Invalid, "The outreach agent was started with something else.").Because(err)
	}
	van, err := p.Roster.Crew(ctx, in.Vanpool)
	if err != nil {
		return agent.Preloaded{}, err
	}
	e, rides := van.Rider(in.Employee)
	if !rides {
		return agent.Preloaded{}, dossier.Errorf(dossier.NotFound, "%s does not ride in %s.", in.Employee, in.Vanpool)
	}
	_, found, err := p.env.Desk.Facts(ctx, run.Case)
	if err != nil {
		return agent.Preloaded{}, err
	}
	checks := verify.Affected(found)[e.ID]
	out := OutreachContext{
		Employee: e.ID, Checks: verify.OrEmpty(checks), Facts: p.letterFacts(van.ID, e.ID, found), Template: letters.For(checks), Messages: []MailView{},
	}
	t, err := p.Book.ThreadWith(ctx, run.Case, e.ID)
	switch {
	case errors.Is(err, dossier.NotFound):
		return agent.Preloaded{Context: out}, nil
	case err != nil:
		return agent.Preloaded{}, err
	}
	out.Thread = t.ID
	mail, err := p.Book.Messages(ctx, t.ID)
	if err != nil {
		return agent.Preloaded{}, err
	}
	names := van.Names()
	for _, m := range mail {
		out.Messages = append(out.Messages, viewOf(m, names))
	}
	return agent.Preloaded{Context: out}, nil
}

func viewOf(m casebook.Message, names []string) MailView {
	v := MailView{ID: m.ID, From: "rider", Kind: m.Kind, Subject: replies.Redact(m.Subject, names), Text: replies.Redact(replies.Clean(m.Text), names), Bucket: m.Bucket}
	if m.Out {
		v.From = "programme"
	}
	return v
}

// letterFacts returns what a letter may tell one rider.
func (p *Patrol) letterFacts(vanpool, employee string, found []dossier.Finding) letters.Facts {
	f := letters.Facts{Vanpool: vanpool, Threshold: p.Config.MaxMiles, Days: int(p.Config.Silence.Hours() / 24), Portal: p.Config.Portal}
	return f.About(employee, found)
}

// outreachPolicy plays the outreach agent.
func outreachPolicy(_ context.Context, req *model.Request) (*model.Reply, error) {
	var in OutreachIn
	var ctx OutreachContext
	if err := req.Brief(&in, &ctx); err != nil {
		return nil, err
	}
	if in.Purpose == ToReply {
		return answerReply(req, in, ctx)
	}
	r, called := req.Last("send_email")
	if !called {
		letter := ctx.Template
		kind := Initial
		if ctx.Thread != "" {
			letter, kind = string(in.Purpose), in.Purpose
			if kind == Initial {
				letter = ctx.Template
			}
		}
		return req.Calling(model.Planned{Tool: "send_email", Args: compose(in, ctx, string(kind), letter, "")}), nil
	}
	return reportMail(r, ctx.Thread, nil, false)
}

// answerReply classifies a reply and answers it: at once, or through a person if it is
// an escalation.
func answerReply(req *model.Request, in OutreachIn, ctx OutreachContext) (*model.Reply, error) {
	r, called := req.Tried("classify_reply")
	if !called {
		return req.Calling(model.Planned{Tool: "classify_reply", Args: ClassifyIn{in.Thread, in.Message}}), nil
	}
	if r.Failed {
		return nil, dossier.Errorf(dossier.Invalid, "%s", r.Problem())
	}
	var read ClassifyOut
	if err := r.Decode(&read); err != nil {
		return nil, err
	}
	name, review := "send_email", false
	if read.Bucket == replies.Escalation {
		name, review = "send_email_for_review", true
	}
	sent, called := req.Last(name)
	if !called {
		return req.Calling(model.Planned{Tool: name, Args: compose(in, ctx, "answer", string(read.Bucket), in.Message)}), nil
	}
	return reportMail(sent, in.Thread, &read.Bucket, review)
}

// compose writes the arguments of a mail from a letter.
func compose(in OutreachIn, ctx OutreachContext, kind, letter, answers string) MailIn {
	subject, body := letters.Write(letter, ctx.Facts)
	return MailIn{
		Case: in.Case, Vanpool: in.Vanpool, Employee: in.Employee, Kind: kind, Round: in.Round,
		Answers: answers, Subject: subject, Body: body,
	}
}

// reportMail answers with what became of a mail. One that a person rejected, or that
// could not be sent, was not sent.
func reportMail(r model.Return, thread string, b *replies.Bucket, review bool) (*model.Reply, error) {
	out := Outreach{Thread: thread, Bucket: b, Review: review}
	if !r.Failed {
		var sent MailOut
		if err := r.Decode(&sent); err != nil {
			return nil, err
		}
		out.Sent = true
		if sent.Message != "" { // of a mail that a person says went out, no more may be known
			out.Thread, out.Message = sent.Thread, &sent.Message
		}
	}
	return model.Answer(out)
}

// saysWhatHappened refuses an outreach answer that does not follow from what the tools
// returned: a bucket that was not read, a mail that was not sent.
func saysWhatHappened(_ context.Context, d agent.Draft) error {
	var said Outreach
	if err := json.Unmarshal(d.Answer, &said); err != nil {
		return dossier.Errorf(dossier.Invalid, "The answer is not an outreach result: %v.", err)
	}
	var bucket *replies.Bucket
	var sent *MailOut
	for _, r := range d.Returns {
		if r.Failed {
			continue
		}
		switch r.Tool {
		case "classify_reply":
			var out ClassifyOut
			if r.Decode(&out) == nil {
				bucket = &out.Bucket
			}
		case "send_email", "send_email_for_review":
			sent = &MailOut{}
			if err := r.Decode(sent); err != nil {
				return err
			}
		}
	}
	switch {
	case (bucket == nil) != (said.Bucket == nil) || bucket != nil && *bucket != *said.Bucket:
		return dossier.Errorf(dossier.Invalid, "The bucket must be what classify_reply returned.")
	case said.Review != (bucket != nil && *bucket == replies.Escalation):
		return dossier.Errorf(dossier.Invalid, "hitl_required is true for an escalation and for nothing else.")
	case said.Sent != (sent != nil) || said.Sent && !sent.named(said.Message):
		return dossier.Errorf(dossier.Invalid, "sent and message_id must say what the mail tool returned.")
	}
	return inThread(d, said, sent)
}

// inThread refuses an outreach answer that names another thread than the one the mail
// went into, or than the one the reply came in.
func inThread(d agent.Draft, said Outreach, sent *MailOut) error {
	var in OutreachIn
	if len(d.Run.Input) > 0 {
		if err := json.Unmarshal(d.Run.Input, &in); err != nil {
			return err
		}
	}
	want := in.Thread
	if sent != nil && sent.Thread != "" {
		want = sent.Thread
	}
	if want != "" && said.Thread != want {
		return dossier.Errorf(dossier.Invalid, "email_thread_id must be %s.", want)
	}
	return nil
}

// named reports whether id is the mail's: nil where it has none.
func (m MailOut) named(id *string) bool {
	return id == nil && m.Message == "" || id != nil && *id == m.Message
}
