package checker_test

import (
	"testing"

	"locktorture/checker"
	"locktorture/checker/invariant"
	"locktorture/history"
)

// TestAtoms: a section that only wrote, or only read, is one operation; one of which no answer
// came back is none.
func TestAtoms(t *testing.T) {
	for _, tt := range []struct {
		name, key, was, is string
		inv                checker.Invariant
	}{
		{"register", "register", "initial", "x", invariant.Register{}},
		{"statemachine", "order/1", "created", "paid", invariant.StateMachine{}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := newBuild().start(plain, tt.key, tt.was)
			b.grant(1, 1, 10, 11, 0).store(1, plain, history.Write, tt.key, tt.is, 12, 13).release(1, 14, 15, history.OK)
			b.grant(2, 2, 20, 21, 0).store(2, plain, history.Read, tt.key, tt.is, 22, 23).release(2, 24, 25, history.OK)
			b.grant(3, 3, 30, 31, 0)
			op := b.under(3, history.Read)
			op.Store, op.Key = plain, "L/"+tt.key
			b.add(32, 33, op, history.Info, nil).crash(3, 34)
			r := checker.Check(b.history(t), mutex, tt.inv)
			if len(r.Stores) != 1 || r.Stores[0].Sections == nil {
				t.Fatalf("%+v", r.Stores)
			}
			if s := r.Stores[0].Sections; s.Sections != 2 || s.Status != checker.Kept {
				t.Errorf("%+v, want two sections", s)
			}
		})
	}
}

// TestInPartsWitness: who was waiting while nobody had the lock bears witness to that when its
// own wait is over, however much has been judged until then.
func TestInPartsWitness(t *testing.T) {
	b := newBuild()
	b.grant(1, 1, 0, 10, 0).crash(1, 1000)
	b.grant(2, 2, 500, 7000, 0).release(2, 7100, 7110, history.OK)
	b.grant(4, 3, 7200, 7210, 0).release(3, 7300, 7310, history.OK)
	b.try(3, 600, 20_000, history.Fail, history.ByServer).until(21_000)
	if n := inParts(t, b.history(t), mutex, nil).Counts.Anomalies["deadlock"]; n == 0 {
		t.Error("no deadlock, although one waited in vain for six seconds")
	}
}
