package storetest

import (
	"testing"

	"dossier/internal/store"
)

// Run checks that a store behaves as the rest of the product expects. open returns a
// fresh one for each part.
func Run(t *testing.T, open func(t testing.TB) (*store.Store, *Clock)) {
	t.Helper()
	for name, test := range map[string]func(*testing.T, *store.Store, *Clock){
		"cases":                      testCases,
		"cases/list":                 testListCases,
		"record":                     testRecord,
		"record/refuses":             testRecordRefuses,
		"record/of another case":     testMoveOfAnotherCase,
		"record/one wins":            testRecordSameStepAtOnce,
		"record/acts":                testActs,
		"record/wake is not lost":    testWakeIsNotLost,
		"record/evidence voids":      testEvidenceVoidsApproval,
		"record/driven":              testDrivenRunsAreNotQueued,
		"cases/preliminary facts":    testPreliminaryFacts,
		"transactions":               testWithin,
		"transactions/nested":        testNestedQueries,
		"runs/list":                  testListRuns,
		"runs/spent":                 testSpent,
		"approvals/settle once":      testSettleOnce,
		"approvals/quorum":           testQuorum,
		"approvals/deadlines":        testDeadlines,
		"approvals/doubt":            testDoubt,
		"events":                     testEventsAreNeverMissed,
		"due":                        testDue,
		"ledger/checkpoints":         testCheckpoints,
		"people/users":               testUsers,
		"people/sessions and tokens": testSessions,
		"people/links and attempts":  testLinks,
		"requests":                   testRequests,
		"webhooks":                   testWebhooks,
		"evals":                      testEvals,
		"settings":                   testSettings,
		"notices":                    testNotices,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, c := open(t)
			test(t, s, c)
		})
	}
}
