// Package checker judges a history: pure functions from what was recorded to
// a verdict with its evidence. It sees the history and what the run declared
// (Options) and nothing else, so that any run can be judged again later.
//
// # Reading order
//
// Top-down, each step before what it calls:
//
//   - result.go: what a verdict is.
//   - judge.go: Judge and its steps. Package timeline reads the history, twice, and folds it into pieces.
//   - Package rule: every kind of anomaly with the property that it violates, and the rules that find it in the
//     pieces of a lock, or among the calls for a latch.
//   - stores.go, sections.go, linearkeys.go, invariant.go: what became of the data that the
//     lock protects.
//   - Package incident: how an anomaly is counted and proved, and which anomalies belong together.
//   - summary.go, grade.go, blame.go, unseen.go, coverage.go: from findings to a verdict. expect.go compares it
//     with what was expected.
//   - watch.go, watchlocks.go: the rules that can be asked while a run goes on.
//
// Package linear decides linearizability; package invariant has what each workload promises.
//
// # Glossary
//
//   - bite: a fault bites if it matters because somebody meets it. A fault that never bit
//     shows nothing.
//   - breaker: who broke exclusion, the lock (it granted against its word) or a holder (it overstayed).
//   - chain: anomalies that belong together, while they are being found. When all are found, a
//     chain is an incident.
//   - witness: the operations that prove an anomaly.
//
// The glossary of package timeline explains the words for what happened, such as piece and
// tenure.
package checker
