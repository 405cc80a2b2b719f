// Package mail sends and fetches mail.
//
// Everything that goes out is first a row of the outbox, once per key; a second call
// with the same key returns the first receipt. A carrier, SMTP or a mail service, then
// takes it; without one the row is the end of it, which is how the product runs until
// an operator configures more. A carrier that is down or busy leaves the mail
// queued, and [Outbox.Flush] tries again, not before the carrier wants it to. What it
// refuses for good has failed, with a sentence on what to put right, and is tried again
// only when somebody sends it again.
//
// What comes in is parsed by [Parse] from RFC 5322 text, or fetched from an IMAP
// mailbox by [Mailbox.Fetch]. It is untrusted: the package decodes it and judges
// nothing.
package mail
