package poolpatrol

import (
	"context"
	"encoding/json"
	"fmt"

	"dossier/apps/poolpatrol/letters"
	"dossier/apps/poolpatrol/patrol"
	"dossier/apps/poolpatrol/replies"
	"dossier/internal/agent"
	"dossier/internal/eval"
	"dossier/internal/tool"
)

// A said is what came of one turn of a conversation.
type said struct {
	Thread  string         `json:"email_thread_id"`
	Bucket  replies.Bucket `json:"bucket"`
	Review  bool           `json:"hitl_required"`
	Sent    bool           `json:"sent"`
	Read    string         `json:"read_message_id"`    // the reply that was classified
	Answers string         `json:"answers_message_id"` // the reply that the mail answers
	Body    string         `json:"body"`
}

// talk is the answer of a conversation: its turns in order.
type talk struct {
	Turns []said `json:"turns"`
}

// The rehearsed thread, its van and its rider.
const (
	aThread = "THREAD-00000001"
	aVan    = "VP-101"
	aRider  = "EMP-1002"
)

// aReply is a reply of the rider in the rehearsed thread.
func aReply(message, text string) patrol.MailView {
	return patrol.MailView{ID: message, From: "rider", Kind: "reply", Subject: "Re: your vanpool", Text: replies.Clean(text)}
}

// told is what the outreach agent knows before it reads the newest mail of a thread.
func told(mails []patrol.MailView) (json.RawMessage, error) {
	checks := []string{"shift"}
	return json.Marshal(patrol.OutreachContext{
		Employee: aRider, Checks: checks, Template: letters.For(checks), Thread: aThread, Messages: mails,
		Facts: letters.Facts{Vanpool: aVan, Shift: "Night", Expected: "Day", Working: 10, Days: 7, Portal: patrol.Defaults.Portal},
	})
}

// conversation plays the outreach agent on every reply of a thread in turn. Each reply
// is a run of its own, as in production, that is told the whole thread so far.
func (p player) conversation(ctx context.Context, ex eval.Example, who eval.Player) (eval.Trace, error) {
	in, err := read[struct {
		Replies []string `json:"replies"`
	}](ex)
	if err != nil {
		return eval.Trace{}, err
	}
	var all eval.Trace
	var out talk
	var mails []patrol.MailView
	for i, text := range in.Replies {
		message := fmt.Sprintf("MSG-%08d", 2*i+2)
		mails = append(mails, aReply(message, text))
		tr, err := p.reply(ctx, mails, text, message, who)
		if err != nil {
			return all, err
		}
		turn, err := saidIn(tr)
		if err != nil {
			return all, err
		}
		out.Turns = append(out.Turns, turn)
		all.Steps = append(all.Steps, tr.Steps...)
		all.Approvals = append(all.Approvals, tr.Approvals...)
		mails[len(mails)-1].Bucket = turn.Bucket
		if turn.Sent {
			mails = append(mails, patrol.MailView{ID: fmt.Sprintf("MSG-%08d", 2*i+3), From: "programme", Kind: "answer", Text: turn.Body})
		}
	}
	all.Answer, err = json.Marshal(out)
	return all, err
}

// reply plays the outreach agent on the newest mail of a thread. The reply is read by
// the rule that production reads it by; mail goes nowhere. The tools in failing do not
// answer at first.
func (p player) reply(ctx context.Context, mails []patrol.MailView, text, message string, who eval.Player, failing ...string) (eval.Trace, error) {
	a, err := p.agent("outreach")
	if err != nil {
		return eval.Trace{}, err
	}
	before, err := told(mails)
	if err != nil {
		return eval.Trace{}, err
	}
	rule := replies.Classify(text)
	rehearsed := eval.Rehearse(a, before, func(_ tool.Call, name string, args json.RawMessage) (tool.Result, error) {
		return rehearseMail(rule, message, name, args)
	})
	input, err := json.Marshal(patrol.OutreachIn{
		Case: "CASE-00000001", Vanpool: aVan, Employee: aRider, Purpose: patrol.ToReply, Thread: aThread, Message: message,
	})
	if err != nil {
		return eval.Trace{}, err
	}
	return eval.PlayAgent(ctx, eval.Stage{App: "poolpatrol", Agents: []*agent.Agent{eval.FailFirst(rehearsed, failing...)}}, "outreach", input, who)
}

