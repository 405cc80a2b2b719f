package patrol

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"dossier"
	"dossier/apps/poolpatrol/casebook"
	"dossier/apps/poolpatrol/letters"
	"dossier/apps/poolpatrol/replies"
	"dossier/apps/poolpatrol/roster"
	"dossier/apps/poolpatrol/verify"
	"dossier/internal/app"
	"dossier/internal/tool"
)

// A ClassifyIn names the reply that classify_reply reads.
type ClassifyIn struct {
	Thread  string `json:"email_thread_id"`
	Message string `json:"message_id"`
}

// A ClassifyOut is how classify_reply read a reply.
type ClassifyOut struct {
	Bucket  replies.Bucket `json:"bucket"`
	Rule    string         `json:"rule"`
	Phrases []string       `json:"phrases" jsonschema:"the words that decided"`
	Review  bool           `json:"hitl_required"`
}

// classifyReply reads a reply. It writes the bucket down, and an escalation puts the
// case before people in the same transaction, before any answer is drafted.
func (p *Patrol) classifyReply() tool.Tool {
	return tool.Def[ClassifyIn, ClassifyOut]{
		Name:   "classify_reply",
		Doc:    "Puts a rider's reply into one of four buckets (acknowledgment, question, update, escalation) and says which words decided.",
		Roles:  Staff,
		Effect: tool.Write,
		Run: func(ctx context.Context, c tool.Call, in ClassifyIn) (tool.Output[ClassifyOut], error) {
			return p.classify(ctx, c, in)
		},
	}.Tool()
}

func (p *Patrol) classify(ctx context.Context, c tool.Call, in ClassifyIn) (tool.Output[ClassifyOut], error) {
	var none tool.Output[ClassifyOut]
	t, m, err := p.inbound(ctx, c.Case, in.Thread, in.Message)
	if err != nil {
		return none, err
	}
	r := replies.Classify(m.Text)
	if m.Stranger && r.Bucket != replies.Escalation {
		r = replies.Reading{Bucket: replies.Escalation, Rule: "unknown sender"}
	}
	if err := p.Book.Classified(ctx, m.ID, r); err != nil {
		return none, err
	}
	review := r.Bucket == replies.Escalation
	if review {
		if _, err := p.env.Desk.Move(ctx, c.Case, app.Change{
			State: dossier.Waiting, Stage: string(HITLReview), By: "outreach_agent",
			Note: "The reply of " + t.Employee + " needs a person: " + r.Rule + ".",
		}); err != nil {
			return none, err
		}
	}
	van, err := p.Roster.Crew(ctx, t.Vanpool)
	if err != nil {
		return none, err
	}
	fact := struct {
		Thread   string `json:"email_thread_id"`
		Message  string `json:"message_id"`
		Employee string `json:"employee_id"`
		Text     string `json:"text"`
		replies.Reading
	}{t.ID, m.ID, t.Employee, replies.Redact(replies.Clean(m.Text), van.Names()), r}
	src := dossier.Source{System: "mail", Locator: t.ID + "/" + m.ID, Fetched: m.At}
	return tool.Output[ClassifyOut]{
		Value:    ClassifyOut{r.Bucket, r.Rule, verify.OrEmpty(r.Phrases), review},
		Evidence: []dossier.Evidence{dossier.NewEvidence("reply", src, fact, "%s replied: %s (%s).", t.Employee, r.Bucket, r.Rule)},
	}, nil
}

// inbound returns a reply of a case's thread.
func (p *Patrol) inbound(ctx context.Context, id dossier.CaseID, thread, message string) (casebook.Thread, casebook.Message, error) {
	t, err := p.Book.Thread(ctx, thread)
	if err != nil {
		return t, casebook.Message{}, err
	}
	m, err := p.Book.Message(ctx, message)
	switch {
	case err != nil:
		return t, m, err
	case t.Case != id || m.Thread != t.ID || m.Out:
		return t, m, dossier.Errorf(dossier.Invalid, "Mail %s is not a reply in a thread of this case.", message)
	}
	return t, m, nil
}

