package ledger

import (
	"slices"
	"testing"

	"locktorture/history"
)

// TestFreed measures from the death of a holder to the next grant of its lock, and of nobody else.
func TestFreed(t *testing.T) {
	granted := func(lock string, ms int64, client int, lease int64) history.Op {
		return history.Op{Time: ms * millisecond, Client: client, Type: history.OK, F: history.Acquire, Lock: lock, Lease: lease}
	}
	grant := func(ms int64, client int, lease int64) history.Op { return granted("l", ms, client, lease) }
	release := func(ms int64, client int, lease int64) history.Op {
		return history.Op{Time: ms * millisecond, Client: client, Type: history.Invoke, F: history.Release, Lock: "l", Lease: lease}
	}
	crash := func(ms, began int64, client int) history.Op {
		return history.Op{Time: ms * millisecond, UntilMin: began * millisecond, Client: client, Type: history.Info, F: history.Crash}
	}
	end := func(ms int64) history.Op {
		return history.Op{Time: ms * millisecond, Type: history.Info, F: history.End}
	}
	for name, tt := range map[string]struct {
		ops  []history.Op
		want []int64
	}{
		"a holder":              {[]history.Op{grant(10, 1, 1), crash(105, 100, 1), grant(950, 2, 2), end(999)}, []int64{850}},
		"somebody else":         {[]history.Op{grant(10, 1, 1), crash(105, 100, 2), grant(950, 3, 2)}, nil},
		"after the release":     {[]history.Op{grant(10, 1, 1), release(20, 1, 1), crash(105, 100, 1), grant(950, 2, 2)}, nil},
		"one who was overtaken": {[]history.Op{grant(10, 1, 1), grant(20, 2, 2), crash(105, 100, 1), release(200, 2, 2), grant(950, 3, 3)}, nil},
		"never again":           {[]history.Op{grant(10, 1, 1), crash(105, 100, 1), end(2100)}, []int64{2000}},
		"the end came soon":     {[]history.Op{grant(10, 1, 1), crash(105, 100, 1), grant(950, 2, 2), crash(1000, 1000, 2), end(1100)}, []int64{850}},
		"several, in one order": {[]history.Op{granted("d", 10, 1, 1), granted("b", 10, 2, 2), granted("a", 10, 3, 3), granted("c", 10, 4, 4),
			crash(100, 100, 1), crash(200, 200, 2), crash(300, 300, 3), crash(400, 400, 4), end(1400)}, []int64{1100, 1200, 1000, 1300}},
		"and where that is the most": {[]history.Op{grant(10, 1, 1), crash(105, 100, 1), grant(950, 2, 2), crash(1000, 1000, 2), end(2000)}, []int64{850, 1000}},
	} {
		m := &measuring{held: map[int64]holding{}, down: map[string]int64{}}
		for _, op := range tt.ops {
			m.add(&op)
		}
		if !slices.Equal(m.Freed, tt.want) {
			t.Errorf("%s dies: %v ms, want %v", name, m.Freed, tt.want)
		}
	}
}
