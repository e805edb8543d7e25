package linear

// An electionState says who leads, and in which term.
type electionState struct {
	leader int64 // 0: nobody
	term   uint64
	open   bool // the term is not known, except that it is at least term
	value  string
}

// electionSpec: a leader has a term of its own, greater than all before. It may lose its
// leadership unseen at any moment, but if it was told that it leads, it led. Observers see the
// current leader. A leader that nobody heard of took the least term that was left, or the term
// that an observer saw.
var electionSpec = spec[electionState]{
	init: func(*Options) electionState { return electionState{} },
	drop: func(_ *Options, o *Operation) bool {
		return o.F == Campaign && o.Status == Refused || o.F != Campaign && o.Status == Pending
	},
	pure:  func(o *event) bool { return o.Status == OK && (o.F == Renew || o.F == Observe) },
	class: func(o *event) class { return class{f: o.F, who: o.who, value: o.Value} },
	step: func(_ *Options, s electionState, o *event) (electionState, bool) {
		switch o.F {
		case Campaign:
			if o.Status == Pending {
				return electionState{o.who, s.term + 1, true, o.Value}, true
			}
			return electionState{o.who, o.Token, false, o.Value}, o.Token > s.term
		case Observe:
			return s.observed(o)
		case Renew, Resign, End:
			return s.told(o)
		}
		return s, false
	},
}

func (s electionState) observed(o *event) (electionState, bool) {
	switch {
	case o.Status == Refused:
		return s.over(), true
	case s.leader == 0 || o.Value != s.value || !s.may(o.Token):
		return s, false
	}
	return s.known(o.Token), true
}

// told takes what a leader was told about its own leadership. An answer with a term is about
// that term, and one without a term is about the current term.
func (s electionState) told(o *event) (electionState, bool) {
	mine := s.leader == o.who && s.may(o.Token)
	switch {
	case o.Status == Refused || o.F == End:
		if mine {
			s = s.over()
		}
		return s, true
	case o.F == Resign:
		return s.known(o.Token).over(), mine
	}
	return s.known(o.Token), mine
}

// may reports whether the term can be this one; 0 can be any.
func (s electionState) may(term uint64) bool {
	return term == 0 || term == s.term || s.open && term > s.term
}

func (s electionState) known(term uint64) electionState {
	if term != 0 {
		s.term, s.open = term, false
	}
	return s
}

func (s electionState) over() electionState { return electionState{term: s.term} }
