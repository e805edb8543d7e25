package checker

import (
	"fmt"
	"strings"

	"locktorture/checker/linear"
	"locktorture/history"
)

// CounterInvariant judges the workload "counter": a section reads
// "<lock>/counter" and writes one more. Every write must be one more than
// what the store held; the loss is in updates.
type CounterInvariant struct{}

var _ Invariant = CounterInvariant{}

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
	gained int // by which the value has grown
}

// Begin implements Invariant.
func (CounterInvariant) Begin() Replay { return &counters{map[string]*counterState{}} }

// Apply implements Replay.
func (r *counters) Apply(op *history.Op) []Anomaly {
	if workKey(op) != "counter" {
		return nil
	}
	c := r.states[op.Key]
	if c == nil {
		c = &counterState{reads: make(map[int64]*history.Op)}
		r.states[op.Key] = c
	}
	if a, bad := c.apply(op); bad {
		return []Anomaly{a}
	}
	return nil
}

// Loss implements Replay.
func (r *counters) Loss() Loss {
	loss := Loss{Unit: "updates"}
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

func (c *counterState) apply(op *history.Op) (Anomaly, bool) {
	n, err := Number(op.Value)
	switch {
	case err != nil:
		return torn(op), true
	case op.F == history.Read:
		c.reads[op.Lease] = op
		if !c.known {
			c.known, c.value = true, n
		}
		return Anomaly{}, false
	case op.Lease == 0 && op.Client == 0: // the initial state
		c.known, c.value = true, n
		return Anomaly{}, false
	}
	before, read, last := c.value, c.reads[op.Lease], c.last
	bad := n != before+1
	delete(c.reads, op.Lease)
	c.known, c.value, c.last = true, n, op
	c.writes++
	c.gained += n - before
	if !bad {
		return Anomaly{}, false
	}
	sentence := fmt.Sprintf("%s wrote %s = %d at %s (apply %d) over %d", By(op), op.Key, n, At(op.Time), op.Apply, before)
	if read != nil {
		sentence += fmt.Sprintf(", from its read of %s at %s (apply %d)", read.Value, At(read.Time), read.Apply)
	}
	if last != nil {
		sentence += fmt.Sprintf(", so the update of %s at %s (apply %d) was lost", By(last), At(last.Time), last.Apply)
	}
	return Anomaly{Kind: "lost-update", Lock: op.Lock, Key: op.Key, Time: op.Time, Ops: Witness(read, last, op), Sentence: sentence}, true
}

// SectionModel implements Sectioned. A counting section is a fetch-and-add: it reads a number and writes one more.
func (CounterInvariant) SectionModel() string { return "faa" }

// About implements Sectioned.
func (CounterInvariant) About(key string) bool { return strings.HasSuffix(key, "/counter") }

// Atom implements Sectioned.
func (CounterInvariant) Atom(s Section) (op linear.Operation, why string) {
	if len(s.Reads) == 0 {
		return op, ""
	}
	from, err := Number(s.Reads[0])
	if err != nil {
		return op, fmt.Sprintf("%q is no number", s.Reads[0])
	}
	op.F, op.Number = linear.Read, int64(from)
	if s.Wrote {
		to, err := Number(s.Write)
		if err != nil {
			return op, fmt.Sprintf("%q is no number", s.Write)
		}
		op.F, op.Delta = linear.FetchAdd, int64(to-from)
	}
	return op, ""
}
