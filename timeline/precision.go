package timeline

import (
	"time"

	"locktorture/history"
)

// seenSlack allows for the error of an expiry that was seen. A delay between
// the look and its record only makes the expiry later.
const SeenSlack = int64(50 * time.Millisecond)

// precision is what the sights of a run tell of how exactly servers tell an
// expiry.
type Precision struct{ Seen, Whole int }

func (p *Precision) add(sight *history.Op) {
	if sight.Owner() != "" {
		p.expiry(sight.Expiry(), sight.Time, 5*time.Millisecond)
	}
	for _, h := range sight.Holds {
		p.expiry(h.Until, sight.Time, time.Millisecond/2) // many are seen as soon as they have begun: 5 ms less than a TTL is no whole second
	}
}

// expiry counts an expiry that was told so long, at most, before it was recorded.
func (p *Precision) expiry(until, seen int64, within time.Duration) {
	if until == history.Never {
		return
	}
	jitter := int64(within)
	p.Seen++
	if left := (until - seen + jitter) % WholeSecond; left >= 0 && left < 2*jitter {
		p.Whole++
	}
}

// coarse reports whether servers tell whole seconds, as far as is known.
func (p Precision) coarse() bool { return 2*p.Whole >= p.Seen }

// coarseness is how far an expiry may lie from the one that servers tell.
func (s *Run) Coarseness() int64 {
	if s.Expiries.coarse() {
		return WholeSecond
	}
	return 0
}

// wholeSecond is the coarsest step in which a server tells an expiry (etcd,
// memcached): a change of less is no renewal. One that goes on exceeds it.
const WholeSecond = int64(time.Second)
