package linear

import (
	"fmt"

	"locktorture/history"
)

// Objects holds the operations of a history by the object that they work on.
type Objects struct {
	Locks  map[string][]Operation   // by the name of the lock
	Keys   map[StoreKey][]Operation // reads, writes and conditional writes, for the register models
	Stores map[string][]Operation   // of the fenced store, by the lock whose mark guards it; refused ones too
}

// A StoreKey is one key of one kind of store.
type StoreKey struct{ Store, Key string }

// FromHistory sorts a whole history into operations, see Builder.
func FromHistory(h []history.Op) (Objects, error) {
	b := NewBuilder()
	for i := range h {
		if err := b.Add(&h[i]); err != nil {
			return Objects{}, fmt.Errorf("entry %d: %w", i, err)
		}
	}
	return b.Objects(), nil
}

// A Builder turns the entries of a history, in their order, into operations.
//
// A refused acquire counts only where the server refused: the guard of a
// client says nothing about the lock. A release that the server answered with
// "not held" is a refused release. A crash, a notice of loss, and a client's guard that says
// that the lease is over each become an End of what the process holds: the hold may have ended
// then, or later, or never. If a release or another acquire of the process follows a notice of
// loss, the hold had ended by then.
type Builder struct {
	out  Objects
	line int
	open map[int]flight             // by process: what it has invoked
	held map[int]map[string]holding // by process and lock
	of   holders
}

// A flight is an invoked operation without its completion.
type flight struct {
	op   history.Op
	line int
}

// A holding is what a process knows about a lock that it was granted.
type holding struct {
	grants int
	token  uint64
	after  int64 // when its latest operation on the lock returned
	lost   bool  // it was told, by after at the latest, that it lost the lock
	line   int
	shared bool // as a reader
}

// NewBuilder returns an empty builder.
func NewBuilder() *Builder {
	return &Builder{
		out:  Objects{map[string][]Operation{}, map[StoreKey][]Operation{}, map[string][]Operation{}},
		open: map[int]flight{}, held: map[int]map[string]holding{}, of: holders{},
	}
}

// Add takes the next entry. It returns an error for an entry that cannot
// follow the ones before it.
func (b *Builder) Add(op *history.Op) error {
	b.line++
	switch op.F {
	case history.Probe, history.Stall, history.Fault, history.Heal, history.End, history.Ask:
		return nil
	case history.Lost:
		b.lost(b.of.process(op), op.Lock, op.Lease, op.Time)
		return nil
	case history.Crash:
		for _, p := range b.of.died(op) {
			b.crash(p, op.Time)
		}
		return nil
	}
	if op.Type == history.Invoke {
		if was, ok := b.open[op.Process]; ok {
			return fmt.Errorf("process %d invokes %s while its %s is under way", op.Process, op.F, was.op.F)
		}
		b.open[op.Process] = flight{*op, b.line - 1}
		return nil
	}
	was, ok := b.open[op.Process]
	if !ok || was.op.F != op.F {
		return fmt.Errorf("process %d completes a %s that it did not invoke", op.Process, op.F)
	}
	if op.Time < was.op.Time {
		return fmt.Errorf("process %d completes a %s before its invocation", op.Process, op.F)
	}
	delete(b.open, op.Process)
	b.complete(was, op)
	return nil
}

// Objects ends the history: what is open has an unknown outcome.
func (b *Builder) Objects() Objects {
	for p, f := range b.open {
		f.op.Type = history.Info
		b.complete(f, &f.op)
		delete(b.open, p)
	}
	for p, locks := range b.held {
		for lock, h := range locks {
			if h.lost {
				b.end(p, lock, h, Operation{Status: Pending})
			}
		}
	}
	return b.out
}

func (b *Builder) complete(call flight, done *history.Op) {
	o := Operation{Process: done.Process, Call: call.op.Time, Line: call.line}
	switch done.Type {
	case history.OK:
		o.Status, o.Return = OK, done.Time
	case history.Fail:
		o.Status, o.Return = Refused, done.Time
	}
	switch done.F {
	case history.Acquire, history.Try, history.Renew, history.Release:
		o.Process = b.of.process(&call.op)
		b.lockOp(o, &call.op, done)
		if o.Status == OK && (done.F == history.Acquire || done.F == history.Try) {
			b.of.granted(done)
		}
		b.of.completed(&call.op)
	case history.Read, history.Write, history.CAS:
		b.storeOp(o, &call.op, done)
	}
}

func (b *Builder) add(lock string, o Operation) {
	b.out.Locks[lock] = append(b.out.Locks[lock], o)
}

func (b *Builder) storeOp(o Operation, call, done *history.Op) {
	switch done.F {
	case history.Read:
		o.F, o.Value = Read, done.Value
	case history.Write:
		o.F, o.Value = Write, call.Value
	case history.CAS:
		o.F, o.Value, o.Expect = CAS, call.Value, call.Expect
	}
	o.Token, o.Key = call.Token, call.Key
	key := StoreKey{call.Store, call.Key}
	// A plain store refuses a conditional write only for its condition; a fenced
	// one may have refused it for its token.
	keep := o.Status != Refused || o.F == CAS && done.Refused == history.ByStore && call.Store == history.Plain
	if o.F == CAS && call.Guard != call.Key { // its condition is about another key, or not in the history
		o.F, o.Expect, keep = Write, "", keep && o.Status != Refused
	}
	if keep {
		b.out.Keys[key] = append(b.out.Keys[key], o)
	}
	// A refused conditional write says nothing here, because it may have been refused for its
	// condition.
	if call.Store == history.Fenced && (o.Status != Refused || done.Refused == history.ByStore && done.F != history.CAS) {
		if done.F == history.CAS {
			o.F, o.Expect = Write, ""
		}
		b.out.Stores[call.Lock] = append(b.out.Stores[call.Lock], o)
	}
}
