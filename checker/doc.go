// Package checker judges a history: pure functions from what was recorded to
// a verdict with its evidence. It sees the history and what the run declared
// (Options) and nothing else, so that any run can be judged again later.
//
// # Reading order
//
// Top-down, each step before what it calls:
//
//   - result.go, kinds.go: what a verdict is, and every kind of anomaly with the property that it violates.
//   - check.go: Judge and its steps. Package timeline reads the history, twice, and folds it into pieces.
//   - rule.go, judge.go: what a rule is, and the list of all rules. Each has a file of its own, which says at its
//     type what the rule finds and what it remembers from one piece to the next.
//   - stores.go, sections.go, invariant.go: what became of what the lock protects. latches.go, neveropen.go:
//     what became of latches.
//   - Package incident: how an anomaly is counted and proved, and which anomalies belong together.
//   - summary.go, grade.go, blame.go, unseen.go, bites.go, measures.go: from findings to a verdict. expect.go
//     compares it with what was expected.
//
// Package linear decides linearizability; package invariant has what each workload promises.
//
// # Glossary
//
//   - bite: a fault mattered: somebody met it. A fault that never bit shows nothing.
//   - breaker: who broke exclusion, the lock (it granted against its word) or a holder (it overstayed).
//   - chain: anomalies that hang together, while they are found; then an incident.
//   - rule: looks for one kind of anomaly, or for a few that have the same evidence, in the pieces of a lock.
//   - witness: the operations that prove an anomaly.
//
// The words of what happened, such as piece and tenure, stand in package timeline.
package checker
