package timeline

import (
	"slices"
	"time"

	"locktorture/history"
)

// Values that are read from a file or a flag are clamped to these bounds before anything is
// computed with them, so that no sum and no difference of a few values overflows an int64. A
// later time counts as the latest, and a longer duration as the longest. A run of 73 years
// therefore looks the same as a longer one.
const (
	latest       = int64(1) << 61         // ns since the start of the run, or since 1970: the year 2043
	longest      = time.Duration(1) << 58 // the longest TTL or FreeWithin: nine years
	longestRetry = time.Duration(1) << 52 // 52 days; hundreds of them are added up
)

// Bounded returns a history and the options of its run, both clamped to the bounds.
func Bounded(src history.Source, o Options) (history.Source, Options) {
	return boundedSource{src}, o.bounded()
}

// A boundedSource is a history whose times are clamped to the bounds.
type boundedSource struct{ src history.Source }

// Each passes on an entry within the bounds as it is, and a clamped copy of any other entry.
func (s boundedSource) Each(f func(*history.Op) error) error {
	return s.src.Each(func(op *history.Op) error {
		at, from, to := min(max(op.Time, 0), latest), until(op.UntilMin), until(op.UntilMax)
		far := slices.ContainsFunc(op.Holds, func(h history.Hold) bool { return until(h.Until) != h.Until })
		if at != op.Time || from != op.UntilMin || to != op.UntilMax || far {
			clone := *op
			clone.Time, clone.UntilMin, clone.UntilMax = at, from, to
			clone.Holds = slices.Clone(op.Holds)
			for i := range clone.Holds {
				clone.Holds[i].Until = until(clone.Holds[i].Until)
			}
			op = &clone
		}
		return f(op)
	})
}

// until returns the end of a validity within the bounds; an end that lies beyond them never comes.
func until(t int64) int64 {
	if t > latest {
		return history.Never
	}
	return max(t, 0)
}
