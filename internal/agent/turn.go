package agent

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"dossier"
	"dossier/internal/model"
	"dossier/internal/trace"
)

// ask puts the transcript to the model and records what it says.
func (m *mover) ask(ctx context.Context) (Next, error) {
	req := m.request()
	turn, reply, err := m.generate(ctx, req)
	if err != nil {
		if ctx.Err() != nil || dossier.KindOf(err) == dossier.Unavailable {
			return Stop, err
		}
		m.Slog.ErrorContext(ctx, "the reference policy failed", "agent", m.agent.Name, "run", m.run.ID, "err", err)
		return m.abandon(ctx, "The reference policy could not go on: "+dossier.Message(err))
	}
	if calls := reply.Calls(); len(calls) > 0 {
		if len(calls) > maxCalls && !byPolicy(turn.Model) {
			turn.Problem = fmt.Sprintf("It asks for %d calls at once. At most %d are carried out.", len(calls), maxCalls)
			return Again, m.record(ctx, Move{Status: dossier.Ready}, m.turned(&turn))
		}
		for i, c := range calls {
			turn.Calls = append(turn.Calls, TurnCall{ID: m.callID(c.ID, i), Tool: c.Tool, Args: orEmpty(c.Args)})
		}
		if byPolicy(turn.Model) && turn.Fallback == "" {
			return Again, m.hold(ctx, m.turned(&turn))
		}
		return Again, m.record(ctx, Move{Status: dossier.Ready}, m.turned(&turn))
	}
	return m.answer(ctx, turn, reply)
}

// maxCalls is how many calls a model may make in one turn. Nobody can mean more, and
// people may be asked about each.
const maxCalls = 100

// turned makes the entry of a model turn.
func (m *mover) turned(t *Turn) Entry {
	e := m.entry(dossier.ModelTurn, t)
	e.Spent = dossier.Expense{
		Model: t.Model, Turns: 1, TokensIn: t.Usage.In, TokensOut: t.Usage.Out, Cost: t.Cost, BusyMs: t.Ms,
	}
	return e
}

// callID makes a provider's call id unique in the run: some repeat theirs.
func (m *mover) callID(id string, i int) string {
	return "t" + strconv.Itoa(m.tr.seq+1) + "." + strconv.Itoa(i+1) + "." + id
}

func orEmpty(args json.RawMessage) json.RawMessage {
	args = bytes.ToValidUTF8(args, []byte("\uFFFD"))
	if !json.Valid(args) {
		if len(args) == 0 {
			return json.RawMessage("{}")
		}
		return encode(string(args)) // kept as it came; the schema will refuse it
	}
	return args
}

// answer checks a final answer and ends the run with it, or records why it cannot
// be used so that the next turn can mend it.
func (m *mover) answer(ctx context.Context, turn Turn, reply *model.Reply) (Next, error) {
	value, err := m.usable(ctx, turn, reply)
	if err != nil {
		if dossier.KindOf(err) != dossier.Invalid {
			return Stop, err
		}
		turn.Problem = dossier.Message(err)
		if byPolicy(turn.Model) {
			return Stop, m.record(ctx, Move{Status: dossier.Failed, Failure: "The reference policy gave an unusable answer: " + turn.Problem},
				m.turned(&turn))
		}
		return Again, m.record(ctx, Move{Status: dossier.Ready}, m.turned(&turn))
	}
	next, mv := Stop, Move{Status: dossier.Done, Answer: value}
	if m.agent.Chat {
		next, mv = Pause, Move{Status: dossier.Paused, Answer: value}
	}
	return next, m.record(ctx, mv,
		m.turned(&turn),
		m.entry(dossier.Answered, answeredBody{value}))
}

// usable returns the answer in reply, or an Invalid error that says what is wrong
// with it.
func (m *mover) usable(ctx context.Context, turn Turn, reply *model.Reply) (json.RawMessage, error) {
	text := strings.TrimFunc(strings.ToValidUTF8(reply.Text(), "\uFFFD"), func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) })
	switch {
	case reply.Stop == model.CutShort:
		return nil, dossier.Errorf(dossier.Invalid, "It was cut short.")
	case text == "":
		return nil, dossier.Errorf(dossier.Invalid, "It is empty.")
	}
	value := encode(text)
	if m.agent.Output.Text != nil {
		value = json.RawMessage(unfence(text))
		if err := m.agent.Output.Check(value); err != nil {
			return nil, err
		}
	}
	if m.agent.Check == nil {
		return value, nil
	}
	return value, m.check(ctx, Draft{
		Run: m.run, Answer: value, Returns: m.tr.returns, Said: m.tr.heard, Policy: byPolicy(turn.Model), Facts: m.facts,
	})
}

// check holds an answer against the agent's own check. One on which that breaks cannot
// be used.
func (m *mover) check(ctx context.Context, d Draft) (err error) {
	defer func() {
		if errors.Is(err, errPanic) {
			m.Slog.ErrorContext(ctx, "the check of an answer broke", "agent", m.agent.Name, "run", m.run.ID, "err", err)
			err = dossier.Errorf(dossier.Invalid, "It cannot be checked.").Because(err)
		}
	}()
	defer guard("check of "+m.agent.Name, &err)
	return m.agent.Check(ctx, d)
}

// facts returns the facts of the case, with those that this run has just seen.
func (m *mover) facts(ctx context.Context) ([]dossier.Evidence, []dossier.Finding, error) {
	if err := m.flush(ctx); err != nil {
		return nil, nil, err
	}
	return m.Log.Facts(ctx, m.run.Case)
}