// A MailIn holds the arguments of both mail tools. There is no recipient: it is the rider
// of the thread.
type MailIn struct {
	Case     string `json:"case_id"`
	Vanpool  string `json:"vanpool_id"`
	Employee string `json:"employee_id"`
	Kind     string `json:"kind" jsonschema:"initial, follow_up, reminder or answer"`
	Round    int    `json:"round"`
	Answers  string `json:"answers_message_id,omitempty" jsonschema:"the reply this answers"`
	Subject  string `json:"subject"`
	Body     string `json:"body" jsonschema:"the letter; [first name] and [link] are filled in when it is sent"`
}

func (in MailIn) key() string {
	return fmt.Sprintf("%s/%s/%s/%d/%s", in.Case, in.Employee, in.Kind, in.Round, in.Answers)
}

// sendKey is the key of a mail in the outbox, which is shared by all apps and read there.
func (in MailIn) sendKey() string { return "poolpatrol/" + in.key() }

// A MailOut is the mail that a mail tool sent.
type MailOut struct {
	Thread  string `json:"email_thread_id"`
	Message string `json:"message_id"`
	Via     string `json:"via"`
}

func checkMail(in MailIn) error {
	switch {
	case strings.TrimSpace(in.Subject) == "" || strings.ContainsAny(in.Subject, "\r\n"):
		return dossier.Errorf(dossier.Invalid, "A mail needs a subject of one line.")
	case strings.TrimSpace(in.Body) == "" || len(in.Body) > 10_000:
		return dossier.Errorf(dossier.Invalid, "A mail needs a body of at most 10,000 characters.")
	case (in.Kind == "answer") != (in.Answers != ""):
		return dossier.Errorf(dossier.Invalid, "An answer names the reply it answers, and nothing else does.")
	case in.Kind != "answer" && in.Kind != string(Initial) && in.Kind != string(FollowUp) && in.Kind != string(Reminder):
		return dossier.Errorf(dossier.Invalid, "kind must be initial, follow_up, reminder or answer.")
	}
	return nil
}

// sendEmail sends without asking anybody. It refuses to answer a reply that was not
// classified, or that is an escalation: no text of a mail can talk it out of that.
func (p *Patrol) sendEmail() tool.Tool {
	return tool.Def[MailIn, MailOut]{
		Name:   "send_email",
		Doc:    "Sends a mail to the rider of the thread: the first letter, a follow-up, or the answer to an acknowledgment, a question or an update. Not for escalations.",
		Roles:  Staff,
		Effect: tool.Act,
		Ask:    func(MailIn) string { return "" },
		Title:  func(in MailIn) string { return "Write to " + in.Employee + ": " + in.Subject },
		Key:    MailIn.key,
		Check:  checkMail,
		Policy: tool.Policy{Approvers: []dossier.Role{Coordinator}},
		Run: func(ctx context.Context, c tool.Call, in MailIn) (tool.Output[MailOut], error) {
			if err := p.mayAnswer(ctx, c.Case, in); err != nil {
				return tool.Output[MailOut]{}, err
			}
			if err := p.statesFacts(ctx, c.Case, in); err != nil {
				return tool.Output[MailOut]{}, err
			}
			return p.send(ctx, c, in)
		},
		Happened: p.wentOut,
	}.Tool()
}

// mayAnswer refuses to answer a reply of somebody else, one that was not classified, and
// an escalation.
func (p *Patrol) mayAnswer(ctx context.Context, id dossier.CaseID, in MailIn) error {
	if in.Answers == "" {
		return nil
	}
	t, err := p.Book.ThreadWith(ctx, id, in.Employee)
	if err != nil {
		return err
	}
	_, m, err := p.inbound(ctx, id, t.ID, in.Answers)
	switch {
	case err != nil:
		return err
	case m.Bucket == "":
		return dossier.Errorf(dossier.Conflict, "Classify the reply before answering it.")
	case m.Bucket == replies.Escalation:
		return dossier.Errorf(dossier.Forbidden, "This reply is an escalation; use send_email_for_review.")
	}
	return nil
}

