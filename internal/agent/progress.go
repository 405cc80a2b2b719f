package agent

import "context"

type progressKey struct{}

// WithProgress returns a context in which tell hears how the work of tools goes on
// while they work: that a service is tried again, that half is done. What is told is
// for whoever watches; it is not recorded. Tools of one turn may speak at the same
// time, so tell must be safe for that.
func WithProgress(ctx context.Context, tell func(text string)) context.Context {
	return context.WithValue(ctx, progressKey{}, tell)
}

// Progress tells whoever watches, if anybody does, how a tool's work goes on.
func Progress(ctx context.Context, text string) {
	if tell, ok := ctx.Value(progressKey{}).(func(string)); ok {
		tell(text)
	}
}
