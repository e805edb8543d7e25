package checker_test

import (
	"fmt"
	"testing"

	"locktorture/checker"
	"locktorture/checker/invariant"
	"locktorture/history"
)

// lookedAt is a long history of a lock all holders of which were listed at its beginning and,
// where again is true, at its end: between the two nobody answered the prober, so that all
// calls wait for the look that they are compared with.
func lookedAt(n int, again bool) history.History {
	look := func(at int64) history.Op {
		return history.Op{Time: at, Process: history.Harness, Type: history.Info, F: history.Probe, Lock: "L", Node: "n1", UntilMin: at, Holds: []history.Hold{}}
	}
	h := append(history.History{look(1)}, long(n, 10)...)
	if end := h[len(h)-1]; again {
		h = append(h[:len(h)-1], look(end.Time), end)
	}
	return h
}

func BenchmarkHolds(b *testing.B) {
	for _, n := range []int{100_000, 400_000} {
		for _, again := range []bool{false, true} {
			h := lookedAt(n, again)
			o := tokened
			o.Model = "fenced"
			b.Run(fmt.Sprintf("checker=holds/again=%t/ops=%d", again, n), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if r, err := checker.Judge(h, o, invariant.Counter{}); err != nil || r.Grade != checker.Safe {
						b.Fatal(r.Sentence, err)
					}
				}
			})
		}
	}
}
