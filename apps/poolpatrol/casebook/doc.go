// Package casebook keeps what the programme knows about a case beyond the core's
// record: why it was opened, how often the van was looked at again, and the mail with
// each rider.
//
// A case has one thread per rider concerned, so that nobody ever reads what was
// written to somebody else. [Book] is the tables; a method is one statement or one
// transaction, and joins the caller's if there is one. The package sends nothing and
// decides nothing.
package casebook