// statesFacts refuses a letter of a model's own that states a number which the
// rider's records do not hold. The programme's own letters state nothing else.
func (p *Patrol) statesFacts(ctx context.Context, id dossier.CaseID, in MailIn) error {
	_, found, err := p.env.Desk.Facts(ctx, id)
	if err != nil {
		return err
	}
	return p.letterFacts(in.Vanpool, in.Employee, found).Check(in.Subject, in.Body, in.Vanpool, in.Employee, in.Case)
}

// sendEmailForReview sends what a coordinator has approved or edited. Until then the
// mail is a draft: the arguments of the approval.
func (p *Patrol) sendEmailForReview() tool.Tool {
	return tool.Def[MailIn, MailOut]{
		Name:   "send_email_for_review",
		Doc:    "Drafts the answer to an escalation. A coordinator approves, edits or rejects it before anything is sent.",
		Roles:  Staff,
		Effect: tool.Act,
		Ask: func(in MailIn) string {
			return "The reply of " + in.Employee + " is an escalation; a person answers those."
		},
		Title: func(in MailIn) string { return "Answer " + in.Employee + ": " + in.Subject },
		Key:   MailIn.key,
		Check: checkMail,
		Policy: tool.Policy{
			Approvers: []dossier.Role{Coordinator}, Verbs: []dossier.Verb{dossier.Approve, dossier.Edit, dossier.Reject}, Remind: 2 * 24 * time.Hour,
		},
		Before: func(ctx context.Context, c tool.Call, in MailIn) error {
			_, err := p.mayMail(ctx, c, in)
			return err
		},
		Run:      p.send,
		Happened: p.wentOut,
	}.Tool()
}

// A carry takes a mail out of the house, or notes that it has left.
type carry func(ctx context.Context, key string, m app.Message) (app.Receipt, error)

// send puts a mail on its way and starts the clock of the thread.
func (p *Patrol) send(ctx context.Context, c tool.Call, in MailIn) (tool.Output[MailOut], error) {
	return p.mail(ctx, c, in, p.env.Mail.Send)
}

// wentOut writes down a mail that a person says went out.
func (p *Patrol) wentOut(ctx context.Context, c tool.Call, in MailIn) (tool.Output[MailOut], error) {
	return p.mail(ctx, c, in, p.env.Mail.Noted)
}

// mayMail returns the rider that a mail goes to, and refuses a mail that its case does
// not bear out.
func (p *Patrol) mayMail(ctx context.Context, c tool.Call, in MailIn) (rider roster.Employee, err error) {
	if in.Case != string(c.Case) {
		return rider, dossier.Errorf(dossier.Invalid, "This is case %s, not %s.", c.Case, in.Case)
	}
	if err := p.sameVan(ctx, c.Case, in.Vanpool); err != nil {
		return rider, err
	}
	if err := asStarted(c, in); err != nil {
		return rider, err
	}
	van, err := p.Roster.Crew(ctx, in.Vanpool)
	if err != nil {
		return rider, err
	}
	rider, rides := van.Rider(in.Employee)
	if !rides {
		return rider, dossier.Errorf(dossier.NotFound, "%s does not ride in %s.", in.Employee, in.Vanpool)
	}
	return rider, letters.MindsPrivacy(in.Subject, in.Body, in.Employee, van)
}

func (p *Patrol) mail(ctx context.Context, c tool.Call, in MailIn, by carry) (tool.Output[MailOut], error) {
	var none tool.Output[MailOut]
	rider, err := p.mayMail(ctx, c, in)
	if err != nil {
		return none, err
	}
	t, err := p.threadFor(ctx, c, rider)
	if err != nil {
		return none, err
	}
	m, receipt, err := p.post(ctx, c.Now, t, rider, in, by)
	if err != nil {
		return none, err
	}
	fact := struct {
		Thread   string `json:"email_thread_id"`
		Message  string `json:"message_id"`
		Employee string `json:"employee_id"`
		Kind     string `json:"kind"`
		Subject  string `json:"subject"`
		Body     string `json:"body"`
	}{t.ID, m.ID, in.Employee, in.Kind, in.Subject, in.Body}
	src := dossier.Source{System: "mail", Locator: t.ID + "/" + m.ID, Fetched: c.Now}
	return tool.Output[MailOut]{
		Value:    MailOut{t.ID, m.ID, receipt.Via},
		Evidence: []dossier.Evidence{dossier.NewEvidence("mail_sent", src, fact, "Wrote to %s: %s", in.Employee, in.Subject)},
	}, nil
}

