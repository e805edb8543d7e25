package locks

import "context"

// A Latch is a client of count-down latches. A latch opens when as many different parties have
// counted down as its count requires. It then stays open, and later callers pass at once. A
// count-down is no lease: nobody holds anything afterwards, there is nothing to release, and the
// death of a client takes nothing back.
//
// An error that wraps ErrNotAcquired is certain: the call has changed nothing, and never will.
type Latch interface {
	// SetCount creates a closed latch with a name for the given number of parties. It must precede
	// every other call for that name; repeating it changes nothing as long as the latch is closed.
	// After an error that is not certain the latch may exist or not, and the caller must repeat the
	// call.
	SetCount(ctx context.Context, name string, count int) error
	// CountDown counts a party down. A party counts once, however often it calls, so a caller
	// without an answer may repeat the call. After an error that is not certain the party may have
	// been counted, or may be counted later.
	CountDown(ctx context.Context, name, party string) error
	// Await returns nil when the latch is open. After an error the caller has not passed, and
	// nothing has changed.
	Await(ctx context.Context, name string) error
}

// A Barrier is a client of double barriers, at which the same number of parties meet again and
// again.
type Barrier interface {
	// Enter waits until the given number of clients have called it, and then lets all of them in.
	// It returns the errors of Acquire. A caller whose ctx ends may have been counted already, and
	// the others go on without it: then the outcome is unknown. All clients of a name must pass the
	// same number.
	//
	// Release of the lease leaves. It returns when all parties that entered together have called it
	// or are dead. A party is dead when its client's session is over.
	Enter(ctx context.Context, name string, parties int) (Lease, error)
}
