package timeline

import (
	"time"

	"locktorture/history"
)

// ProbeTakes bounds the time, in ns, from a look at a server to the record of the look. It is
// used where the record does not say when the server was asked.
const ProbeTakes = int64(100 * time.Millisecond)

// AskedAt returns when a probe asked its server. The record of the answer may come later,
// because the harness can be kept from running.
func AskedAt(p *history.Op) int64 {
	if at, ok := p.Began(); ok {
		return at
	}
	return p.Time - ProbeTakes
}

// LeastExpiry returns the earliest end of a lease that is consistent with a probe. The
// recorded expiry counts from the record, but the server may have answered as soon as it was
// asked.
func LeastExpiry(p *history.Op) int64 {
	if p.Expiry() == history.Never {
		return history.Never
	}
	return p.Expiry() - LateBy(p)
}

// LateBy returns how long, in ns, a probe says that its record took; 0 if it does not say.
func LateBy(p *history.Op) int64 {
	if at, ok := p.Began(); ok {
		return p.Time - at
	}
	return 0
}
