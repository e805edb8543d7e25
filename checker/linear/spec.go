package linear

import "hash/maphash"

// A spec is the sequential specification of an object: what an operation
// does to a state. It is what the search and porcupine decide by, and what the
// fast procedures must agree with.
type spec[S comparable] struct {
	init func(*Options) S
	// step applies an operation. ok means that it can take effect here, with
	// the answer it had; an operation of unknown outcome that cannot take
	// effect has none.
	step func(opt *Options, s S, o *event) (S, bool)
	// drop reports operations that constrain nothing and enable nothing.
	drop func(opt *Options, o *Operation) bool
	// pure reports operations that change no state in which they fit.
	pure func(o *event) bool
	// class returns what step looks at in an operation of unknown outcome:
	// of two with the same class the one called first serves as well.
	class func(o *event) class
}

// An event is an operation as a spec sees it.
type event struct {
	*Operation
	who   int64 // ≥ 1, the process; dead, if its outcome is unknown and nothing of the process follows
	index int32
	last  int32 // where stamps do not say so: the event, of known outcome, that its process ran before; -1
}

// dead stands for every process of which nothing is heard again.
const dead = -1

// A class is what distinguishes operations of unknown outcome.
type class struct {
	f      F
	who    int64
	shared bool
	token  uint64
	key    string
	value  string
	expect string
	delta  int64
}

// classOf keeps all that a step may look at.
func classOf(o *event) class {
	return class{o.F, o.who, o.Shared, o.Token, o.Key, o.Value, o.Expect, o.Delta}
}

// keepAll drops nothing.
func keepAll(*Options, *Operation) bool { return false }

// events returns the operations that a spec is to judge, in the order of
// their calls. Event.last counts those of known outcome.
func events(t *trace, drop func(*Options, *Operation) bool) []event {
	out := make([]event, 0, len(t.ops))
	var last []int32 // 1 + the event that a process ran last
	if t.tied {
		last = make([]int32, t.procs)
	}
	known := int32(0)
	for _, i := range t.byCall() {
		o := &t.ops[i]
		if drop(&t.opt, o) {
			continue
		}
		e := event{Operation: o, who: int64(t.proc[i]) + 1, index: i, last: -1}
		if o.Status == Pending && o.F == Acquire && t.last(i) {
			e.who = dead
		}
		if t.tied {
			e.last = last[t.proc[i]] - 1
		}
		if o.Status != Pending {
			known++
			if t.tied {
				last[t.proc[i]] = known
			}
		}
		out = append(out, e)
	}
	return out
}

// hashState is the part of a configuration's hash that its state gives.
func hashState[S comparable](seed maphash.Seed, s S) uint64 { return maphash.Comparable(seed, s) }
