// Package timeline derives who held what, and when, from a history alone. It is the only place
// that folds entries into calls and leases: verdicts, drawings, exports and the cursor of a
// page all build on its results. It judges nothing.
//
// A history is read twice, and never held. The first reading is Survey. What an entry means can
// depend on a later one: whether a call is ever answered, when a client died, until when a fault
// was in place. A Run holds exactly these facts, in memory that grows with faults and
// processes and not with operations. The second reading is Read. It rebuilds the history of
// each lock and gives its followers one Piece after the other.
//
// # Reading order
//
//   - options.go, bounds.go: what a run declares about itself, and the bounds of its figures.
//   - survey.go, surveycalls.go, faults.go, upsets.go, pace.go, prompt.go, precision.go, askedat.go: the
//     first reading, and the questions that a Run answers: which faults were in place, for how long the
//     machine stalled, how exactly servers report an expiry.
//   - fold.go, events.go, calls.go: the second reading. Entries become calls, leases and accesses to stores.
//   - lease.go, leaseends.go, claims.go, reentries.go, upgrades.go, notice.go: what a lease promises, and
//     when its promise ends.
//   - order.go, tenure.go: which grant followed which, and in whose name servers kept the
//     lock.
//   - settle.go, piece.go: when a piece of a lock's history is complete, and what later pieces need of it.
//   - live.go: the same fold over a history that is still being written.
//   - walk.go: the fold entry by entry, for packages that draw or export a history.
//   - words.go: how calls and leases are named in sentences.
//
// # Glossary
//
//   - access: an operation on a store, with its answer if there was one.
//   - call: an acquire or a try, however it ended.
//   - due: a lock is due when so many of its entries were read that its piece is cut at its
//     next quiet moment.
//   - flight: an operation under way while the history is read.
//   - gone, told, end: three times of a lease. From gone on, its holder is no longer there.
//     From told on, its holder knows that it no longer holds the lock. At its end, the promise
//     is over.
//   - piece: what happened to a lock between two quiet moments.
//   - quiet: nobody holds the lock and nothing is under way but waits, so later entries cannot
//     change the meaning of earlier ones.
//   - run: what the first reading found out about the whole history.
//   - settle: to hand a piece to the followers and forget what no later piece needs.
//   - sight, look: a probe saw in whose name a server keeps the lock.
//   - stall: the machine kept the harness from running. What a lock did not do meanwhile is not its fault.
//   - tenure: a time in which servers were seen to keep a lock in the name of one owner.
//   - upset: a time in which a fault was in place, or on its way, that may have struck a client.
//
// # Guarantees
//
// All times are nanoseconds since the start of the run. Claims against a lock rest on the earliest
// possible end of a promise, claims against a holder on the latest. It makes no difference to
// any result where the pieces of a history are cut: a cut is made only where nobody holds the
// lock and nothing but waits is under way.
package timeline
