package timeline

import (
	"time"

	"locktorture/history"
)

// ProbeTakes bounds the time, in ns, from a look at a server to its record, where the record does
// not say when the server was asked.
const ProbeTakes = int64(100 * time.Millisecond)

// AskedAt returns when the server was asked that a probe is about. The answer may be recorded late:
// the harness can be kept from running.
func AskedAt(p *history.Op) int64 {
	if at, ok := p.Began(); ok {
		return at
	}
	return p.Time - ProbeTakes
}

// LeastExpiry returns the earliest end of a lease that a probe allows. The expiry counts from the
// record, and the server may have answered as soon as it was asked.
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
