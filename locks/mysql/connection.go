package mysql

import (
	"time"

	"locktorture/locks"
)

// connectionTraits returns what locks declare whose leases end with a connection.
func connectionTraits(wait string) locks.Traits {
	return locks.Traits{
		Wait: wait, Validity: "connection", Model: "lease", Clock: "none: a lease ends with its connection",
		// A server notices at once that a connection is closed; what it has to
		// roll back takes a moment.
		FreeWithin: func(time.Duration) time.Duration { return time.Second },
	}
}