// threadFor returns the thread of the case with a rider, and begins it if need be.
func (p *Patrol) threadFor(ctx context.Context, c tool.Call, e roster.Employee) (casebook.Thread, error) {
	t, err := p.Book.ThreadWith(ctx, c.Case, e.ID)
	if !errors.Is(err, dossier.NotFound) {
		return t, err
	}
	_, found, err := p.env.Desk.Facts(ctx, c.Case)
	if err != nil {
		return t, err
	}
	checks, concerned := verify.Affected(found)[e.ID]
	if !concerned {
		return t, dossier.Errorf(dossier.Forbidden, "Nothing in this case speaks against %s, so nobody writes to them.", e.ID)
	}
	cs, err := p.env.Desk.Case(ctx, c.Case)
	if err != nil {
		return t, err
	}
	return p.Book.Begin(ctx, casebook.Thread{
		Case: c.Case, Vanpool: strings.TrimPrefix(cs.Subject, "vanpool/"), Employee: e.ID, Checks: checks, Created: c.Now,
	}, p.env.NewID)
}

// post sends one mail and writes it down: in the thread, on the case and as due work. A
// mail that was written down before is not written down twice.
func (p *Patrol) post(ctx context.Context, now time.Time, t casebook.Thread, e roster.Employee, in MailIn, by carry) (casebook.Message, app.Receipt, error) {
	link, err := p.Link(t, now)
	if err != nil {
		return casebook.Message{}, app.Receipt{}, err
	}
	kept := strings.ReplaceAll(in.Body, letters.Name, e.FirstName()) // without the link, which is the rider's own key
	body := strings.ReplaceAll(kept, letters.Link, link)
	id, err := p.Book.FreeID(ctx, p.env.NewID)
	if err != nil {
		return casebook.Message{}, app.Receipt{}, err
	}
	m := casebook.Message{
		ID: id, Thread: t.ID, Out: true, Kind: in.Kind, From: "Pool Patrol", Subject: in.Subject, Text: kept, At: now,
	}
	m.MailID = strings.ToLower(m.ID) + "." + strings.ToLower(t.ID) + "@" + p.Config.MailDomain
	refs, err := p.references(ctx, t.ID)
	if err != nil {
		return m, app.Receipt{}, err
	}
	if len(refs) > 0 {
		m.InReplyTo = refs[len(refs)-1]
	}
	receipt, err := by(ctx, in.sendKey(), app.Message{
		App: "poolpatrol", Case: t.Case, From: p.Config.From, To: []string{e.Email}, Subject: in.Subject, Text: body,
		MessageID: m.MailID, InReplyTo: m.InReplyTo, Refs: refs,
	})
	if err != nil {
		return m, receipt, err
	}
	if known, err := p.Book.ByMailID(ctx, receipt.MessageID); err == nil {
		return known, receipt, nil
	} else if !errors.Is(err, dossier.NotFound) {
		return m, receipt, err
	}
	m.MailID = receipt.MessageID
	err = p.env.DB.InTx(ctx, func(ctx context.Context) error {
		if m, _, err = p.Book.AddMessage(ctx, m, p.env.NewID); err != nil {
			return err
		}
		if in.Kind != string(Reminder) {
			t.LastOut = now
			if err := p.Book.Wrote(ctx, t.ID, now); err != nil {
				return err
			}
		}
		if err := p.awaitReply(ctx, t, in); err != nil {
			return err
		}
		return p.env.Desk.Publish(ctx, app.Event{Kind: "mail.sent", Case: t.Case, By: "outreach_agent", Text: "Wrote to " + e.ID + ": " + in.Subject})
	})
	return m, receipt, err
}

// references returns the Message-IDs of a thread, oldest first.
func (p *Patrol) references(ctx context.Context, thread string) ([]string, error) {
	mail, err := p.Book.Messages(ctx, thread)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, m := range mail {
		out = append(out, m.MailID)
	}
	return out, nil
}
