package history

// A Call is an operation: its invocation and, if it has one, its completion.
// Both point into the history that was paired.
type Call struct {
	Invoke *Op
	Return *Op // nil if the operation was in flight when the history ended
}

// Pending reports whether the call has no completion.
func (c Call) Pending() bool { return c.Return == nil }

// Pair finds the operations of a valid history, in the order of their
// invocations. Events are not operations.
func Pair(h History) []Call {
	n := 0
	for i := range h {
		if h[i].Type == Invoke {
			n++
		}
	}
	calls := make([]Call, 0, n)
	open := make(map[int]int) // process → index of its call
	for i := range h {
		op := &h[i]
		switch {
		case op.Type == Invoke:
			open[op.Process] = len(calls)
			calls = append(calls, Call{Invoke: op})
		case op.F.Event():
		default:
			if c, ok := open[op.Process]; ok && calls[c].Invoke.F == op.F {
				calls[c].Return = op
				delete(open, op.Process)
			}
		}
	}
	return calls
}

// Event reports whether entries of this function are events, which nobody invoked.
func (f F) Event() bool {
	switch f {
	case Lost, Crash, Probe, Stall, Fault, Heal, Job, End:
		return true
	}
	return false
}
