package timeline

import (
	"time"

	"locktorture/history"
)

// SeenSlack, in ns, allows for the error of an expiry that was seen. A delay between the look and
// its record only makes the expiry later.
const SeenSlack = int64(50 * time.Millisecond)

// Precision counts how exactly servers report an expiry. Seen counts all expiries that were
// seen, and Whole counts those that lay on a whole second.
type Precision struct{ Seen, Whole int }

// add counts the expiries that a probe saw.
func (p *Precision) add(sight *history.Op) {
	if sight.Owner() != "" {
		p.expiry(sight.Expiry(), sight.Time, 5*time.Millisecond)
	}
	for _, h := range sight.Holds {
		// Many holds are seen as soon as they have begun. A remaining time of 5 ms less than a
		// TTL is no whole second, so the tolerance is smaller here.
		p.expiry(h.Until, sight.Time, time.Millisecond/2)
	}
}

// expiry counts an expiry that was recorded at seen, and was read no more than within before
// that.
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

// coarse reports whether servers report whole seconds, as far as is known.
func (p Precision) coarse() bool { return 2*p.Whole >= p.Seen }

// Coarseness returns how far, in ns, an expiry may lie from the one that servers report: a
// second where they report whole seconds, else 0.
func (s *Run) Coarseness() int64 {
	if s.Expiries.coarse() {
		return WholeSecond
	}
	return 0
}

// WholeSecond is the coarsest step, in ns, in which a server reports an expiry (etcd,
// memcached). A smaller change is no renewal. A lease that is renewed again and again moves on
// by more.
const WholeSecond = int64(time.Second)
