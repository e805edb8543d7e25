package locks

import "context"

// A Latch is a client of count-down latches. A latch opens once, when as many parties have
// counted down as it was set to, and stays open: who comes later passes at once. A count-down
// is no lease. Nobody holds anything afterwards, there is nothing to release, and the death of
// a client takes nothing back.
//
// An error that wraps ErrNotAcquired is certain: nothing was done, and nothing will be by this
// call.
type Latch interface {
	// SetCount makes the latch of a name, closed, for so many parties. It comes before every
	// other call of that name; the same again changes nothing as long as the latch is closed.
	// After an error that is not certain the latch may be there or not, and the call is to be
	// repeated.
	SetCount(ctx context.Context, name string, count int) error
	// CountDown counts a party down. A party counts once, however often it calls: whoever got
	// no answer may ask again. After an error that is not certain it may have been counted,
	// and may still be.
	CountDown(ctx context.Context, name, party string) error
	// Await returns nil when the latch is open. With an error the caller has not passed, and
	// nothing was changed.
	Await(ctx context.Context, name string) error
}

// A Barrier is a client of double barriers, at which the same parties meet again and again.
type Barrier interface {
	// Enter waits until as many clients as there are parties have called it, and all of them
	// go on; errors as of Acquire. A caller that gives up may have been counted already, and
	// the others go on without it: then the outcome is unknown. All clients of a name give the
	// same number.
	//
	// Release of the lease leaves. It returns when all who entered together have called it, or
	// are gone. A party whose client dies is gone when its session is over.
	Enter(ctx context.Context, name string, parties int) (Lease, error)
}
