package redlock

import (
	"time"

	"locktorture/locks"
)

// NewNoCheck returns a mutant of Redlock: it ignores the time that its requests took, and declares
// its validity as a TTL from the replies.
//
// Source: antirez points to the missing step in "Is Redlock safe?". Everything else, and the
// missing promises, are as in Redlock; in addition, a grant may be over before its holder receives
// it.
func NewNoCheck(cfg Config) *Redlock {
	r := New(cfg)
	r.check = func(c Config, _, replied time.Time) (time.Time, error) { return replied.Add(c.TTL), nil }
	return r
}

// NoCheckTraits returns the traits of the mutant.
func NoCheckTraits() locks.Traits {
	t := Traits()
	t.Validity = "reply + TTL"
	return t
}
