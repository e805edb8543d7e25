// Package attempt implements the rule on which every verdict rests: an unanswered request makes the
// call uncertain.
//
// A request that was sent and not answered may still be carried out, at any later time. A call
// of Acquire that has sent such a request must therefore not return locks.ErrNotAcquired,
// whatever the servers answer afterwards. A call that fails without such a request must return
// it, so that the checker may rely on this error. Each service proves in its own way that a
// request changed nothing, so each family of locks brings its own Terms.Certain. This package
// derives the rest:
//
//   - one attempt, and one after the other (Terms.Once, Terms.Spin);
//   - attempts on several servers at once (Rounds), and requests that may be sent again (Insist);
//   - errors that are certain, and errors that are not (Refused, Unanswered, Halfway);
//   - the client's side of a lease: its validity, its loss, its watchdog (Loss, Kept, Keep);
//   - one session at a time, and never again one that was left in doubt (Sessions);
//   - owner values and random pauses that nobody shares (Owner, Rand, Pauses).
package attempt
