package invariant

import (
	"fmt"
	"strings"

	"locktorture/checker"
	"locktorture/checker/linear"
	"locktorture/history"
)

// Counter judges the workload "counter": a section reads
// "<lock>/counter" and writes one more. Every write must be one more than
// what the store held; the loss is counted in updates.
type Counter struct{}

var _ checker.Invariant = Counter{}

type counters struct {
	states map[string]*counterState // by key
}

// A counterState is one counter while its operations are replayed.
type counterState struct {
	known  bool
	value  int
	last   *history.Op           // the write that made the value
	reads  map[int64]*history.Op // lease → its last read
	writes int
	gained int // how much the value has grown
}

// Begin implements checker.Invariant.
func (Counter) Begin() checker.Replay { return &counters{map[string]*counterState{}} }

// Apply implements checker.Replay.
func (r *counters) Apply(op *history.Op) []checker.Anomaly {
	if workKey(op) != "counter" {
		return nil
	}
	c := r.states[op.Key]
	if c == nil {
		c = &counterState{reads: make(map[int64]*history.Op)}
		r.states[op.Key] = c
	}
	if a, bad := c.apply(op); bad {
		return []checker.Anomaly{a}
	}
	return nil
}

// Loss implements checker.Replay.
func (r *counters) Loss() checker.Loss {
	loss := checker.Loss{Unit: "updates"}
	for _, c := range r.states {
		loss.Of += c.writes
		loss.Lost += max(0, c.writes-c.gained)
	}
	return loss
}

// Forget implements checker.Forgetful.
func (r *counters) Forget(lease int64) {
	for _, c := range r.states {
		delete(c.reads, lease)
	}
}

func (c *counterState) apply(op *history.Op) (checker.Anomaly, bool) {
	n, err := checker.Number(op.Value)
	switch {
	case err != nil:
		return torn(op), true
	case op.F == history.Read:
		c.reads[op.Lease] = op
		if !c.known {
			c.known, c.value = true, n
		}
		return checker.Anomaly{}, false
	case op.Lease == 0 && op.Client == 0: // the initial state
		c.known, c.value = true, n
		return checker.Anomaly{}, false
	}
	before, read, last := c.value, c.reads[op.Lease], c.last
	bad := n != before+1
	delete(c.reads, op.Lease)
	c.known, c.value, c.last = true, n, op
	c.writes++
	c.gained += n - before
	if !bad {
		return checker.Anomaly{}, false
	}
	sentence := fmt.Sprintf("%s wrote %s = %d at %s (apply %d) over the value %d", checker.By(op), op.Key, n, checker.At(op.Time), op.Apply, before)
	if read != nil {
		sentence += fmt.Sprintf(", from its read of %s at %s (apply %d)", read.Value, checker.At(read.Time), read.Apply)
	}
	if last != nil {
		sentence += fmt.Sprintf("; this overwrote the update of %s at %s (apply %d)", checker.By(last), checker.At(last.Time), last.Apply)
	}
	return checker.Anomaly{Kind: "lost-update", Lock: op.Lock, Key: op.Key, Time: op.Time, Ops: checker.Witness(read, last, op), Sentence: sentence}, true
}

// SectionModel implements checker.Sectioned. A counting section is a fetch-and-add: it reads a
// number and writes one more.
func (Counter) SectionModel() string { return "faa" }

// About implements checker.Sectioned.
func (Counter) About(key string) bool { return strings.HasSuffix(key, "/counter") }

// Atom implements checker.Sectioned.
func (Counter) Atom(s checker.Section) (op linear.Operation, why string) {
	if len(s.Reads) == 0 {
		return op, ""
	}
	from, err := checker.Number(s.Reads[0])
	if err != nil {
		return op, fmt.Sprintf("%q is not a number", s.Reads[0])
	}
	op.F, op.Number = linear.Read, int64(from)
	if s.Wrote {
		to, err := checker.Number(s.Write)
		if err != nil {
			return op, fmt.Sprintf("%q is not a number", s.Write)
		}
		op.F, op.Delta = linear.FetchAdd, int64(to-from)
	}
	return op, ""
}
