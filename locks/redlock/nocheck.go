package redlock

import (
	"time"

	"locktorture/locks"
)

// NewNoCheck returns a mutant of Redlock: it does not look at the time that its
// requests took, and declares itself valid for a TTL from the replies.
//
// Source: the step that is missing is the one to which antirez points in "Is
// Redlock safe?". All else, and what is not promised, is as in Redlock; on top of
// that a grant may be over before its holder hears of it.
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
