package linear

// A registerState is a string that is read, written, compared and set, and
// appended to.
type registerState struct{ value string }

// dropReads drops reads of unknown outcome.
func dropReads(_ *Options, o *Operation) bool { return o.F == Read && o.Status == Pending }

// pureReads: reads and what was refused change nothing.
func pureReads(o *event) bool { return o.F == Read || o.Status == Refused }

var registerSpec = spec[registerState]{
	init: func(opt *Options) registerState { return registerState{opt.Initial} },
	drop: dropReads, pure: pureReads, class: classOf,
	step: func(_ *Options, s registerState, o *event) (registerState, bool) {
		if o.Status == Refused {
			return s, o.F != CAS || s.value != o.Expect
		}
		switch o.F {
		case Read:
			return s, s.value == o.Value
		case Write:
			return registerState{o.Value}, true
		case CAS:
			return registerState{o.Value}, s.value == o.Expect
		case Append:
			return registerState{s.value + o.Value}, true
		}
		return s, false
	},
}
