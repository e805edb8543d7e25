package timeline

import (
	"time"

	"locktorture/history"
)

// SeenSlack, in ns, allows for the error of an expiry that was seen. A delay between the look and
// its record only makes the expiry later.
const SeenSlack = int64(50 * time.Millisecond)

// Precision counts how exactly servers tell an expiry: Seen expiries in all, and Whole of them that
// lay on a whole second.
type Precision struct{ Seen, Whole int }

// add counts the expiries that a probe saw.
func (p *Precision) add(sight *history.Op) {
	if sight.Owner() != "" {
		p.expiry(sight.Expiry(), sight.Time, 5*time.Millisecond)
	}
	for _, h := range sight.Holds {
		p.expiry(h.Until, sight.Time, time.Millisecond/2) // many are seen as soon as they have begun: 5 ms less than a TTL is no whole second
	}
}

// expiry counts an expiry that was read at most within before it was recorded.
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

// Coarseness returns how far, in ns, an expiry may lie from the one that servers tell: a second
// where they tell whole seconds, else 0.
func (s *Run) Coarseness() int64 {
	if s.Expiries.coarse() {
		return WholeSecond
	}
	return 0
}

// WholeSecond is the coarsest step, in ns, in which a server tells an expiry (etcd, memcached). A
// change by less is no renewal; a lease that is renewed again and again exceeds it.
const WholeSecond = int64(time.Second)
