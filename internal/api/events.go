package api

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/sse"

	"dossier"
	"dossier/internal/app"
	"dossier/internal/records"
)

func (s *Server) eventRoutes(_ *app.Router) {
	op := huma.Operation{
		OperationID: "listen", Method: http.MethodGet, Path: "/api/v1/events", Tags: []string{"events"},
		Summary: "Everything that happens in what one may see, as server-sent events",
		Description: "Each event carries its seq as id. A client that reconnects sends it back as Last-Event-ID, as browsers do, " +
			"and misses nothing. Without it the stream begins with what happens next.",
		Metadata: map[string]any{streamKey: true},
	}
	s.Guard(&op, []dossier.Role{reader})
	sse.Register(s.api, op, map[string]any{"message": records.Event{}}, s.listen)
}

type listenInput struct {
	LastID string         `header:"Last-Event-ID" doc:"The id of the last event you have"`
	After  string         `query:"after" doc:"The same, for clients that cannot set headers"`
	App    string         `query:"app" doc:"Only this app's"`
	Case   dossier.CaseID `query:"case" doc:"Only this case's"`
	Kinds  []string       `query:"kind" doc:"Only these kinds; approval.* means all of a noun"`
}

// heartbeat is how often an idle stream says that it lives.
const heartbeat = 15 * time.Second

// listen sends events until the client goes away. Each batch is read from the
// records, from where the last one ended: a slow client slows nobody and misses
// nothing.
func (s *Server) listen(ctx context.Context, in *listenInput, send sse.Sender) {
	from, err := s.resumeAt(ctx, in)
	if err != nil {
		s.Log.ErrorContext(ctx, "listen", "err", err)
		return
	}
	news, leave := s.hub.join()
	defer leave()
	beat := time.NewTicker(heartbeat)
	defer beat.Stop()
	id := who(ctx)
	if send.Comment("listening after "+strconv.FormatInt(from, 10)) != nil {
		return
	}
	for {
		if from, err = s.sendSince(ctx, id, in, from, send); err != nil {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-s.hub.closed:
			return
		case <-news:
		case <-beat.C:
			// Whoever was signed out or lost a role stops listening.
			if id, err = s.stillSignedIn(ctx, id); err != nil || send.Comment("still here") != nil {
				return
			}
		}
	}
}

// resumeAt is where a stream goes on. An event that has not happened here was seen before
// the records were restored from a backup: waiting for its number would be waiting in vain.
func (s *Server) resumeAt(ctx context.Context, in *listenInput) (int64, error) {
	last, err := s.Records.LastEvent(ctx)
	if err != nil {
		return 0, err
	}
	had := in.LastID
	if had == "" {
		had = in.After
	}
	if n, err := strconv.ParseInt(had, 10, 64); err == nil && n >= 0 && n < last {
		return n, nil
	}
	return last, nil
}

// batch is how many events are read at once.
const batch = 200

// sendSince sends what happened after from and returns how far it came.
func (s *Server) sendSince(ctx context.Context, id whoever, in *listenInput, from int64, send sse.Sender) (int64, error) {
	apps := s.within(id.Principal, in.App)
	for {
		events, err := s.Records.Events(ctx, from, batch)
		if err != nil {
			if ctx.Err() == nil {
				s.Log.ErrorContext(ctx, "read events", "err", err)
			}
			return from, err
		}
		for _, e := range events {
			from = e.Seq
			if !wanted(e, apps, in) {
				continue
			}
			if err := ctx.Err(); err != nil {
				return from, err
			}
			if err := send(sse.Message{ID: int(e.Seq), Data: e}); err != nil {
				return from, err
			}
		}
		if len(events) < batch {
			return from, nil
		}
	}
}

func wanted(e records.Event, apps []string, in *listenInput) bool {
	switch {
	case apps != nil && !slices.Contains(apps, e.App):
		return false
	case in.Case != "" && e.Case != in.Case:
		return false
	}
	return len(in.Kinds) == 0 || slices.ContainsFunc(in.Kinds, func(k string) bool { return records.KindMatches(k, e.Kind) })
}

// note writes down an administrator's deed. It belongs to no app, so only admins and
// auditors see it. The deed is done by then and stands even if the note fails.
func (s *Server) note(ctx context.Context, kind, format string, args ...any) {
	p := s.Principal(ctx)
	e := records.Event{At: s.Now(), Kind: kind, By: p.ID, Text: p.Name + " " + fmt.Sprintf(format, args...)}
	if err := s.Records.Publish(context.WithoutCancel(ctx), e); err != nil {
		s.Log.ErrorContext(ctx, "an event was not written", "kind", kind, "err", err)
	}
}

// stillSignedIn returns the identity with the roles of now.
func (s *Server) stillSignedIn(ctx context.Context, id whoever) (whoever, error) {
	fresh, err := s.Auth.Refresh(ctx, id.Identity)
	if err != nil {
		return id, err
	}
	if !s.holds(fresh.Principal, reader) {
		return id, dossier.Errorf(dossier.Forbidden, "You no longer have a role here.")
	}
	return whoever{Identity: fresh}, nil
}
