package state

import (
	"fmt"

	"locktorture/history"
	"locktorture/timeline"
)

// A Tracker follows a history. Its subjects are numbered in the order in which the history
// names them.
type Tracker struct {
	Subjects []Subject

	values  []any // by subject
	index   map[Subject]int
	leases  map[int64]int    // lease → its subject
	looks   map[string][]int // lock → subjects
	keys    map[string]int   // store → keys with a subject of their own
	faults  map[int]*history.Op
	changed []int
}

// NewTracker returns a tracker of a history that has not begun.
func NewTracker() *Tracker {
	return &Tracker{index: map[Subject]int{}, leases: map[int64]int{}, looks: map[string][]int{},
		keys: map[string]int{}, faults: map[int]*history.Op{}}
}

// Value returns what is known of a subject: of the type that its kind names.
func (t *Tracker) Value(subject int) any { return t.values[subject] }

// Entry takes the next entry of a walk and returns the numbers of the subjects that it changes, each
// once or more. They are good until the next call. The entry is not to be changed afterwards.
func (t *Tracker) Entry(e timeline.Entry) []int {
	t.changed = t.changed[:0]
	switch e.F {
	case history.Fault:
		t.faults[e.Fault] = e.Op
	case history.Heal:
		delete(t.faults, e.Fault)
	case history.Probe:
		t.look(e)
	case history.Stall, history.End:
	default:
		t.client(e)
		t.store(e.Op)
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
