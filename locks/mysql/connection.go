package mysql

import (
	"time"

	"locktorture/locks"
)

// connectionTraits returns the traits of locks whose leases end with a connection.
func connectionTraits(wait string) locks.Traits {
	return locks.Traits{
		Wait: wait, Validity: "connection", Model: "lease", Clock: "none: a lease ends with its connection",
		// A server notices a closed connection at once. It then needs a moment to roll back
		// the transaction.
		FreeWithin: func(time.Duration) time.Duration { return time.Second },
	}
}
