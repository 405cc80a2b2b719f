// Package counter is what a rider can set against the records: a link of one's own, and
// the evidence that comes of what is sent through it.
//
// A link names one thread and is signed, so that nobody can make one, and shows and
// changes nothing else. What is sent becomes evidence that supersedes the facts about
// the rider which it contradicts; questions that rest on those are void by that. The
// package keeps nothing and decides nothing.
package counter
