package netra

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"dossier"
	"dossier/apps/netra/engine"
	"dossier/internal/app"
)

// changed is what live pages are told of a score.
type changed struct {
	engine.Place
	Score  float64 `json:"score"`
	Band   string  `json:"band"`
	Trend  string  `json:"trend"`
	Window string  `json:"time_window"`

	Disclaimer string `json:"governance_disclaimer"`
}

// subject names the case of a district and window.
func subject(p engine.Place, w engine.Window) string {
	return "district/" + p.State + "/" + p.District + "/" + w.String()
}

// follow looks at a new 24-hour score beside the one that was followed up before. A rise
// into a higher band opens or moves the case and tells everyone; BASELINE ends it.
func (o *office) follow(ctx context.Context, before float64, s engine.Score) error {
	if err := o.book.Followed(ctx, &s); err != nil {
		return err
	}
	_, was := engine.BandOf(before)
	_, is := engine.BandOf(s.Composite)
	place := engine.Place{State: s.State, District: s.District}
	if is > was {
		return o.cross(ctx, place, s)
	}
	text := fmt.Sprintf("%s: score %.2f, %s.", place, s.Composite, s.Threshold.Label)
	if is == 0 {
		if err := o.subside(ctx, place, s); err != nil {
			return err
		}
		if was > 0 {
			text = fmt.Sprintf("%s is back in %s with a score of %.2f.", place, s.Threshold.Label, s.Composite)
		}
	}
	if before == s.Composite {
		return nil
	}
	return o.tell(ctx, "score.changed", "", s, text)
}

// tell publishes what became of a score, to live pages and webhooks alike, with the
// disclaimer for people and for programs.
func (o *office) tell(ctx context.Context, kind string, id dossier.CaseID, s engine.Score, text string) error {
	data, err := json.Marshal(changed{engine.Place{State: s.State, District: s.District}, s.Composite, s.Threshold.Label, s.Trend, s.TimeWindow, engine.Disclaimer})
	if err != nil {
		return fmt.Errorf("encode change: %w", err)
	}
	return o.env.Desk.Publish(ctx, app.Event{Kind: kind, Case: id, Data: data, Text: text + " " + engine.Disclaimer})
}

// cross opens the case of a crossing, starts the analyst on it and tells people.
func (o *office) cross(ctx context.Context, p engine.Place, s engine.Score) error {
	stage := strings.ToLower(s.Threshold.Label)
	return o.env.DB.InTx(ctx, func(ctx context.Context) error {
		c, fresh, err := o.env.Desk.Open(ctx, app.Opening{Subject: subject(p, engine.Day), State: dossier.Open, Stage: stage, By: dossier.SystemPrincipal,
			Title: fmt.Sprintf("%s reaches %s", p, s.Threshold.Label)})
		if err != nil {
			return err
		}
		if !fresh {
			if _, err := o.env.Desk.Move(ctx, c.ID, app.Change{Stage: stage, Title: fmt.Sprintf("%s reaches %s", p, s.Threshold.Label),
				Note: fmt.Sprintf("The score rose to %.2f.", s.Composite), By: "rule/threshold"}); err != nil {
				return err
			}
		}
		if _, err := o.env.Desk.Start(ctx, app.Start{Case: c.ID, Agent: analystName, For: dossier.SystemPrincipal,
			Input: districtIn{District: p.District, State: p.State, Window: s.TimeWindow}}); err != nil {
			return err
		}
		if err := o.tell(ctx, "score.crossed", c.ID, s, fmt.Sprintf("%s crosses %s with a score of %.2f.", p, s.Threshold.Label, s.Composite)); err != nil {
			return err
		}
		if len(o.cfg.Mail) == 0 {
			return nil
		}
		key := fmt.Sprintf("%s/%s/%d", c.ID, s.Threshold.Label, s.Timestamp.UnixMicro())
		return o.env.Desk.Later(ctx, jobMail, mailArgs{key, c.ID, s}, s.Timestamp, key)
	})
}

// subside closes the case of a district that is in BASELINE, if there is one, unless a
// senior officer's word is still asked for.
func (o *office) subside(ctx context.Context, p engine.Place, s engine.Score) error {
	c, err := o.env.Desk.CaseOf(ctx, subject(p, engine.Day))
	if errors.Is(err, dossier.NotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	asked, err := o.env.Desk.Approvals(ctx, c.ID)
	if err != nil {
		return err
	}
	for _, a := range asked {
		if a.Status == dossier.Pending {
			return nil
		}
	}
	_, err = o.env.Desk.Move(ctx, c.ID, app.Change{State: dossier.Closed, Outcome: "subsided", Stage: "subsided",
		Note: fmt.Sprintf("The score fell to %.2f.", s.Composite), By: "rule/threshold"})
	return err
}

const (
	jobMail     = "mail"
	jobClassify = "classify"
	jobDemo     = "demo"
)

type mailArgs struct {
	Key   string         `json:"key"`
	Case  dossier.CaseID `json:"case"`
	Score engine.Score   `json:"score"`
}

// mail tells the configured people of a crossing, once per key.
func (o *office) mail(ctx context.Context, raw json.RawMessage) error {
	var in mailArgs
	if err := json.Unmarshal(raw, &in); err != nil {
		return fmt.Errorf("decode mail: %w", err)
	}
	s := in.Score
	_, err := o.env.Mail.Send(ctx, in.Key, app.Message{App: ID, Case: in.Case, To: o.cfg.Mail,
		Subject: fmt.Sprintf("%s, %s: %s (%.2f)", s.District, s.State, s.Threshold.Label, s.Composite),
		Text:    s.Text() + "\n" + o.env.URL + "/cases/" + string(in.Case) + "\n"})
	return err
}
