package timeline

import (
	"time"

	"locktorture/history"
)

// probeTakes bounds the time between a look at a server and its record, where the record does
// not say when the server was asked.
const ProbeTakes = int64(100 * time.Millisecond)

// askedAt is when a server was asked that had answered by the time of the probe. Who is kept
// from running records late.
func AskedAt(p *history.Op) int64 {
	if at, ok := p.Began(); ok {
		return at
	}
	return p.Time - ProbeTakes
}

// leastExpiry is the earliest end of a lease that a probe allows: the expiry counts from the
// record, and the server may have answered as soon as it was asked.
func LeastExpiry(p *history.Op) int64 {
	if p.Expiry() == history.Never {
		return history.Never
	}
	return p.Expiry() - LateBy(p)
}

// lateBy is how long a probe says that its record took.
func LateBy(p *history.Op) int64 {
	if at, ok := p.Began(); ok {
		return p.Time - at
	}
	return 0
}
