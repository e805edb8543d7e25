package trial

import (
	"cmp"
	"time"

	"locktorture/checker"
	"locktorture/locks"
)

// The longest times that make sense: they are added to.
const (
	LongestTTL  = 365 * 24 * time.Hour
	longestFree = 8 * LongestTTL
)

// FreeWithin is the time after which a lock whose holder is gone must be free: as was
// asked, else as it declares, else three TTLs. It is bounded, so that it can be added to.
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

// HeldTo are the options by which a run is judged. This is the only place where what a lock
// declares becomes what it is held to.
func (c Config) HeldTo(l Lock) checker.Options {
	t, o := l.Traits, c.Options
	o.Kind, o.Model = t.Kind, cmp.Or(o.Model, t.Model)
	o.Bounded, o.Watched, o.Tokens, o.Expires, o.Fair, o.Reentrant = t.Bounded, t.Watched, t.Token, t.LeastTTL > 0, t.Fair, t.Reentrant
	o.Blind = t.Blind
	o.TTL, o.FreeWithin = c.TTL, FreeWithin(c.FreeWithin, t, c.TTL)
	o.Retry, o.Control = l.Retry, l.Control
	return o
}
