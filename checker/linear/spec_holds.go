package linear

// A holdState says who holds a lock that several can hold, each for its own time. Points of
// time are the least that the order so far allows. All constraints are lower bounds, so later
// points can only do worse.
type holdState struct {
	now   int64 // the point of the latest operation
	holds rows  // in the order of the calls that took them, see the constants below
}

// What a record of a hold consists of.
const (
	holdID    = iota // the event that took it
	holdWho          // as permit writes it: the process and the mode
	holdCount        // permits
	holdEnd          // it cannot end by itself before
	holdToken        // 0: not known
)

// timedRWLockSpec: many readers or one writer. A hold ends with its release,
// or by itself, no earlier than its TTL after its grant and each renewal.
var timedRWLockSpec = timedSpec(func(_ *Options, s rows, o *event) bool {
	return s.len() == 0 || o.Shared && s.at(0)[holdWho]&1 == 0
})

// timedSemaphoreSpec: the permits of all holds are at most Capacity. A hold ends as in
// timedRWLockSpec.
var timedSemaphoreSpec = timedSpec(func(opt *Options, s rows, o *event) bool {
	taken := o.permits()
	for i := range s.len() {
		taken += s.at(i)[holdCount]
	}
	return taken <= int64(opt.Capacity)
})

// permits returns how many permits an acquire takes.
func (o *Operation) permits() int64 { return max(1, int64(o.Permits)) }

// guaranteed returns how long a grant or a renewal lasts.
func (o *Operation) guaranteed(opt *Options) int64 {
	if o.TTL != 0 {
		return o.TTL
	}
	return max(0, int64(opt.TTL))
}

func timedSpec(free func(*Options, rows, *event) bool) spec[holdState] {
	return spec[holdState]{
		init: func(*Options) holdState { return holdState{now: -1 << 62} },
		drop: dropTries,
		pure: func(o *event) bool { return o.Status == Refused },
		class: func(o *event) class {
			c := classOf(o)
			if o.later {
				c.hold = o.id
			}
			return c
		},
		also: expiry,
		step: func(opt *Options, s holdState, o *event) (holdState, bool) {
			s.now = max(s.now, o.Call)
			ok := true
			switch {
			case o.later:
				s, ok = s.expire(int64(o.id) - 1)
			case o.F == Acquire && o.Status == Refused:
				ok = !free(opt, s.holds, o)
			case o.F == Acquire:
				ok = free(opt, s.holds, o)
				s.holds = s.holds.with(record{int64(o.id), permit(o.who, o.Shared), o.permits(), after(s.now, o.guaranteed(opt)), int64(o.Token)})
			case o.F == End:
				s.holds = s.holds.keep(func(r record) bool { return r[holdWho]>>1 != o.who || o.Status == Refused })
			default:
				s, ok = s.told(opt, o)
			}
			return s, ok && s.now <= o.end()
		},
	}
}

// expiry returns the event that a hold ends by itself. It may happen at any time from the
// least end of the hold on, or never. It returns false if that end comes after all returns,
// because nobody would notice the event.
func expiry(t *trace, o event) (event, bool) {
	ends := *o.Operation
	ends.F, ends.Status, ends.Call = End, Pending, after(o.Call, o.guaranteed(&t.opt))
	if o.F != Acquire || o.Status == Refused || ends.Call > t.latest {
		return event{}, false
	}
	o.Operation, o.later = &ends, true
	return o, true
}

func (s holdState) expire(id int64) (holdState, bool) {
	i := s.holds.find(func(r record) bool { return r[holdID] == id })
	if i < 0 {
		return s, false
	}
	s.now = max(s.now, s.holds.at(i)[holdEnd])
	s.holds = s.holds.without(i)
	return s, true
}

// told takes a release or a renewal. An operation with a token is about the hold with that
// token. One without a token is about the oldest hold that its process has in this mode. A
// renewal never shortens what was guaranteed.
func (s holdState) told(opt *Options, o *event) (holdState, bool) {
	who := permit(o.who, o.Shared)
	i := s.holds.find(func(r record) bool { return r[holdWho] == who && o.names(uint64(r[holdToken])) })
	switch {
	case o.F != Renew && o.F != Release:
		return s, false
	case o.Status == Refused || i < 0:
		return s, (o.Status == Refused) == (i < 0)
	case o.F == Release:
		s.holds = s.holds.without(i)
		return s, true
	}
	r := s.holds.at(i)
	r[holdEnd] = max(r[holdEnd], after(s.now, o.guaranteed(opt)))
	s.holds = s.holds.set(i, r)
	return s, true
}

// names reports whether a release or a renewal can be of a hold with this token. If either has
// no token, it can.
func (o *Operation) names(token uint64) bool {
	return o.Token == 0 || token == 0 || o.Token == token
}