// saidIn reads a turn out of what the agent answered and the mail it wrote.
func saidIn(tr eval.Trace) (said, error) {
	var out said
	if len(tr.Answer) > 0 {
		if err := json.Unmarshal(tr.Answer, &out); err != nil {
			return out, fmt.Errorf("decode an outreach answer: %w", err)
		}
	}
	path, err := tr.Path()
	if err != nil {
		return out, err
	}
	for _, c := range path.Calls {
		var args struct {
			Message string `json:"message_id"`
			Answers string `json:"answers_message_id"`
			Body    string `json:"body"`
		}
		if c.Failed || json.Unmarshal(c.Args, &args) != nil {
			continue
		}
		if c.Tool == "classify_reply" {
			out.Read = args.Message
		} else {
			out.Answers, out.Body = args.Answers, args.Body
		}
	}
	return out, nil
}

// conversationGraders grade a thread turn by turn: whether each reply was read right,
// whether the newest one was answered in the same thread, and whether a reply of
// another kind got another answer.
func conversationGraders() []eval.Grader {
	return []eval.Grader{
		overTurns("turns_match", func(want, got talk, i int) (bool, bool, string) {
			w, g := want.Turns[i], got.Turns[i]
			return w.Bucket == g.Bucket && w.Review == g.Review, true, fmt.Sprintf("reply %d was read as %q", i+1, g.Bucket)
		}),
		overTurns("context_retention", func(_, got talk, i int) (bool, bool, string) {
			g, newest := got.Turns[i], fmt.Sprintf("MSG-%08d", 2*i+2)
			return g.Thread == aThread && g.Read == newest && (!g.Sent || g.Answers == newest), true, fmt.Sprintf("turn %d lost the thread", i+1)
		}),
		overTurns("progressive_refinement", func(want, got talk, i int) (bool, bool, string) {
			if i == 0 || want.Turns[i].Bucket == want.Turns[i-1].Bucket {
				return true, false, ""
			}
			return got.Turns[i].Body != got.Turns[i-1].Body, true, fmt.Sprintf("turn %d repeats the last mail", i+1)
		}),
	}
}

// overTurns grades the share of turns for which ok holds, of those it counts.
func overTurns(name string, ok func(want, got talk, turn int) (holds, counts bool, why string)) eval.Grader {
	return eval.Grader{Name: name, Grade: func(_ context.Context, ex eval.Example, tr eval.Trace) (eval.Grade, error) {
		var want, got talk
		if err := json.Unmarshal(ex.Want, &want); err != nil || len(want.Turns) == 0 {
			return eval.Grade{}, nil //nolint:nilerr // an example of another form: the grade does not apply
		}
		if json.Unmarshal(tr.Answer, &got) != nil || len(got.Turns) != len(want.Turns) {
			return eval.Grade{Applies: true, Reason: "the conversation was not carried through"}, nil
		}
		g := eval.Grade{}
		right, counted := 0, 0
		for i := range want.Turns {
			holds, counts, why := ok(want, got, i)
			switch {
			case !counts:
			case holds:
				right, counted = right+1, counted+1
			default:
				counted, g.Reason = counted+1, why
			}
		}
		if g.Applies = counted > 0; g.Applies {
			g.Score = float64(right) / float64(counted)
		}
		return g, nil
	}}
}

// talking is the ideal of a conversation: each reply read, then answered the way its
// bucket needs.
func talking(ex eval.Example) (eval.Choice, bool) {
	var want talk
	if json.Unmarshal(ex.Want, &want) != nil || len(want.Turns) == 0 {
		return eval.Choice{}, false
	}
	c := eval.Choice{Known: mailTools}
	for _, t := range want.Turns {
		c.Tools = append(c.Tools, "classify_reply", sending(t.Review))
	}
	return aboutVan(c, aVan, mailTools[1:]), true
}
