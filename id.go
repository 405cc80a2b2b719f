package dossier

// IDs are opaque. Each kind has its own type so that a RunID cannot be passed
// where a CaseID is wanted.
type (
	// A CaseID names a case: "CASE-1f0a9c3b".
	CaseID string
	// A RunID names a run: "run-…".
	RunID string
	// A StepID names a step: its run and its place in it.
	StepID string
	// An EvidenceID names one entry of a ledger: "ev-…".
	EvidenceID string
	// A FindingID names one finding: "fi-…".
	FindingID string
	// An ApprovalID names one request in the inbox: "ap-…".
	ApprovalID string
)
