package invariant_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"locktorture/checker"
	"locktorture/checker/invariant"
	"locktorture/history"
)

// A handed is an operation of a process on the pool L, or on a connection of a pool; process 0
// is the initial state.
type handed struct {
	process int
	key     string
}

// hands are operations on pools of two. Each process has one lease of each semaphore: ten
// times its number and so many as the name of the semaphore has letters.
func hands(list []handed) (ops []history.Op) {
	for i, h := range append([]handed{{0, "L/capacity"}, {0, "M/capacity"}}, list...) {
		lock, _, _ := strings.Cut(h.key, "/")
		op := applies([]applied{{int64(h.process), w, h.key, "2"}})[0]
		op.Lock, op.Key, op.Time, op.Apply = lock, h.key, int64(i+1)*ms, int64(i+1)
		if h.process > 0 {
			op.Lease = int64(10*h.process + len(lock))
		}
		ops = append(ops, op)
	}
	return ops
}

func TestPool(t *testing.T) {
	shared, many := map[string]int{"shared-connection": 1}, map[string]int{"too-many-at-work": 1}
	for _, tt := range []struct {
		name string
		list []handed
		want map[string]int
		loss checker.Loss
	}{
		{"one after the other", []handed{{1, "L-c1/taken"}, {1, "L-c1/returned"}, {2, "L-c1/taken"}, {1, "L/done"}, {2, "L-c1/returned"}, {2, "L/done"}}, nil, checker.Loss{Of: 2}},
		{"taken just before it was returned", []handed{{1, "L-c1/taken"}, {2, "L-c1/taken"}, {1, "L-c1/returned"}, {2, "L-c1/returned"}, {1, "L/done"}, {2, "L/done"}}, shared, checker.Loss{Lost: 1, Of: 2}},
		{"the second returns it first", []handed{{1, "L-c1/taken"}, {2, "L-c1/taken"}, {2, "L-c1/returned"}, {1, "L-c1/returned"}}, shared, checker.Loss{Lost: 1, Of: 2}},
		{"one that died had it", []handed{{1, "L-c1/taken"}, {2, "L-c1/taken"}, {2, "L-c1/returned"}, {2, "L/done"}}, nil, checker.Loss{Of: 1}},
		{"one that died took it", []handed{{1, "L-c1/taken"}, {2, "L-c1/taken"}, {1, "L-c1/returned"}}, shared, checker.Loss{Lost: 1, Of: 1}},
		{"two of a pool of two", []handed{{1, "L-c1/taken"}, {2, "L-c2/taken"}, {1, "L-c1/returned"}, {2, "L-c2/returned"}, {1, "L/done"}, {2, "L/done"}}, nil, checker.Loss{Of: 2}},
		{"three of it", []handed{{1, "L-c1/taken"}, {2, "L-c2/taken"}, {3, "L-c3/taken"}, {1, "L/done"}, {2, "L/done"}, {3, "L/done"}}, many, checker.Loss{}},
		{"the third when one was done", []handed{{1, "L-c1/taken"}, {2, "L-c2/taken"}, {1, "L/done"}, {3, "L-c3/taken"}, {2, "L/done"}, {3, "L/done"}}, nil, checker.Loss{}},
		{"three, one of which died", []handed{{1, "L-c1/taken"}, {2, "L-c2/taken"}, {3, "L-c3/taken"}, {1, "L/done"}, {3, "L/done"}}, nil, checker.Loss{}},
		{"one was cut off, and had another before it died", []handed{{1, "L-c1/taken"}, {2, "L-c2/taken"}, {1, "L-c1/taken"}, {3, "L-c3/taken"}, {2, "L/done"}, {3, "L/done"}}, nil, checker.Loss{}},
		{"three of two pools", []handed{{1, "L-c1/taken"}, {2, "M-c2/taken"}, {3, "L-c3/taken"}, {1, "L/done"}, {2, "M/done"}, {3, "L/done"}}, nil, checker.Loss{}},
		{"three of one, and one of another", []handed{{4, "M-c1/taken"}, {1, "L-c1/taken"}, {2, "L-c2/taken"}, {3, "L-c3/taken"}, {4, "M/done"}, {1, "L/done"}, {2, "L/done"}, {3, "L/done"}}, many, checker.Loss{}},
		{"done with nothing", []handed{{1, "L/done"}, {1, "L-c1/returned"}}, nil, checker.Loss{Of: 1}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			found, loss := checker.Replayed(invariant.Pool{}, hands(tt.list))
			got := map[string]int{}
			for _, a := range found {
				got[a.Kind]++
				t.Log(a.Sentence)
			}
			if tt.want == nil {
				tt.want = map[string]int{}
			}
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Error(d)
			}
			if tt.loss.Unit = "connections"; tt.want["too-many-at-work"] > 0 {
				tt.loss.Note = "sections beyond the permitted number: 1"
			}
			if loss != tt.loss {
				t.Errorf("loss %+v, want %+v", loss, tt.loss)
			}
		})
	}
}

// TestPoolSentences: who had a connection, and what was taken on top.
func TestPoolSentences(t *testing.T) {
	found, _ := checker.Replayed(invariant.Pool{}, hands([]handed{{1, "L-c1/taken"}, {2, "L-c1/taken"}, {3, "L-c2/taken"}, {1, "L-c1/returned"}, {1, "L/done"}, {2, "L/done"}, {3, "L/done"}}))
	want := []string{
		"c1 (lease 14) had connection L-c1 until 0.006 s (apply 6), but c2 (lease 24) had taken the same connection at 0.004 s (apply 4)",
		"c3 (lease 34) began work at 0.005 s (apply 5) while others were at work: together they had 3 permits, but there are only 2. This section ended at 0.009 s (apply 9)",
	}
	for i, a := range found {
		if i < len(want) && a.Sentence != want[i] {
			t.Errorf("%q\nwant %q", a.Sentence, want[i])
		}
	}
	if len(found) != 2 || found[0].Lock != "L-c1" || found[1].Lock != "L" {
		t.Errorf("%+v", found)
	}
}

// TestPoolForgets: a connection whose lease is over before it was returned never is, and those
// beside it are judged without it.
func TestPoolForgets(t *testing.T) {
	replay := invariant.Pool{}.Begin()
	found := 0
	list := hands([]handed{{1, "L-c1/taken"}, {2, "L-c2/taken"}, {3, "L-c3/taken"}, {2, "L/done"}, {3, "L/done"}, {1, "L/done"}})
	for i := range list {
		if i == len(list)-1 {
			replay.(checker.Forgetful).Forget(14)
		}
		found += len(replay.Apply(&list[i]))
	}
	if found != 0 {
		t.Errorf("%d anomalies, want none", found)
	}
	if a := replay.Apply(&applies([]applied{{0, w, "capacity", "x"}})[0]); len(a) != 1 || a[0].Kind != "torn-write" {
		t.Errorf("%+v", a)
	}
}