func byPolicy(name string) bool { return strings.HasPrefix(name, "reference/") }

// unfence takes JSON out of the Markdown fence that some models put around it.
func unfence(text string) string {
	if rest, ok := strings.CutPrefix(text, "```"); ok {
		rest = strings.TrimPrefix(rest, "json")
		if body, _, ok := strings.Cut(rest, "```"); ok {
			return strings.TrimSpace(body)
		}
	}
	return text
}

func (m *mover) request() *model.Request {
	return &model.Request{System: m.agent.Prompt, Messages: m.tr.messages, Tools: m.offer(), Output: m.agent.Output.Text}
}

// offer returns the tools and specialists that the model may call for the principal as
// it is now. While its roles stay the same, so does the list.
func (m *mover) offer() []model.ToolSpec {
	if m.offered != nil && slices.Equal(m.offeredTo, m.as.Roles) {
		return m.offered
	}
	specs := make([]model.ToolSpec, 0, len(m.agent.Tools)+len(m.agent.Specialists))
	for i := range m.agent.Tools {
		if t := &m.agent.Tools[i]; t.Allows(m.as) {
			specs = append(specs, model.ToolSpec{Name: t.Name, Doc: t.Doc, Input: t.Input.Text})
		}
	}
	for _, s := range m.agent.Specialists {
		specs = append(specs, s.spec())
	}
	m.offered, m.offeredTo = specs, m.as.Roles
	return specs
}

// generate asks the agent's model, and its reference policy where there is no model,
// where the model fails, or where its answers stayed unusable.
func (m *mover) generate(ctx context.Context, req *model.Request) (Turn, *model.Reply, error) {
	mod, why := m.chosen()
	if !byPolicy(mod.Name()) {
		if err := m.flush(ctx); err != nil {
			return Turn{}, nil, err
		}
	}
	turn, reply, err := m.generateWith(ctx, mod, req)
	if err == nil && reply.Stop != model.Refused {
		turn.Fallback = why
		return turn, reply, nil
	}
	if byPolicy(mod.Name()) || ctx.Err() != nil {
		return turn, nil, errors.Join(err, ctx.Err())
	}
	why = mod.Name() + " refused to answer."
	if err != nil {
		why = mod.Name() + ": " + dossier.Message(err)
		m.Slog.WarnContext(ctx, "model failed; the reference policy takes the turn",
			"model", mod.Name(), "run", m.run.ID, "err", err)
	}
	turn, reply, err = m.generateWith(ctx, m.policy(), req)
	turn.Fallback = why
	return turn, reply, err
}

// chosen returns the model for this turn and, if it is the policy in a model's
// place, why.
func (m *mover) chosen() (model.Model, string) {
	if m.Model == nil {
		return m.policy(), ""
	}
	mod := m.Model(m.run.App, m.agent)
	l := m.agent.Limits.withDefaults()
	switch {
	case mod == nil:
		return m.policy(), ""
	case m.tr.turns >= l.Turns:
		return m.policy(), fmt.Sprintf("%s did not come to an end within %d turns.", mod.Name(), l.Turns)
	case m.tr.problems >= 2:
		return m.policy(), mod.Name() + " gave two answers that could not be used."
	case l.Refused > 0 && m.tr.refused >= l.Refused:
		return m.policy(), fmt.Sprintf("%s made %d calls in a row that were refused.", mod.Name(), m.tr.refused)
	case l.Failed > 0 && m.tr.failed >= l.Failed:
		return m.policy(), fmt.Sprintf("%s failed in %d turns.", mod.Name(), l.Failed)
	}
	return mod, ""
}

// policy is the agent's reference policy as a model.
func (m *mover) policy() model.Model {
	if m.reference == nil {
		m.reference = model.Reference(m.agent.Name, m.agent.Policy)
	}
	return m.reference
}

func (m *mover) generateWith(ctx context.Context, mod model.Model, req *model.Request) (Turn, *model.Reply, error) {
	began := m.Now()
	ctx, span := trace.Model(ctx, mod.Name())
	reply, err := speak(ctx, mod, req)
	defer func() { span.End(err) }()
	turn := Turn{Model: mod.Name(), Version: m.agent.version(), Ms: ms(m.Now().Sub(began))}
	if err != nil {
		return turn, nil, err
	}
	turn.Text, turn.Usage, turn.Stop = reply.Text(), reply.Usage, reply.Stop
	if m.Price != nil {
		turn.Cost = m.Price(mod.Name(), reply.Usage)
	}
	if span.Recording() {
		span.Tell(m.told(turn, req))
	}
	return turn, reply, nil
}

func speak(ctx context.Context, mod model.Model, req *model.Request) (reply *model.Reply, err error) {
	defer guard(mod.Name(), &err)
	return mod.Generate(ctx, req, sinkOf(ctx))
}

// told is what a trace says about a turn. Text is in it only if the operator wants
// text sent.
func (m *mover) told(t Turn, req *model.Request) trace.Turn {
	out := trace.Turn{
		Model: t.Model, Agent: m.run.App + "." + m.agent.Name, Version: t.Version,
		In: t.Usage.In, Out: t.Usage.Out, Cost: t.Cost, Stop: string(t.Stop),
	}
	if m.TraceText {
		var b strings.Builder
		b.WriteString(req.System)
		for _, msg := range req.Messages {
			for _, p := range msg.Parts {
				fmt.Fprintf(&b, "\n%s: %s", msg.From, p)
			}
		}
		out.Prompt, out.Answer = b.String(), t.Text
	}
	return out
}
