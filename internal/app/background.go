package app

import (
	"context"
	"log/slog"

	"dossier"
)

// A Background is a figure that helps a person decide about an approval. It is computed
// when it is shown and is no part of what the decision is bound to.
type Background struct {
	Label string `json:"label" doc:"What was counted"`
	Value string `json:"value" doc:"The figure, such as 1 of 12"`
	How   string `json:"how" doc:"How it is computed, in a sentence"`
	Link  string `json:"link,omitempty" doc:"The page of the console that shows all of it"`
}

// Tell returns what the app knows beside the case for p, who looks at a. A figure that
// cannot be had keeps nobody from deciding: it is said to be missing.
func (k *Kit) Tell(ctx context.Context, log *slog.Logger, a dossier.Approval, p dossier.Principal) []Background {
	if k.Background == nil {
		return []Background{}
	}
	all, err := k.Background(ctx, a, p)
	if err != nil {
		log.ErrorContext(ctx, "the background of an approval could not be computed", "approval", a.ID, "err", err)
		return []Background{{Label: "Background", Value: "not available", How: "It could not be computed now: " + dossier.Message(err)}}
	}
	if all == nil {
		return []Background{}
	}
	return all
}
