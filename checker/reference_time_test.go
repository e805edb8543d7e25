package checker_test

import (
	"slices"
	"time"
)

// covered is how much of from…to lies in one of the times.
func covered(times []refTime, from, to int64) int64 {
	at, near := []int64{from, to}, []refTime{}
	for _, t := range times {
		if t.from < to && t.to > from {
			at, near = append(at, max(t.from, from), min(t.to, to)), append(near, t)
		}
	}
	slices.Sort(at)
	sum := int64(0)
	for i := 1; i < len(at); i++ {
		if slices.ContainsFunc(near, func(t refTime) bool { return t.from <= at[i-1] && t.to >= at[i] }) {
			sum += at[i] - at[i-1]
		}
	}
	return sum
}

func (r *reference) times(match func(f refFault) bool) (out []refTime) {
	for _, f := range r.faults {
		if match(f) {
			out = append(out, refTime{f.from, f.to})
		}
	}
	return out
}

// stopped is for how long a client was stopped.
func (r *reference) stopped(client int, from, to int64) int64 {
	return covered(r.times(func(f refFault) bool { return f.kind == "pause" && f.client == client }), from, to)
}

// idle is for how long a client was stopped, or its messages kept back if that counts, or the
// machine stalled.
func (r *reference) idle(client int, from, to int64, held bool) int64 {
	times := r.times(func(f refFault) bool {
		return f.client == client && (f.kind == "pause" || held && f.kind == "hold")
	})
	return covered(append(times, r.stalls...), from, to)
}

// pace is the longest stall within two seconds before and after.
func (r *reference) pace(from, to int64) int64 {
	longest := 5 * ms
	for _, s := range r.stalls {
		if s.to >= from-int64(2*time.Second) && s.from < to+int64(2*time.Second) {
			longest = max(longest, s.to-s.from)
		}
	}
	return longest
}

// meets reports whether a fault of a kind was in place, or on its way, at some time from…to.
func (r *reference) meets(from, to int64, match func(f refFault) bool) bool {
	hit := func(t refTime) bool { return t.from <= to && t.to >= from }
	return slices.ContainsFunc(r.begun, hit) || slices.ContainsFunc(r.faults, func(f refFault) bool {
		return match(f) && hit(refTime{f.began, f.to})
	})
}
