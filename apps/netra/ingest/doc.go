// Package ingest turns published reports into signals that can be scored.
//
// A [Report] comes in as free text from CSV, JSON lines, a feed or a request. It is
// redacted first (see [Redact]), placed in one of the districts of the eight
// north-eastern states (see [Places]), classified by the words it contains (see
// [Classify]) and folded with other reports of the same event (see [SameEvent]). What
// cannot be placed or dated is rejected with its line and a reason; nothing is guessed.
//
// The package holds no state and reads no clock. No text leaves it that was not
// redacted: reasons and audit records are made from redacted text too.
package ingest
