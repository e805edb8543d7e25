package linear

import "hash/maphash"

// A spec is the sequential specification of an object: what an operation
// does to a state. The search and porcupine decide by it, and the fast procedures must agree
// with it.
type spec[S comparable] struct {
	init func(*Options) S
	// step applies an operation. ok means that it can take effect here, with the answer that
	// it had. An operation of unknown outcome that cannot take effect has no effect.
	step func(opt *Options, s S, o *event) (S, bool)
	// drop reports operations that constrain nothing and enable nothing.
	drop func(opt *Options, o *Operation) bool
	// pure reports operations that change no state in which they fit.
	pure func(o *event) bool
	// class returns what step looks at in an operation of unknown outcome. Of two operations
	// with the same class, the one called first serves as well as the other.
	class func(o *event) class
	// also returns the second event of an operation that has two; nil if no operation has two.
	also func(t *trace, o event) (event, bool)
}

// An event is an operation as a spec sees it.
type event struct {
	*Operation
	who   int64 // ≥ 1, the process; dead, if its outcome is unknown and nothing of the process follows
	index int32
	last  int32 // the event of known outcome that its process ran before it, where stamps do not show that; -1
	id    int32 // its place among all events
	later bool  // the second event of its operation; its id is one more than that of the first
}

// dead stands for every process that is never heard of again.
const dead = -1

// A class holds what distinguishes operations of unknown outcome.
type class struct {
	f       F
	who     int64
	shared  bool
	token   uint64
	key     string
	value   string
	expect  string
	delta   int64
	ttl     int64
	permits uint32
	hold    int32 // the event of a hold that ends by itself; else 0
}

// classOf keeps all that a step may look at.
func classOf(o *event) class {
	return class{f: o.F, who: o.who, shared: o.Shared, token: o.Token, key: o.Key, value: o.Value, expect: o.Expect, delta: o.Delta, ttl: o.TTL, permits: o.Permits}
}

// keepAll drops nothing.
func keepAll(*Options, *Operation) bool { return false }

// events returns the operations that a spec is to judge, in the order of
// their calls. The field last of an event counts only events of known outcome.
func (sp *spec[S]) events(t *trace) []event {
	l := lister{out: make([]event, 0, len(t.ops))}
	if t.tied {
		l.last = make([]int32, t.procs)
	}
	for _, i := range t.byCall() {
		o := &t.ops[i]
		if sp.drop(&t.opt, o) {
			continue
		}
		e := event{Operation: o, who: int64(t.proc[i]) + 1, index: i}
		if o.Status == Pending && starts(o.F) && t.last(i) {
			e.who = dead
		}
		l.add(e, t.proc[i])
		if sp.also == nil {
			continue
		}
		if second, ok := sp.also(t, e); ok {
			l.add(second, t.proc[i])
		}
	}
	return l.out
}

// starts reports whether a function makes its process a holder, a party or a leader.
func starts(f F) bool { return f == Acquire || f == Enter || f == Campaign }

// A lister lists events and what comes before each in its process.
type lister struct {
	out   []event
	last  []int32 // by process: 1 + the event of known outcome that it ran last; nil: nobody asks
	known int32
}

func (l *lister) add(e event, proc int32) {
	e.id, e.last = int32(len(l.out)), -1
	if l.last != nil {
		e.last = l.last[proc] - 1
	}
	if e.Status != Pending {
		l.known++
		if l.last != nil {
			l.last[proc] = l.known
		}
	}
	l.out = append(l.out, e)
}

// hashState returns the part of a configuration's hash that comes from its state.
func hashState[S comparable](seed maphash.Seed, s S) uint64 { return maphash.Comparable(seed, s) }
