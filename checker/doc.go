// Package checker judges a history: pure functions from what was recorded to
// a verdict with its evidence. It sees the history and what the run declared
// (Options) and nothing else, so that any run can be judged again later.
//
// # Reading order
//
// Top-down, each step before what it calls:
//
//   - result.go, kinds.go: what a verdict is, and every kind of anomaly with the property that it violates.
//   - check.go: Judge and its steps. bounds.go brings figures from a file within bounds before anything is
//     computed with them.
//   - survey.go, surveycalls.go, faults.go, upsets.go, pace.go, prompt.go: the first reading, which finds what
//     has to be known of the whole history before any moment of it can be judged.
//   - view.go, calls.go, events.go, lease.go, claims.go: the second reading, the fold. It makes calls, leases and
//     accesses of the entries. order.go and tenure.go say who came after whom, and whose name servers kept.
//     settle.go says when a piece of a lock's history is complete, and what later pieces need of it.
//   - rule.go, judge.go: what a rule is, and the list of all rules. Each has a file of its own, which says at its
//     type what the rule finds and what it remembers from one piece to the next.
//   - stores.go, sections.go, invariant.go: what became of what the lock protects. latches.go, neveropen.go:
//     what became of latches.
//   - findings.go: how an anomaly is counted, proved and told. incident.go, chains.go, incidents.go, cause.go:
//     which anomalies belong together.
//   - summary.go, grade.go, blame.go, unseen.go, bites.go, measures.go: from findings to a verdict. expect.go
//     compares it with what was expected.
//
// Package linear decides linearizability; package invariant has what each workload promises.
//
// # Glossary
//
//   - access: an operation on a store, with its answer if there was one.
//   - bite: a fault mattered: somebody met it. A fault that never bit shows nothing.
//   - breaker: who broke exclusion, the lock (it granted against its word) or a holder (it overstayed).
//   - chain: anomalies that hang together, while they are found; then an incident.
//   - due: a lock of which so many entries were read that it is judged at its next quiet moment.
//   - flight: an operation under way while the history is read.
//   - gone, told, end: of a lease. Its holder is no longer there; its holder knows that it holds no longer; the
//     promise is over.
//   - piece: what happened to a lock between two quiet moments.
//   - quiet: nobody holds the lock and nothing is under way but waits, so that what comes later changes nothing before.
//   - settle: to judge a piece and forget what no later one needs.
//   - sight, look: a probe saw in whose name a server keeps a lock.
//   - stall: the machine kept the harness from running. What a lock did not do meanwhile is not its fault.
//   - survey: what the first reading found.
//   - tenure: a time in which servers were seen to keep a lock in the name of one owner.
//   - upset: a time in which a fault was in place, or on its way, that may have struck a client.
//   - view: the second reading in progress, the fold.
//   - rule: looks for one kind of anomaly, or for a few that have the same evidence, in the pieces of a lock.
//   - wait: an acquire or a try, however it ended.
//   - witness: the operations that prove an anomaly.
package checker
