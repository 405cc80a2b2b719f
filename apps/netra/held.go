package netra

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"dossier"
	"dossier/apps/netra/engine"
	"dossier/apps/netra/prose"
	"dossier/internal/agent"
)

// checkBriefing holds a briefing against the score that the run computed: the right
// district and band, what the band calls for, and a senior officer asked where one must
// be. The figures in its prose are another matter, see [prose.Check].
func (o *office) checkBriefing(ctx context.Context, b prose.Briefing, d agent.Draft) error {
	if b.Disclaimer != engine.Disclaimer {
		return dossier.Errorf(dossier.Invalid, "The briefing must carry the disclaimer: %s", engine.Disclaimer)
	}
	s, err := scored(d)
	if err != nil || s == nil {
		return err
	}
	if !strings.Contains(b.Headline, s.District) || !slices.Equal(prose.Bands(b.Headline), []string{s.Threshold.Label}) {
		return dossier.Errorf(dossier.Invalid, "The headline must name %s and its band, %s, and no other band.", s.District, s.Threshold.Label)
	}
	if !strings.Contains(b.CallsFor, s.Action) {
		return dossier.Errorf(dossier.Invalid, "What the band calls for is: %s.", s.Action)
	}
	if s.Composite < acknowledgeFrom || !o.acknowledge().Allows(d.Run.For) {
		return nil
	}
	all, err := o.env.Desk.Approvals(ctx, d.Run.Case)
	if err != nil {
		return err
	}
	of := crossings(d.Returns)
	if !slices.ContainsFunc(all, func(a dossier.Approval) bool {
		return a.Run == d.Run.ID && a.Tool == acknowledgeName && isCrossing(a.Args, of)
	}) {
		return dossier.Errorf(dossier.Invalid, "The score is %.2f, so %s with exactly that score comes before the briefing.", s.Composite, acknowledgeName)
	}
	return nil
}

// scored returns the score that the brief asks for, as the run computed it last. It is
// nil where the reference policy could not have it computed.
func scored(d agent.Draft) (*engine.Score, error) {
	var in districtIn
	if err := json.Unmarshal(d.Run.Input, &in); err != nil {
		return nil, fmt.Errorf("decode input: %w", err)
	}
	p, w, err := in.parse()
	for _, r := range slices.Backward(d.Returns) {
		var s engine.Score
		if err != nil || r.Tool != scoreName || r.Failed {
			continue
		}
		if err := r.Decode(&s); err != nil {
			return nil, err
		}
		if s.Place() == p && s.WindowHours == int(w) {
			return &s, nil
		}
	}
	if d.Policy {
		return nil, nil
	}
	return nil, dossier.Errorf(dossier.Invalid, "Call %s with the district, state and window of the brief first.", scoreName)
}
