package checker

import (
	"fmt"
	"strconv"
	"strings"

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

func (r *counters) forget(lease int64) {
	for _, c := range r.states {
		delete(c.reads, lease)
	}
}

func (c *counterState) apply(op *history.Op) (Anomaly, bool) {
	n, err := number(op.Value)
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
	sentence := fmt.Sprintf("%s wrote %s = %d at %s (apply %d) over %d", by(op), op.Key, n, at(op.Time), op.Apply, before)
	if read != nil {
		sentence += fmt.Sprintf(", from its read of %s at %s (apply %d)", read.Value, at(read.Time), read.Apply)
	}
	if last != nil {
		sentence += fmt.Sprintf(", so the update of %s at %s (apply %d) was lost", by(last), at(last.Time), last.Apply)
	}
	return Anomaly{Kind: "lost-update", Lock: op.Lock, Key: op.Key, Time: op.Time, Ops: ops(read, last, op), Sentence: sentence}, true
}

// workKey is the key without the name of its lock.
func workKey(op *history.Op) string {
	if rest, ok := strings.CutPrefix(op.Key, op.Lock+"/"); ok && op.Lock != "" {
		return rest
	}
	return op.Key
}

// number reads a number; a key that was never written holds 0. One that no
// section can have counted up to is an error.
func number(s string) (int, error) {
	if s == "" {
		return 0, nil
	}
	n, err := strconv.Atoi(s)
	if err == nil && !sane(n) {
		return 0, strconv.ErrRange
	}
	return n, err
}

// sane tells that many such numbers can be added.
func sane(n int) bool { return n >= -largest && n <= largest }

// by names who did a store operation: "c2 (lease 41)".
func by(op *history.Op) string {
	switch {
	case op.Lease == 0 && op.Client == 0:
		return "the initial state"
	case op.Lease == 0:
		return fmt.Sprintf("c%d (without the lock)", op.Client)
	}
	if op.Client == 0 {
		return fmt.Sprintf("process %d (lease %d)", op.Process, op.Lease)
	}
	return fmt.Sprintf("c%d (lease %d)", op.Client, op.Lease)
}

// torn is the anomaly of a value that no section writes.
func torn(op *history.Op) Anomaly {
	return Anomaly{
		Kind: "torn-write", Lock: op.Lock, Key: op.Key, Time: op.Time, Ops: ops(op),
		Sentence: fmt.Sprintf("%s held %q at %s (apply %d, %s), which no section writes", op.Key, op.Value, at(op.Time), op.Apply, by(op)),
	}
}
