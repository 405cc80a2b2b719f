// Package faith checks that prose states only numbers that evidence or a declared
// computation holds. A caller collects [Facts] from evidence, declares what it
// computed from them, and calls [Check]; the [Report] resolves every numeral of the
// text to the place it came from, or says at which byte it stands and what is wrong.
//
// A numeral resolves when a fact, converted to the numeral's unit and rounded
// half-even to the numeral's own precision, gives exactly the digits written. A
// truncated digit, another unit, a lost sign, "fell" for a rise, and a number said of
// another scenario than it belongs to are all refused, each with its own sentence.
// Dates, times and ids are recognised as such and must occur in the evidence.
//
// With [Facts.Claims] it also judges what is said of numbers in words: ranks ("the
// largest"), multiples ("doubles"), fractions ("more than half") and counts.
//
// The package reads nothing and asks no model. It does not judge comparisons without
// any number ("A falls faster than B") nor words that claim no quantity.
package faith
