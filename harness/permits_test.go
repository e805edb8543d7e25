package harness_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"locktorture/history"
	"locktorture/locks/control"
	"locktorture/workloads"
)

// After a run all permits of a semaphore are asked for, at once or one after another, and then
// one more.
func TestPermitsAreCounted(t *testing.T) {
	for _, tt := range []struct {
		name   string
		singly bool
		want   []int // permits of the last acquires
	}{
		{"together", false, []int{workloads.RateCapacity, 1}},
		{"singly", true, []int{1, 1, 1, 1}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			o := local(t)
			o.Backend = "local-semaphore"
			traits := control.LocalSemaphoreTraits()
			traits.Single = tt.singly
			x := trial{traits: traits, open: isolated(o), work: workloads.Rate{Config: workloads.Config{Single: tt.singly}}, enough: granted(50)}
			asked := acquires(x.carryOut(t))
			last := asked[len(asked)-len(tt.want):]
			for i, op := range last {
				refused := i == len(last)-1
				if op.Permits != tt.want[i] || (op.Type == history.OK) == refused {
					t.Errorf("acquire %d of the count: %d permits, %s; want %d, refused %v", i+1, op.Permits, op.Type, tt.want[i], refused)
				}
			}
			for _, op := range asked[:len(asked)-len(tt.want)] {
				if tt.singly && op.Permits != 1 {
					t.Fatalf("a section asks for %d permits at once", op.Permits)
				}
			}
		})
	}
}

// acquires returns the ends of all acquires, with what was asked for.
func acquires(h history.History) (ends []history.Op) {
	asked := map[int]history.Op{} // by process
	for _, op := range h {
		switch {
		case op.F != history.Acquire:
		case op.Type == history.Invoke:
			asked[op.Process] = op
		default:
			op.Permits = asked[op.Process].Permits
			ends = append(ends, op)
		}
	}
	return ends
}

// Each semaphore of a section is asked for with the capacity that it has, and is counted after
// the run.
func TestPermitsOfEachSemaphore(t *testing.T) {
	o := local(t)
	o.Backend = "local-semaphore"
	x := trial{traits: control.LocalSemaphoreTraits(), open: isolated(o), work: workloads.Pool{}, enough: granted(100)}
	h := x.carryOut(t)
	capacities := map[string]int{}
	for _, op := range h {
		if op.F == history.Acquire && op.Type == history.Invoke {
			if capacities[op.Lock] == 0 {
				capacities[op.Lock] = op.Capacity
			}
			if op.Capacity != capacities[op.Lock] {
				t.Fatalf("%s: capacity %d, and %d before", op.Lock, op.Capacity, capacities[op.Lock])
			}
		}
	}
	want := map[string]int{"pool": workloads.PoolCapacity}
	for n := range workloads.PoolConnections {
		want[workloads.ConnectionLock("pool", n+1)] = 1
	}
	if d := cmp.Diff(want, capacities); d != "" {
		t.Error(d)
	}
	asked := acquires(h)
	for i, op := range asked[len(asked)-2*len(want):] { // all permits of each semaphore, and one more
		if refused := i%2 == 1; (op.Type == history.OK) == refused || refused && op.Permits != 1 {
			t.Errorf("acquire %d of the count: %+v", i+1, op)
		}
	}
}
