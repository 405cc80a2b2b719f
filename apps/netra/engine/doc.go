// Package engine computes the risk score of a district from classified signals.
//
// The score follows one published method: a signal weighs its severity, decayed by
// its age and multiplied by where it happened and which way it points; each of three
// layers is the mean weight of its signals; the composite runs the layer sum through
// a sigmoid. [Engine.Compute] scores one district from a slice, [Engine.Batch] scores
// many from a [Columns] table in one parallel pass, and a [Live] district keeps hourly
// tallies so that one arrival costs microseconds. All three share one tally and one
// assembly, so they give the same answer.
//
// Everything is a pure function of its arguments: the reference time is always passed
// in, nothing is read or written, and only the standard library is imported. The
// package never predicts: it describes what was reported, says why, and states beside
// the score what the score cannot show (see [Health]).
package engine
