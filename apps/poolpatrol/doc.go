// Package poolpatrol audits a vanpool programme: may the riders of a van share it, and
// if not, what becomes of it?
//
// One case is one van. The case manager has two specialists look at it at the same
// time, each on one check:
//
//	shift      can the riders travel together on enough of their working days?
//	location   does every rider live near enough to the pickup point?
//
// The answers are made by rules (package engine), never by a model. If both pass, the
// van is verified and no case remains. Otherwise the outreach agent writes to the
// riders concerned, and to nobody else. A reply is put into one of four buckets
// (package replies): a change or a confirmation leads to a new audit, a question to an
// answer, and a dispute to a draft that a coordinator approves, edits or rejects. A
// week of silence, or the third audit that still fails, leads to a request to cancel
// the membership, which a coordinator always decides.
//
// Everything that waits is a row with a due date: the silence of a week, the reminder
// on the fifth business day, the approval. The app never removes a rider, and never
// answers a dispute, unless a person has agreed to exactly that.
//
// Adding a check is adding a specialist to the list in package patrol: the case manager calls
// whatever specialists it is offered.
package poolpatrol
