package invariant

import (
	"fmt"
	"strings"

	"locktorture/checker"
	"locktorture/checker/linear"
	"locktorture/history"
)

// StateMachine judges the workload "statemachine": an order goes
// created → paid → shipped → done, each step once, and then the next order is
// made and becomes the current one. A section that was cut off between these two is done
// again, so a created over a created is right until the order has become current. The loss is
// counted in steps.
type StateMachine struct{}

var _ checker.Invariant = StateMachine{}

// nextState returns the only state that may follow a state; after "" (no order) that is
// created.
func nextState(state string) string {
	switch state {
	case "":
		return "created"
	case "created":
		return "paid"
	case "paid":
		return "shipped"
	case "shipped":
		return "done"
	}
	return ""
}

// An orderBook holds the orders of one lock while they are replayed.
type orderBook struct {
	known   bool // the current order is known
	current int
	moved   *history.Op // last write of current
	states  map[string]string
	last    map[string]*history.Op // last write of an order
}

// An orderBooks holds the orders by their locks.
type orderBooks struct {
	books map[string]*orderBook
	loss  checker.Loss
}

// Begin implements checker.Invariant.
func (StateMachine) Begin() checker.Replay {
	return &orderBooks{map[string]*orderBook{}, checker.Loss{Unit: "steps"}}
}

// Loss implements checker.Replay.
func (r *orderBooks) Loss() checker.Loss { return r.loss }

// Apply implements checker.Replay.
func (r *orderBooks) Apply(op *history.Op) []checker.Anomaly {
	part, n, _ := strings.Cut(workKey(op), "/")
	if part != "current" && (part != "order" || n == "") {
		return nil
	}
	b := r.books[op.Lock]
	if b == nil {
		b = &orderBook{states: make(map[string]string), last: make(map[string]*history.Op)}
		r.books[op.Lock] = b
	}
	if op.F != history.Read && op.Lease != 0 {
		r.loss.Of++
	}
	a, bad := b.apply(op, part, n)
	if !bad {
		return nil
	}
	r.loss.Lost++
	return []checker.Anomaly{a}
}

func (b *orderBook) apply(op *history.Op, part, n string) (checker.Anomaly, bool) {
	if part == "current" {
		return b.applyCurrent(op)
	}
	state, seen := b.states[n]
	if op.F == history.Read || op.Lease == 0 {
		if !seen || op.F != history.Read {
			b.states[n] = op.Value
		}
		return checker.Anomaly{}, false
	}
	before := b.last[n]
	b.states[n], b.last[n] = op.Value, op
	number, err := checker.Number(n)
	again := op.Value == "created" && state == "created" && err == nil && number > b.current
	switch {
	case op.Value == nextState(state) || again:
		return checker.Anomaly{}, false
	case op.Value == state:
		return step("duplicate-step", op, before, fmt.Sprintf("set order %s to %q again", n, state)), true
	}
	return step("illegal-transition", op, before, fmt.Sprintf("set order %s to %q, but the order was %q", n, op.Value, state)), true
}

func (b *orderBook) applyCurrent(op *history.Op) (checker.Anomaly, bool) {
	n, err := checker.Number(op.Value)
	if err != nil {
		return torn(op), true
	}
	if op.F == history.Read || op.Lease == 0 {
		if !b.known || op.F != history.Read {
			b.known, b.current = true, n
		}
		return checker.Anomaly{}, false
	}
	was, before, known := b.current, b.moved, b.known
	b.known, b.current, b.moved = true, n, op
	switch {
	case n == was+1 || !known:
		return checker.Anomaly{}, false
	case n == was:
		return step("duplicate-step", op, before, fmt.Sprintf("moved on to order %d again", n)), true
	}
	return step("illegal-transition", op, before, fmt.Sprintf("moved from order %d to order %d", was, n)), true
}

func step(kind string, op, before *history.Op, what string) checker.Anomaly {
	sentence := fmt.Sprintf("at %[3]s (apply %[4]d), %[1]s %[2]s", checker.By(op), what, checker.At(op.Time), op.Apply)
	if before != nil {
		sentence += fmt.Sprintf("; before that, %s had written %q at %s (apply %d)", checker.By(before), before.Value, checker.At(before.Time), before.Apply)
	}
	return checker.Anomaly{Kind: kind, Lock: op.Lock, Key: op.Key, Time: op.Time, Ops: checker.Witness(before, op), Sentence: sentence}
}

// SectionModel implements checker.Sectioned. A step of an order is a transition from the state
// that the section saw.
func (StateMachine) SectionModel() string { return "statemachine" }

// About implements checker.Sectioned.
func (StateMachine) About(key string) bool { return strings.Contains(key, "/order/") }

// Atom implements checker.Sectioned.
func (StateMachine) Atom(s checker.Section) (op linear.Operation, why string) {
	switch {
	case s.Wrote && len(s.Reads) > 0:
		op.F, op.Expect, op.Value = linear.CAS, s.Reads[0], s.Write
	case s.Wrote: // a new order
		op.F, op.Value = linear.Write, s.Write
	case len(s.Reads) > 0:
		op.F, op.Value = linear.Read, s.Reads[0]
	}
	return op, ""
}
