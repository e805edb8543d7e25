package linear

// A latchState says how often a latch was counted down.
type latchState struct{ n int }

// latchSpec: the latch opens with as many count-downs as there are Parties, and stays open.
var latchSpec = spec[latchState]{
	init:  func(*Options) latchState { return latchState{} },
	drop:  dropWaits,
	pure:  func(o *event) bool { return o.F == Await },
	class: func(o *event) class { return class{f: o.F} },
	step: func(opt *Options, s latchState, o *event) (latchState, bool) {
		switch o.F {
		case CountDown:
			return latchState{min(s.n+1, opt.Parties)}, true
		case Await:
			return s, (s.n == opt.Parties) == (o.Status == OK)
		}
		return s, false
	},
}

// dropWaits drops waits that ended without an answer, count-downs that were
// refused, which did nothing, and refused waits unless they are strict.
func dropWaits(opt *Options, o *Operation) bool {
	switch o.Status {
	case Pending:
		return o.F == Await
	case Refused:
		return o.F == CountDown || !opt.StrictTries
	}
	return false
}
