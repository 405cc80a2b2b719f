// Package replies reads what riders write back and puts it into one of four buckets.
//
// A reply is untrusted text. [Clean] takes off what a mail programme adds and leaves
// what the rider wrote; [Redact] takes out names, addresses and telephone numbers
// before anything else sees it; [Classify] decides by the rules of rules.go and says
// which phrases decided. Whatever a reply says, the result is a bucket and nothing
// else: no text in it can name a tool, a case or another rider to act on.
//
// Doubt goes to a person: a dispute wins over everything, text that addresses the
// system instead of the programme is a dispute of its own kind, and what no rule
// knows is an escalation.
package replies
