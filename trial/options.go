package trial

import (
	"cmp"
	"time"

	"locktorture/checker"
	"locktorture/locks"
)

// The longest durations that are accepted, so that sums of them do not overflow.
const (
	LongestTTL  = 365 * 24 * time.Hour
	longestFree = 8 * LongestTTL
)

// FreeWithin returns the time after which the lock of a vanished holder must be free: the
// requested time, else the declared one, else three TTLs. It is bounded, so that sums do not
// overflow.
func FreeWithin(asked time.Duration, t locks.Traits, ttl time.Duration) time.Duration {
	free := 3 * ttl
	switch {
	case asked > 0:
		free = asked
	case t.FreeWithin != nil:
		free = t.FreeWithin(ttl)
	}
	return min(free, longestFree)
}

// HeldTo returns the options by which a run is judged. It is the only place where a lock's
// declared traits become requirements.
func (c Config) HeldTo(l Lock) checker.Options {
	t, o := l.Traits, c.Options
	o.Kind, o.Model = t.Kind, cmp.Or(o.Model, t.Model)
	o.Bounded, o.Watched, o.Tokens, o.Expires, o.Fair, o.Reentrant = t.Bounded, t.Watched, t.Token, t.LeastTTL > 0, t.Fair, t.Reentrant
	o.Blind = t.Blind
	o.TTL, o.FreeWithin = c.TTL, FreeWithin(c.FreeWithin, t, c.TTL)
	o.Retry, o.Control = l.Retry, l.Control
	return o
}
