// Package report is the report app: it writes the sections of a report from the
// outputs of an energy model, for analysts who check every number. An outline says
// what each section is for, a run folder brings the charts, and a map says which
// charts belong where; one writer per section drafts from them, and reviewers rate,
// comment, send back or accept.
//
// Figures are worked out in summary, prose is judged in draft, and a section becomes
// final only when a person decides so. The inspect, generate, chart, run-eval and
// compare commands work on files alone; the rest keeps its rows in the app's tables.
package report
