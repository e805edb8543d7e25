package linear

import (
	"fmt"
	"time"

	"github.com/anishathalye/porcupine"
)

// porcupineModel makes a porcupine model of a spec. Porcupine has to
// linearize every operation that it is given, so one of unknown outcome that
// cannot take effect passes as a no-op: with no return it can always come last.
func porcupineModel[S comparable](sp spec[S], opt *Options) porcupine.Model {
	return porcupine.Model{
		Init: func() any { return sp.init(opt) },
		Step: func(state, input, _ any) (bool, any) {
			o := input.(*event)
			next, ok := sp.step(opt, state.(S), o)
			if !ok && o.Status == Pending {
				return true, state
			}
			return ok, next
		},
		DescribeOperation: func(input, _ any) string { return input.(*event).String() },
		DescribeState:     func(state any) string { return fmt.Sprintf("%+v", state) },
	}
}

// A lateState counts the operations of known outcome that are still to come.
type lateState[S comparable] struct {
	state S
	left  int
}

// lateModel is like porcupineModel, for specs that add many events of unknown outcome. An
// event without an effect may only come last. As a no-op it could come anywhere, and porcupine
// would try each such place.
func lateModel[S comparable](sp spec[S], evs []event, opt *Options) porcupine.Model {
	known := 0
	for i := range evs {
		if evs[i].Status != Pending {
			known++
		}
	}
	model := porcupineModel(sp, opt)
	model.Init = func() any { return lateState[S]{sp.init(opt), known} }
	model.Step = func(state, input, _ any) (bool, any) {
		s, o := state.(lateState[S]), input.(*event)
		if o.Status == Pending && s.left == 0 {
			return true, s
		}
		next, ok := sp.step(opt, s.state, o)
		if o.Status == Pending {
			return ok && next != s.state, lateState[S]{next, s.left}
		}
		return ok, lateState[S]{next, s.left - 1}
	}
	return model
}

func porcupineOperations(evs []event) []porcupine.Operation {
	ops := make([]porcupine.Operation, len(evs))
	for i := range evs {
		ops[i] = porcupine.Operation{ClientId: evs[i].Process, Input: &evs[i], Call: evs[i].Call, Return: evs[i].end()}
	}
	return ops
}

// porcupineMemory is what porcupine needs at least for n operations: it
// stores a set of n bits for each prefix of a linearization, n²/8 bytes, and
// an entry and two nodes per operation.
func porcupineMemory(n int) int64 { return int64(n)*int64(n)/8 + 400*int64(n) }

func byPorcupine[S comparable](sp spec[S], t *trace) Verdict {
	const name = "porcupine"
	evs := sp.events(t)
	if need := porcupineMemory(len(evs)); need > t.opt.Memory {
		return unknown(name, fmt.Sprintf("porcupine needs at least %d MiB for %d operations, but the limit is %d MiB", need>>20, len(evs), t.opt.Memory>>20))
	}
	timeout := t.opt.Timeout.Round(time.Millisecond) + time.Millisecond
	var model porcupine.Model
	switch {
	case t.tied && sp.also != nil:
		model = lateModel(inOrder(sp, evs), evs, &t.opt)
	case sp.also != nil:
		model = lateModel(sp, evs, &t.opt)
	case t.tied:
		model = porcupineModel(inOrder(sp, evs), &t.opt)
	default:
		model = porcupineModel(sp, &t.opt)
	}
	switch porcupine.CheckOperationsTimeout(model, porcupineOperations(evs), timeout) {
	case porcupine.Ok:
		return valid(name)
	case porcupine.Illegal:
		return invalid(name, "no linearization exists")
	}
	return unknown(name, "no answer within "+t.opt.Timeout.String())
}

// An orderedState remembers which operations of known outcome have come.
type orderedState[S comparable] struct {
	state S
	came  string // one bit for each
}

// inOrder makes a spec insist on the order of each process, which porcupine
// does not see where stamps are equal.
func inOrder[S comparable](sp spec[S], evs []event) spec[orderedState[S]] {
	number := map[int32]int{} // numbers of the events of known outcome, by their place among all
	for i := range evs {
		if evs[i].Status != Pending {
			number[evs[i].id] = len(number)
		}
	}
	return spec[orderedState[S]]{
		init: func(opt *Options) orderedState[S] {
			return orderedState[S]{sp.init(opt), string(make([]byte, len(evs)/8+1))}
		},
		step: func(opt *Options, s orderedState[S], o *event) (orderedState[S], bool) {
			if o.last >= 0 && s.came[o.last/8]>>(o.last%8)&1 == 0 {
				return s, false
			}
			next, ok := sp.step(opt, s.state, o)
			if o.Status == Pending {
				return orderedState[S]{next, s.came}, ok
			}
			k := number[o.id]
			came := []byte(s.came)
			came[k/8] |= 1 << (k % 8)
			return orderedState[S]{next, string(came)}, ok
		},
	}
}
