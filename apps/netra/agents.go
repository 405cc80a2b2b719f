package netra

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"dossier"
	"dossier/apps/netra/engine"
	"dossier/apps/netra/ingest"
	"dossier/apps/netra/prose"
	"dossier/internal/agent"
	"dossier/internal/model"
	"dossier/internal/tool"
)

// The agents, and the tools that are spoken of by name.
const (
	analystName    = "analyst"
	explainerName  = "explainer"
	weigherName    = "weigher"
	classifierName = "classifier"

	scoreName       = "score_district"
	acknowledgeName = "acknowledge_crossing"
	adoptName       = "adopt_weights"
	closeName       = "close_proposal"
)

func (o *office) analyst() *agent.Agent {
	return &agent.Agent{
		Name: analystName, Doc: "Explains a crossing and asks a senior officer to acknowledge scores of 75 and above.",
		Prompt: prompt("analyst"), Model: "strong", Policy: analystPolicy,
		Tools: []tool.Tool{o.scoreDistrict(), o.districtHistory(), o.acknowledge()},
		Input: tool.SchemaOf[districtIn](), Output: tool.SchemaOf[prose.Briefing](),
		Check: func(ctx context.Context, d agent.Draft) error {
			var b prose.Briefing
			if err := json.Unmarshal(d.Answer, &b); err != nil {
				return dossier.Errorf(dossier.Invalid, "The briefing cannot be read.").Because(err)
			}
			if err := o.checkBriefing(ctx, b, d); err != nil {
				return err
			}
			return prose.Check(b.Text(), d)
		},
	}
}

// analystPolicy plays the analyst: score, have it acknowledged if it must be, explain.
func analystPolicy(_ context.Context, req *model.Request) (*model.Reply, error) {
	var in districtIn
	if err := req.Brief(&in, nil); err != nil {
		return nil, err
	}
	scored, ok := req.Last(scoreName)
	if !ok {
		return req.Calling(model.Planned{Tool: scoreName, Args: in}), nil
	}
	var s engine.Score
	if why := scored.Problem(); why != "" {
		return model.Answer(prose.Briefing{Headline: "The score could not be computed.", Explanation: why, Disclaimer: engine.Disclaimer})
	}
	if err := scored.Decode(&s); err != nil {
		return nil, err
	}
	asked, ok := askedOf(req)
	if !ok && s.Composite >= acknowledgeFrom && req.Offers(acknowledgeName) {
		return req.Calling(model.Planned{Tool: acknowledgeName, Args: crossing(&s)}), nil
	}
	b := prose.Brief(&s)
	if why := asked.Problem(); ok && why != "" {
		b.CallsFor += " It was not acknowledged."
	}
	return model.Answer(b)
}

// crossing is what a senior officer is asked about a score.
func crossing(s *engine.Score) acknowledgeIn {
	return acknowledgeIn{District: s.District, State: s.State, Window: s.TimeWindow, Score: s.Composite, Band: s.Threshold.Label, At: s.Timestamp.Format(time.RFC3339Nano)}
}

// crossings are the crossings of the scores that a run computed.
func crossings(returns []model.Return) map[acknowledgeIn]bool {
	out := map[acknowledgeIn]bool{}
	for _, r := range returns {
		var s engine.Score
		if r.Tool == scoreName && !r.Failed && r.Decode(&s) == nil {
			out[crossing(&s)] = true
		}
	}
	return out
}

// isCrossing reports whether the arguments of a call are one of some crossings.
func isCrossing(args json.RawMessage, of map[acknowledgeIn]bool) bool {
	var in acknowledgeIn
	return json.Unmarshal(args, &in) == nil && of[in]
}

// askedOf returns what came of asking a senior officer about a score that was computed,
// and false if nobody was asked yet. What a model asked about any other does not count.
func askedOf(req *model.Request) (model.Return, bool) {
	of, asked := crossings(req.Returns(scoreName)), map[string]bool{}
	for _, m := range req.Messages {
		for _, p := range m.Parts {
			if c, ok := p.(model.Call); ok && c.Tool == acknowledgeName && isCrossing(c.Args, of) {
				asked[c.ID] = true
			}
		}
	}
	for _, r := range slices.Backward(req.Returns(acknowledgeName)) {
		if asked[r.ID] {
			return r, true
		}
	}
	return model.Return{}, false
}

func (o *office) explainer() *agent.Agent {
	return &agent.Agent{
		Name: explainerName, Doc: "Answers questions about districts and their scores.", Chat: true,
		Prompt: prompt("explainer"), Model: "fast", Policy: explainerPolicy,
		Tools: []tool.Tool{o.scoreDistrict(), o.districtHistory()},
		Check: func(_ context.Context, d agent.Draft) error {
			var text string
			if err := json.Unmarshal(d.Answer, &text); err != nil {
				return dossier.Errorf(dossier.Invalid, "The answer cannot be read.").Because(err)
			}
			if !strings.Contains(text, engine.Disclaimer) {
				return dossier.Errorf(dossier.Invalid, "The answer must carry the disclaimer: %s", engine.Disclaimer)
			}
			return prose.Check(text, d)
		},
	}
}

// explainerPolicy plays the explainer: find the district in what was said, score it,
// say why.
func explainerPolicy(_ context.Context, req *model.Request) (*model.Reply, error) {
	said, since := lastSaid(req)
	if r := lastReturn(req.Messages[since:]); r != nil {
		if why := r.Problem(); why != "" {
			return model.Say(why + " " + engine.Disclaimer), nil
		}
		var s engine.Score
		if err := r.Decode(&s); err != nil {
			return nil, err
		}
		b := prose.Brief(&s)
		return model.Say(b.Text()), nil
	}
	d, err := ingest.FindPlace(said)
	if err != nil {
		return model.Say("Name one district of the north-eastern states, and I say how it scores and why. " + sentence(err) + " " + engine.Disclaimer), nil
	}
	in := districtIn{District: d.District, State: d.State, Window: "24h"}
	for _, w := range []string{"72h", "7d"} {
		if strings.Contains(said, w) {
			in.Window = w
		}
	}
	return req.Calling(model.Planned{Tool: scoreName, Args: in}), nil
}

// lastSaid returns what the person said last and the place of that message.
func lastSaid(req *model.Request) (string, int) {
	for i := len(req.Messages) - 1; i >= 0; i-- {
		m := req.Messages[i]
		if m.From != model.User {
			continue
		}
		for _, p := range m.Parts {
			if t, ok := p.(model.Text); ok {
				return string(t), i
			}
		}
	}
	return "", 0
}

func lastReturn(messages []model.Message) *model.Return {
	for i := len(messages) - 1; i >= 0; i-- {
		for _, p := range messages[i].Parts {
			if r, ok := p.(model.Return); ok {
				return &r
			}
		}
	}
	return nil
}
