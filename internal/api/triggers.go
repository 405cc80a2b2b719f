package api

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/robfig/cron/v3"

	"dossier"
	"dossier/internal/app"
)

func (s *Server) triggerRoutes(r *app.Router) {
	tags := []string{"triggers"}
	app.Handle(r, huma.Operation{
		OperationID: "list-triggers", Method: http.MethodGet, Path: "/api/v1/triggers", Tags: tags,
		Summary: "What starts work unasked: schedules and events",
	}, []dossier.Role{reader}, s.triggers)
	app.Handle(r, huma.Operation{
		OperationID: "fire-trigger", Method: http.MethodPost, Path: "/api/v1/triggers/{app}/{name}", Tags: tags,
		DefaultStatus: http.StatusAccepted, Summary: "Start a trigger now", Errors: []int{404},
	}, []dossier.Role{member}, s.fire)
	app.Handle(r, huma.Operation{
		OperationID: "post-event", Method: http.MethodPost, Path: "/api/v1/events/{app}/{event}", Tags: tags,
		DefaultStatus: http.StatusAccepted, Summary: "Tell an app that something happened outside", Errors: []int{404},
	}, []dossier.Role{member}, s.postEvent)
}

// A TriggerInfo describes what starts work unasked.
type TriggerInfo struct {
	App  string    `json:"app"`
	Name string    `json:"name"`
	Doc  string    `json:"doc"`
	Cron string    `json:"cron,omitempty" doc:"When the clock starts it"`
	On   string    `json:"on,omitempty" doc:"The event that starts it"`
	Next time.Time `json:"next,omitzero" doc:"When the clock starts it next"`
}

func (s *Server) triggersOf(in Installed) []TriggerInfo {
	out := []TriggerInfo{}
	for _, t := range in.Kit.Triggers {
		info := TriggerInfo{App: in.App.ID, Name: t.Name, Doc: t.Doc, Cron: t.Cron, On: t.On}
		if when, err := cron.ParseStandard(t.Cron); err == nil {
			info.Next = when.Next(s.Now())
		}
		out = append(out, info)
	}
	return out
}

type triggersOutput struct {
	Body struct {
		Items []TriggerInfo `json:"items"`
	}
}

func (s *Server) triggers(ctx context.Context, in *struct {
	App string `query:"app"`
}) (*triggersOutput, error) {
	apps := s.within(s.Principal(ctx), in.App)
	out := &triggersOutput{}
	out.Body.Items = []TriggerInfo{}
	for _, inst := range s.Apps {
		if apps == nil || slices.Contains(apps, inst.App.ID) {
			out.Body.Items = append(out.Body.Items, s.triggersOf(inst)...)
		}
	}
	return out, nil
}

type firedOutput struct {
	Body struct {
		Fired []string `json:"fired" doc:"The triggers that were queued"`
	}
}

type fireInput struct {
	App  string `path:"app"`
	Name string `path:"name"`
	Body struct {
		Event json.RawMessage `json:"event,omitempty" doc:"What the trigger is given"`
	}
}

func (s *Server) fire(ctx context.Context, in *fireInput) (*firedOutput, error) {
	return s.start(ctx, in.App, in.Body.Event, func(t app.Trigger) bool { return t.Name == in.Name },
		dossier.Errorf(dossier.NotFound, "The app %s has no trigger %q.", in.App, in.Name))
}

type postEventInput struct {
	App   string          `path:"app"`
	Event string          `path:"event"`
	Body  json.RawMessage `doc:"What happened"`
}

func (s *Server) postEvent(ctx context.Context, in *postEventInput) (*firedOutput, error) {
	return s.start(ctx, in.App, in.Body, func(t app.Trigger) bool { return t.On != "" && t.On == in.Event },
		dossier.Errorf(dossier.NotFound, "Nothing in the app %s waits for the event %q.", in.App, in.Event))
}

// start queues the triggers of an app that match, for whoever asks.
func (s *Server) start(ctx context.Context, id string, event json.RawMessage, match func(app.Trigger) bool, none error) (*firedOutput, error) {
	inst, err := s.installed(ctx, id)
	if err != nil {
		return nil, err
	}
	p := s.Principal(ctx)
	out := &firedOutput{}
	for _, t := range inst.Kit.Triggers {
		if !match(t) {
			continue
		}
		if err := s.Work.Fire(ctx, id, t.Name, object(event), p); err != nil {
			return nil, err
		}
		out.Body.Fired = append(out.Body.Fired, t.Name)
	}
	if len(out.Body.Fired) == 0 {
		return nil, none
	}
	return out, nil
}
