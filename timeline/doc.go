// Package timeline says who held what, and when, from a history alone. It is the only place that
// folds entries into calls and leases: verdicts, drawings, exports and the cursor of a page are made
// of what it says. It judges nothing.
//
// A history is read twice, and never held. The first reading is Survey. What an entry means can
// depend on a later one: whether a call is ever answered, when a client died, until when a fault
// was in place. A Run has just that, in memory that grows with faults and processes and not with
// operations. The second reading is Read. It puts each lock together again and gives its
// followers one Piece after the other.
//
// # Reading order
//
//   - options.go, bounds.go: what a run declares about itself, and the bounds of its figures.
//   - survey.go, surveycalls.go, faults.go, upsets.go, pace.go, prompt.go, precision.go, askedat.go: the
//     first reading, and the questions that a Run answers: which faults were in place, for how long the
//     machine stalled, how exactly servers tell an expiry.
//   - fold.go, events.go, calls.go: the second reading. Entries become calls, leases and accesses to stores.
//   - lease.go, leaseends.go, claims.go, reentries.go, upgrades.go, notice.go: what a lease promises, and
//     when its promise ends.
//   - order.go, tenure.go: who came after whom, and in whose name servers kept the lock.
//   - settle.go, piece.go: when a piece of a lock's history is complete, and what later pieces need of it.
//   - live.go: the same fold over a history that is still being written.
//   - walk.go: the fold entry by entry, for those who draw or export a history.
//   - words.go: how calls and leases are named in sentences.
//
// # Glossary
//
//   - access: an operation on a store, with its answer if there was one.
//   - call: an acquire or a try, however it ended.
//   - due: a lock of which so many entries were read that it is judged at its next quiet moment.
//   - flight: an operation under way while the history is read.
//   - gone, told, end: of a lease. Its holder is no longer there; its holder knows that it holds no longer; the
//     promise is over.
//   - piece: what happened to a lock between two quiet moments.
//   - quiet: nobody holds the lock and nothing is under way but waits, so that what comes later changes nothing before.
//   - run: what the first reading found of the whole history.
//   - settle: to hand a piece to the followers and forget what no later one needs.
//   - sight, look: a probe saw in whose name a server keeps a lock.
//   - stall: the machine kept the harness from running. What a lock did not do meanwhile is not its fault.
//   - tenure: a time in which servers were seen to keep a lock in the name of one owner.
//   - upset: a time in which a fault was in place, or on its way, that may have struck a client.
//
// # Guarantees
//
// All times are nanoseconds since the start of the run. Claims against a lock rest on the earliest
// possible end of a promise, claims against a holder on the latest. Where the pieces of a history
// are cut makes no difference to what can be said of them: a cut is made only where nobody holds
// the lock and nothing but waits is under way.
package timeline
