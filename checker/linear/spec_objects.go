package linear

import "strings"

// pureReads: reads and what was refused change nothing.
func pureReads(o *event) bool { return o.F == Read || o.Status == Refused }

// dropReads drops reads of unknown outcome.
func dropReads(_ *Options, o *Operation) bool { return o.F == Read && o.Status == Pending }

// A registerState is a string that is read, written, compared and set, and
// appended to.
type registerState struct{ value string }

// registerSpec is also the state machine, whose transitions are CASes.
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

// logSpec: values appended to a list that is read as a whole, separated by
// commas.
var logSpec = spec[registerState]{
	init: func(*Options) registerState { return registerState{} },
	drop: dropReads, pure: pureReads, class: classOf,
	step: func(_ *Options, s registerState, o *event) (registerState, bool) {
		switch {
		case o.F == Read:
			return s, s.value == o.Value
		case o.F != Append || o.Status == Refused:
			return s, false
		case s.value == "":
			return registerState{o.Value}, true
		}
		return registerState{s.value + "," + o.Value}, true
	},
}

// A sumState is a number.
type sumState struct{ n int64 }

// sumSpec is a counter, with blind additions and fetch-and-add.
var sumSpec = spec[sumState]{
	init: func(*Options) sumState { return sumState{} },
	drop: dropReads, pure: pureReads, class: classOf,
	step: func(_ *Options, s sumState, o *event) (sumState, bool) {
		switch {
		case o.F == Read:
			return s, s.n == o.Number
		case o.F == Add && o.Status != Refused:
			return sumState{s.n + o.Delta}, true
		case o.F == FetchAdd && o.Status != Refused:
			return sumState{s.n + o.Delta}, o.Status == Pending || o.Number == s.n
		}
		return s, false
	},
}

// inventorySpec: units are sold until none is left; there is no restock.
var inventorySpec = spec[sumState]{
	init: func(opt *Options) sumState { return sumState{opt.Stock} },
	drop: dropReads, pure: pureReads, class: classOf,
	step: func(_ *Options, s sumState, o *event) (sumState, bool) {
		switch {
		case o.F == Read:
			return s, s.n == o.Number
		case o.F == Sell && o.Status == Refused:
			return s, s.n == 0
		case o.F == Sell:
			return sumState{s.n - 1}, s.n > 0
		}
		return s, false
	},
}

// A storeState is a mark and the values that it guards.
type storeState struct {
	mark   uint64
	values string // key, value, …, each ended by a zero byte
}

func (s storeState) get(key string) (value string, at, end int) {
	for i := 0; i < len(s.values); {
		k := i + strings.IndexByte(s.values[i:], 0)
		v := k + 1 + strings.IndexByte(s.values[k+1:], 0)
		if s.values[i:k] == key {
			return s.values[k+1 : v], i, v + 1
		}
		if s.values[i:k] > key {
			return "", i, i
		}
		i = v + 1
	}
	return "", len(s.values), len(s.values)
}

// fencedStoreSpec: an operation, read or write, is refused if its token is
// less than the greatest that the store has seen.
var fencedStoreSpec = spec[storeState]{
	init: func(*Options) storeState { return storeState{} },
	drop: keepAll, class: classOf,
	pure: func(o *event) bool { return o.Status == Refused },
	step: func(opt *Options, s storeState, o *event) (storeState, bool) {
		if o.Status == Refused {
			return s, o.Token < s.mark
		}
		value, at, end := s.get(o.Key)
		if at == end {
			value = opt.Initial
		}
		next := storeState{o.Token, s.values}
		switch {
		case o.Token < s.mark:
			return s, false
		case o.F == Read:
			return next, o.Status == Pending || o.Value == value
		case o.F == Write:
			next.values = s.values[:at] + o.Key + "\x00" + o.Value + "\x00" + s.values[end:]
			return next, true
		}
		return s, false
	},
}
