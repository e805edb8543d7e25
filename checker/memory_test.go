package checker_test

import (
	"runtime"
	"testing"

	"locktorture/checker"
	"locktorture/checker/invariant"
	"locktorture/history"
)

// A seenSource says that an entry was read.
type seenSource struct {
	history.Source
	see func()
}

// Each implements history.Source.
func (s seenSource) Each(do func(*history.Op) error) error {
	return s.Source.Each(func(op *history.Op) error {
		s.see()
		return do(op)
	})
}

// peak is the most memory that is in use while a run is judged, in bytes.
func peak(t *testing.T, n int) uint64 {
	t.Helper()
	most, entries := uint64(0), 0
	o := tokened
	o.Model = "fenced"
	r, err := checker.Judge(seenSource{generated{n, 4}, func() {
		if entries++; entries%50_000 == 0 {
			runtime.GC()
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			most = max(most, m.HeapAlloc)
		}
	}}, o, invariant.Register{})
	if err != nil || r.Grade != checker.Safe || r.Counts.Ops < n {
		t.Fatalf("%s, %d operations: %v", r.Sentence, r.Counts.Ops, err)
	}
	return most
}

// TestMemory: a run of eight times the length is judged in the same memory.
func TestMemory(t *testing.T) {
	const n = 40_000
	brief, lasting := peak(t, n), peak(t, 8*n)
	t.Logf("%d operations: %d kB in use; eight times as many: %d kB", n, brief>>10, lasting>>10)
	if lasting > brief+brief/2 {
		t.Errorf("%d operations take %d kB and eight times as many %d kB", n, brief>>10, lasting>>10)
	}
}
