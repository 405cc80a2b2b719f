// Package dossier defines the words the product is written in: cases, evidence,
// findings, runs, steps, approvals and the people who act on them.
//
// It holds only what two or more packages must agree on, and only what needs no
// I/O: types, the transitions between their states, and the evidence chain. It
// imports the standard library and nothing else. Types that belong to one app
// (a vanpool, a fire) live in that app.
package dossier
