package provider

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"charm.land/fantasy"

	"dossier"
	"dossier/internal/model"
)

// A guarded model bounds the calls of an adapter.
type guarded struct {
	inner adapter
	name  string
	cfg   Config
	slots chan struct{}
}

func (g *guarded) Name() string { return g.name }

// Server names the address that the model is asked at, without giving it away; "" is the
// vendor's own. The same name at another address may be another model.
func (g *guarded) Server() string {
	if g.cfg.BaseURL == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(g.cfg.BaseURL))
	return "server:" + hex.EncodeToString(sum[:6])
}

// Generate implements model.Model. A reply that has begun to reach the sink is not
// tried again: the person would read it twice.
func (g *guarded) Generate(ctx context.Context, req *model.Request, sink func(string)) (*model.Reply, error) {
	select {
	case g.slots <- struct{}{}:
		defer func() { <-g.slots }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	for try := 0; ; try++ {
		said := false
		counted := sink
		if sink != nil {
			counted = func(text string) {
				said = said || text != ""
				sink(text)
			}
		}
		var asked time.Duration
		reply, err := g.once(withWait(ctx, &asked), req, counted)
		if err == nil {
			return reply, nil
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		retry := classify(err)
		if !retry || said || try >= g.cfg.Retries {
			return nil, g.failed(err, retry)
		}
		if err := g.cfg.Sleep(ctx, pause(try, asked, g.cfg.Jitter())); err != nil {
			return nil, err
		}
	}
}

func (g *guarded) once(ctx context.Context, req *model.Request, sink func(string)) (reply *model.Reply, err error) {
	defer func() {
		if v := recover(); v != nil {
			reply, err = nil, fmt.Errorf("%w: %v", errPanic, v)
		}
	}()
	ctx, cancel := context.WithTimeout(ctx, g.cfg.Timeout)
	defer cancel()
	reply, err = g.inner.generate(ctx, req, sink)
	if err == nil && len(reply.Parts) == 0 && reply.Stop == model.Finished {
		return nil, errEmpty
	}
	return reply, err
}

var (
	errPanic = errors.New("the provider's library panicked")
	errEmpty = errors.New("the provider sent an empty answer")
)

func (g *guarded) failed(err error, retried bool) error {
	switch status := statusOf(err); {
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		return dossier.Errorf(dossier.Unavailable, "The provider refused the key. Check the secret that the configuration names.").Because(err)
	case status == http.StatusTooManyRequests:
		return dossier.Errorf(dossier.Unavailable, "The provider's rate limit is used up. Try later.").Because(err)
	case errors.Is(err, context.DeadlineExceeded):
		return dossier.Errorf(dossier.Unavailable, "The provider did not answer within %v.", g.cfg.Timeout).Because(err)
	case retried:
		return dossier.Errorf(dossier.Unavailable, "The provider failed %d times.", g.cfg.Retries+1).Because(err)
	}
	return dossier.Errorf(dossier.Unavailable, "The provider did not accept the request.").Because(err)
}

func statusOf(err error) int {
	if pe, ok := errors.AsType[*fantasy.ProviderError](err); ok {
		return pe.StatusCode
	}
	return 0
}

// classify says whether a failure is worth another try. It is the one place that
// decides.
func classify(err error) bool {
	if pe, ok := errors.AsType[*fantasy.ProviderError](err); ok {
		return pe.IsRetryable()
	}
	if _, ok := errors.AsType[net.Error](err); ok {
		return true
	}
	return errors.Is(err, context.DeadlineExceeded) || errors.Is(err, io.ErrUnexpectedEOF) ||
		errors.Is(err, errEmpty) || fantasy.IsTransportError(err)
}

// pause is how long to wait before the next try: what the provider asked for, or
// half a second doubled with every try, spread by jitter so that many callers do
// not come back together.
func pause(try int, after time.Duration, jitter float64) time.Duration {
	const longest = time.Minute
	if after > 0 {
		return min(after, longest)
	}
	base := 500 * time.Millisecond << min(try, 7)
	return min(base+time.Duration(jitter*float64(base)), longest)
}
