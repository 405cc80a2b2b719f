package dossier

import (
	"errors"
	"fmt"
)

// A Kind classifies an error by what the caller can do about it. Kinds are
// themselves errors, so callers write errors.Is(err, dossier.NotFound).
type Kind string

// The kinds are a closed list: each has one HTTP status and one answer to
// "would asking again help?".
const (
	Invalid     Kind = "invalid"     // the request is wrong; asking again will not help
	NotSignedIn Kind = "unsigned"    // nobody is signed in
	NotFound    Kind = "not_found"   // no such thing, or none this principal may see
	Forbidden   Kind = "forbidden"   // the principal may not do this
	Conflict    Kind = "conflict"    // the thing changed, or already exists
	TooMany     Kind = "too_many"    // too many attempts; wait
	Unavailable Kind = "unavailable" // something we depend on failed; try again later
	Internal    Kind = "internal"    // a bug; details go to the log only
)

func (k Kind) Error() string { return string(k) }

// An Error has a kind and a message written for the person who made the request.
type Error struct {
	Kind  Kind
	Msg   string // shown to people
	cause error  // logged, never shown
}

// Errorf returns an error of kind k whose text is safe to show.
func Errorf(k Kind, format string, args ...any) *Error {
	return &Error{Kind: k, Msg: fmt.Sprintf(format, args...)}
}

// Because records the cause of e and returns e.
func (e *Error) Because(err error) *Error {
	e.cause = err
	return e
}

// Error returns the message and the cause, for logs. Show people [Message] instead.
func (e *Error) Error() string {
	if e.cause == nil {
		return e.Msg
	}
	return e.Msg + ": " + e.cause.Error()
}

func (e *Error) Unwrap() error { return e.cause }

// Is makes errors.Is(e, dossier.NotFound) work.
func (e *Error) Is(target error) bool {
	k, ok := target.(Kind)
	return ok && k == e.Kind
}

// KindOf returns the kind of err, and Internal for an error that has none.
func KindOf(err error) Kind {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Kind
	}
	return Internal
}

// Message returns what people may read of err. An error without a kind is a bug,
// and its text stays in the log.
func Message(err error) string {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Msg
	}
	return "Something went wrong inside the product. The log says what."
}
