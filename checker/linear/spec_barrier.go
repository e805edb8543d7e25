package linear

// A barrierState says who has come to a barrier, and how many generations have been complete.
type barrierState struct {
	generation int64 // the generation that is being waited for
	waiting    int64 // parties that wait in it
	parties    rows  // see the constants below
}

// What a record of a party consists of.
const (
	partyID = iota // the event with which it entered
	partyWho
	partyGeneration
	partyLeaves // 1 + the event with which it leaves; 0: it is inside
)

// barrierSpec: nobody is inside a generation before Parties have entered it,
// and nobody who leaves has left before all of them leave. A party that enters again, is gone,
// or died while it entered leaves, too. An operation has two events: its party comes, and its
// party goes on.
var barrierSpec = spec[barrierState]{
	init:  func(*Options) barrierState { return barrierState{} },
	drop:  func(_ *Options, o *Operation) bool { return o.Status == Refused },
	pure:  func(o *event) bool { return o.later && o.F == Enter },
	class: func(o *event) class { return class{f: o.F, who: o.who} },
	also: func(_ *trace, o event) (event, bool) {
		o.later = true
		return o, o.Status == OK && o.F != End
	},
	step: func(opt *Options, s barrierState, o *event) (barrierState, bool) {
		switch {
		case o.F == Enter && !o.later:
			return s.enter(opt, o), true
		case o.F == Leave && !o.later:
			return s.leave(o)
		case o.F == End:
			return s.depart(o.who), true
		}
		return s.goOn(o)
	},
}

func (s barrierState) enter(opt *Options, o *event) barrierState {
	s = s.depart(o.who)
	s.parties = s.parties.with(record{partyID: int64(o.id), partyWho: o.who, partyGeneration: s.generation})
	if s.waiting++; s.waiting == int64(opt.Parties) {
		s.generation, s.waiting = s.generation+1, 0
		s = s.depart(dead)
	}
	return s
}

// inside reports whether a party of a complete generation has not left yet.
func (s barrierState) inside(r record) bool {
	return r[partyGeneration] < s.generation && r[partyLeaves] == 0
}

// depart lets a process leave what it is inside of.
func (s barrierState) depart(who int64) barrierState {
	s.parties = s.parties.keep(func(r record) bool { return r[partyWho] != who || !s.inside(r) })
	return s
}

func (s barrierState) leave(o *event) (barrierState, bool) {
	i := s.parties.find(func(r record) bool { return r[partyWho] == o.who && s.inside(r) })
	if i < 0 {
		return s, false
	}
	r := s.parties.at(i)
	r[partyLeaves] = int64(o.id) + 1
	if s.parties = s.parties.set(i, r); o.Status == Pending {
		s.parties = s.parties.without(i) // nobody waits for its answer
	}
	return s, true
}

// goOn lets an operation return: one that enters, if its generation is
// complete; one that leaves, if nobody of its generation is inside.
func (s barrierState) goOn(o *event) (barrierState, bool) {
	if o.F == Enter {
		i := s.parties.find(func(r record) bool { return r[partyID] == int64(o.id)-1 })
		return s, i >= 0 && s.parties.at(i)[partyGeneration] < s.generation
	}
	i := s.parties.find(func(r record) bool { return r[partyLeaves] == int64(o.id) })
	if i < 0 {
		return s, false
	}
	g := s.parties.at(i)[partyGeneration]
	if s.parties.find(func(r record) bool { return r[partyGeneration] == g && s.inside(r) }) >= 0 {
		return s, false
	}
	s.parties = s.parties.without(i)
	return s, true
}
