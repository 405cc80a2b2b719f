// Package engine answers the two checks of a vanpool audit: do the riders' shifts
// fit together, and do the riders live near enough to the pickup point?
//
// Both answers are pure functions of facts: [JudgeShifts] of what riders work and
// when they are away, [JudgeDistances] of where they live. The facts are the data of
// evidence, field for field, so [RecheckShifts] and [RecheckDistances] can make a
// finding again years later from the evidence it cites.
//
// The package looks nothing up and keeps no clock. How it decides is written at
// [JudgeShifts] and [JudgeDistances]; a changed formula is a new rule version beside
// the old one.
package engine
