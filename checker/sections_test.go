package checker_test

import (
	"fmt"
	"testing"

	"locktorture/checker"
	"locktorture/checker/invariant"
	"locktorture/history"
)

// TestSections: sections under a lock that works are single operations, and
// those that overlap and lose something are not.
func TestSections(t *testing.T) {
	for _, tt := range []struct {
		name, key, model string
		inv              checker.Invariant
		values           []string // read and written by the sections, in turn
	}{
		{"counter", "counter", "faa", invariant.Counter{}, []string{"0", "1", "2", "3"}},
		{"counter of one of several objects", "k1/counter", "faa", invariant.PerKey{Invariant: invariant.Counter{}}, []string{"0", "1", "2", "3"}},
		{"statemachine", "order/0", "statemachine", invariant.StateMachine{}, []string{"created", "paid", "shipped", "done"}},
	} {
		for _, broken := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, broken %v", tt.name, broken), func(t *testing.T) {
				b := newBuild().start(plain, tt.key, tt.values[0])
				now := int64(10)
				for i := range 3 {
					seen, client := tt.values[i], i+1
					if broken && i == 2 {
						seen = tt.values[1] // what it saw is out of date when it writes
					}
					lease := int64(i + 1)
					b.grant(client, lease, now, now+1, 0)
					b.store(lease, plain, history.Read, tt.key, seen, now+2, now+3)
					b.store(lease, plain, history.Write, tt.key, tt.values[i+1], now+4, now+5)
					b.release(lease, now+6, now+7, history.OK)
					now += 10
				}
				want(t, b, tt.inv, tt.model, broken)
			})
		}
	}
	for _, broken := range []bool{false, true} {
		t.Run(fmt.Sprintf("register, broken %v", broken), func(t *testing.T) {
			b := newBuild().start(plain, "register", "initial").grant(1, 1, 1, 2, 0).grant(2, 2, 3, 4, 0)
			if broken {
				b.store(1, plain, history.Read, "register", "initial", 10, 11).store(2, plain, history.Write, "register", "x", 12, 13)
			} else {
				b.store(2, plain, history.Write, "register", "x", 10, 11).store(1, plain, history.Read, "register", "x", 12, 13)
			}
			b.store(1, plain, history.Read, "register", "x", 14, 15).release(1, 16, 17, history.OK).release(2, 18, 19, history.OK)
			want(t, b, invariant.Register{}, "register", broken)
		})
	}
}

func want(t *testing.T, b *build, inv checker.Invariant, model string, broken bool) {
	t.Helper()
	r := checker.Check(b.history(t), mutex, inv)
	status := checker.Kept
	if broken {
		status = checker.Violated
	}
	if len(r.Stores) != 1 || r.Stores[0].Sections == nil {
		t.Fatalf("no verdict on the sections: %+v", r.Stores)
	}
	if v := r.Stores[0].Sections; v.Status != status || v.Model != model || (v.Reason != "") != broken {
		t.Errorf("%+v, want %s", v, status)
	}
}
