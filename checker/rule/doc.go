// Package rule finds anomalies in the history of a lock. There is one type for each kind of
// anomaly, or for a few kinds that have the same evidence, in a file of its own. The comment
// of the type says what the rule finds and what it remembers from one piece to the next.
// rows.go lists the kinds with their rules.
//
// # Reading order
//
//   - rule.go, rows.go, locks.go: what a rule is, the list of all rules, and how they are
//     asked.
//   - Exclusion: doublegrant.go, overcapacity.go, election.go, latenotice.go, voidgrant.go, falsevalidity.go,
//     overrun.go. Where servers list all who hold a lock, holds.go compares the looks for partial.go,
//     extended.go, holdended.go and holdleft.go.
//   - Fencing: tokens.go, stale.go, lockout.go; reentry.go has the rules of re-entries.
//   - Ownership: foreign.go.
//   - Liveness: deadlock.go, with invain.go, vain.go, servedlast.go and upgrade.go; starved.go, unfair.go,
//     orphan.go, immortal.go.
//   - Linearizability: linearize.go, with linearlocks.go, linearelection.go and explain.go; disagree.go.
//   - Where clients meet: latches.go, neveropen.go, barriers.go, standstill.go, meetings.go.
//   - live.go: the two rules that can be asked while a run goes on.
//   - bites.go, measures.go: which faults were effective, and what is only measured and not
//     judged.
//
// # Guarantees
//
// A rule sees each piece of a lock once, in order. What it finds does not depend on where the pieces
// are cut, and its memory does not grow with the history. A rule accuses a lock only on the earliest
// possible end of a promise, and a holder only on the latest.
package rule
