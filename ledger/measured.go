package ledger

import (
	"errors"
	"io"
	"maps"
	"os"
	"slices"

	"locktorture/history"
)

// A Measured is what a recorded history says beside the verdict. Times are in milliseconds.
type Measured struct {
	Stall int64 // the longest time for which the machine kept the harness from running
	// Freed has a time for each holder that died: until the next grant of its lock, or until the end
	// of the run where that is longer than every other.
	Freed []int64
}

// Measure reads the history of a run.
func Measure(path string) (Measured, error) {
	f, err := os.Open(path)
	if err != nil {
		return Measured{}, err
	}
	defer f.Close()
	r, err := history.NewReader(f)
	if err != nil {
		return Measured{}, err
	}
	m := &measuring{held: map[int64]holding{}, down: map[string]int64{}}
	for {
		op, err := r.Next()
		if errors.Is(err, io.EOF) {
			return m.Measured, nil
		}
		if err != nil {
			return m.Measured, err
		}
		m.add(&op)
	}
}

// A holding is a lease that was granted and not released.
type holding struct {
	lock   string
	client int
}

// A measuring is under way.
type measuring struct {
	Measured
	held map[int64]holding // by lease
	down map[string]int64  // since when a lock is its dead holder's
}

const millisecond = 1e6

func (m *measuring) add(op *history.Op) {
	switch {
	case op.F == history.Stall:
		from, _ := op.Began()
		m.Stall = max(m.Stall, (op.Time-from)/millisecond)
	case op.Type == history.OK && (op.F == history.Acquire || op.F == history.Try):
		m.granted(op)
	case op.Type == history.Invoke && op.F == history.Release:
		delete(m.held, op.Lease)
	case op.F == history.Crash:
		m.died(op)
	case op.F == history.End:
		m.ended(op.Time)
	}
}

// granted ends the time of a dead holder. Whoever was overtaken is no holder any more.
func (m *measuring) granted(op *history.Op) {
	for lease, h := range m.held {
		if h.lock == op.Lock {
			delete(m.held, lease)
		}
	}
	m.held[op.Lease] = holding{op.Lock, op.Client}
	if since, ok := m.down[op.Lock]; ok {
		m.Freed = append(m.Freed, (op.Time-since)/millisecond)
		delete(m.down, op.Lock)
	}
}

// died begins the time in which nobody gets the locks of a dead client.
func (m *measuring) died(op *history.Op) {
	began, ok := op.Began()
	if !ok {
		began = op.Time
	}
	for lease, h := range m.held {
		if h.client == op.Client {
			m.down[h.lock] = began
			delete(m.held, lease)
		}
	}
}

// ended counts those that nobody had got by the end, if they say more than those that somebody got.
func (m *measuring) ended(at int64) {
	longest := int64(0)
	for _, f := range m.Freed {
		longest = max(longest, f)
	}
	for _, lock := range slices.Sorted(maps.Keys(m.down)) {
		if took := (at - m.down[lock]) / millisecond; took > longest {
			m.Freed = append(m.Freed, took)
		}
	}
}
