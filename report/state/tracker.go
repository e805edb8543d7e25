package state

import (
	"fmt"

	"locktorture/history"
)

// A Tracker follows a history. Its subjects are numbered in the order in which the history
// names them.
type Tracker struct {
	Subjects []Subject

	values  []any // by subject
	index   map[Subject]int
	leases  map[int64]int     // lease → its subject
	owners  map[owned]holding // by what servers keep
	looks   map[string][]int  // lock → subjects
	keys    map[string]int    // store → keys with a subject of their own
	faults  map[int]*history.Op
	changed []int
}

// An owned is a lock that is kept under a value.
type owned struct{ lock, value string }

// A holding is the newest lease that was granted under a value.
type holding struct {
	client string
	lease  int64
}

// NewTracker returns a tracker of a history that has not begun.
func NewTracker() *Tracker {
	return &Tracker{index: map[Subject]int{}, leases: map[int64]int{}, owners: map[owned]holding{}, looks: map[string][]int{},
		keys: map[string]int{}, faults: map[int]*history.Op{}}
}

// Value returns what is known of a subject: of the type that its kind names.
func (t *Tracker) Value(subject int) any { return t.values[subject] }

// Entry takes the next entry and returns the numbers of the subjects that it changes, each
// once or more. They are good until the next call. The entry is not to be changed afterwards.
func (t *Tracker) Entry(op *history.Op) []int {
	t.changed = t.changed[:0]
	switch op.F {
	case history.Fault:
		t.faults[op.Fault] = op
	case history.Heal:
		delete(t.faults, op.Fault)
	case history.Probe:
		t.look(op)
	case history.Stall, history.End:
	default:
		t.client(op)
		t.store(op)
	}
	return t.changed
}

// at returns the number of a subject.
func (t *Tracker) at(s Subject) (number int, known bool) {
	number, known = t.index[s]
	if !known {
		number = len(t.Subjects)
		t.index[s] = number
		t.Subjects, t.values = append(t.Subjects, s), append(t.values, nil)
	}
	return number, known
}

func (t *Tracker) set(subject int, value any) {
	t.values[subject] = value
	t.changed = append(t.changed, subject)
}

// nameOf returns what a client is called; "harness" for the harness.
func nameOf(op *history.Op) string {
	switch {
	case op.Client > 0:
		return fmt.Sprintf("c%d", op.Client)
	case op.Process == history.Harness:
		return "harness"
	}
	return fmt.Sprintf("process %d", op.Process)
}
