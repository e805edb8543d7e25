package linear

// A lockState is the state of an exclusive lock.
type lockState struct {
	owner int64 // 0: free
	depth int32 // of re-entrant locks
	token uint64
}

// dropTries drops refused acquires unless they are strict, and renewals of
// unknown outcome, which change nothing that can be seen.
func dropTries(opt *Options, o *Operation) bool {
	return o.F == Acquire && o.Status == Refused && !opt.StrictTries || o.F == Renew && o.Status == Pending
}

// dropLease also drops operations of unknown outcome that may end a lease, because a lease may
// end at any time anyway.
func dropLease(opt *Options, o *Operation) bool {
	return dropTries(opt, o) || o.Status == Pending && (o.F == Release || o.F == End)
}

// pureOfMutex: only a grant and what ends it change a lock.
func pureOfMutex(o *event) bool {
	return o.F == Renew || o.Status == Refused
}

// pureOfLease: a refused renewal or release shows that the lease is over.
func pureOfLease(o *event) bool {
	return o.F == Renew && o.Status == OK || o.F == Acquire && o.Status == Refused
}

// mutexSpec: one holder, which keeps the lock until it gives it back.
var mutexSpec = spec[lockState]{
	init: func(*Options) lockState { return lockState{} },
	drop: dropTries, pure: pureOfMutex, class: classOf,
	step: func(_ *Options, s lockState, o *event) (lockState, bool) {
		switch o.F {
		case Acquire:
			if o.Status == Refused {
				return s, s.owner != 0
			}
			return lockState{owner: o.who}, s.owner == 0
		case Renew:
			return s, (s.owner == o.who) == (o.Status == OK)
		case Release, End:
			if o.Status == Refused {
				return s, s.owner != o.who
			}
			if o.F == End && o.Status == OK && s.owner != o.who {
				return s, true // it ended before
			}
			return lockState{}, s.owner == o.who
		}
		return s, false
	},
}

// reentrantSpec: the holder may take the lock again, and frees it with the
// last of as many releases. End drops all of them.
var reentrantSpec = spec[lockState]{
	init: func(*Options) lockState { return lockState{} },
	drop: dropTries, pure: pureOfMutex, class: classOf,
	step: func(opt *Options, s lockState, o *event) (lockState, bool) {
		switch {
		case o.F == Acquire && o.Status == Refused:
			return s, s.owner != 0 && s.owner != o.who
		case o.F == Acquire && s.owner == o.who && o.who != dead:
			s.depth++
			return s, true
		case o.F == Acquire:
			return lockState{owner: o.who, depth: 1}, s.owner == 0
		case o.F == Release && o.Status != Refused && s.depth > 1:
			s.depth--
			return s, s.owner == o.who
		}
		return mutexSpec.step(opt, s, o)
	},
}

// leaseSpec: a lease may end unseen at any moment, so a grant is always possible. A holder
// that is told that it has the lease has it.
var leaseSpec = spec[lockState]{
	init: func(*Options) lockState { return lockState{} },
	drop: dropLease, pure: pureOfLease, class: classOf,
	step: func(_ *Options, s lockState, o *event) (lockState, bool) {
		switch o.F {
		case Acquire:
			if o.Status == Refused {
				return s, s.owner != 0
			}
			return lockState{owner: o.who}, true
		case Renew, Release, End:
			if o.Status == Refused || o.F == End {
				if s.owner == o.who {
					return lockState{}, true
				}
				return s, true
			}
			if o.F == Renew {
				return s, s.owner == o.who
			}
			return lockState{}, s.owner == o.who
		}
		return s, false
	},
}

// fencedSpec: a lease whose tokens grow from grant to grant. A grant that
// nobody heard of took the least token that was left.
var fencedSpec = spec[lockState]{
	init: leaseSpec.init, drop: dropLease, pure: pureOfLease, class: classOf,
	step: func(opt *Options, s lockState, o *event) (lockState, bool) {
		if o.F == Acquire && o.Status != Refused {
			token := o.Token
			if o.Status == Pending {
				token = s.token + 1
			}
			return lockState{owner: o.who, depth: 1, token: token}, token > s.token
		}
		if o.Status == OK && o.F != End && o.Token != 0 && o.Token != s.token {
			return s, false
		}
		next, ok := leaseSpec.step(opt, s, o)
		next.token = s.token
		return next, ok
	},
}

// reentrantFencedSpec: re-entry repeats the token of its own lease.
var reentrantFencedSpec = spec[lockState]{
	init: leaseSpec.init, drop: dropLease, pure: pureOfLease, class: classOf,
	step: func(opt *Options, s lockState, o *event) (lockState, bool) {
		switch {
		case o.F == Acquire && o.Status == OK && s.owner == o.who && o.Token == s.token,
			o.F == Acquire && o.Status == Pending && s.owner == o.who && o.who != dead:
			s.depth++
			return s, true
		case o.F == Acquire && o.Status == Refused:
			return s, s.owner != 0 && s.owner != o.who
		case o.F == Release && o.Status == OK && s.depth > 1:
			s.depth--
			return s, s.owner == o.who && (o.Token == 0 || o.Token == s.token)
		}
		return fencedSpec.step(opt, s, o)
	},
}

// pureOfTries: a renewal changes a timed lease.
func pureOfTries(o *event) bool { return o.F == Acquire && o.Status == Refused }

// A timedState is the state of a lease that lasts as long as the service promised. Points of
// time are the least that the order so far allows. All constraints are lower bounds, so later
// points can only do worse.
type timedState struct {
	owner int64
	token uint64
	now   int64 // the point of the latest operation
	end   int64 // the lease cannot end before, unless it is released
}

var timedLeaseSpec = spec[timedState]{
	init: func(*Options) timedState { return timedState{now: -1 << 62} },
	drop: dropTries, pure: pureOfTries, class: classOf,
	step: func(opt *Options, s timedState, o *event) (timedState, bool) {
		s.now = max(s.now, o.Call)
		mine := s.owner == o.who
		ok := true
		switch {
		case o.F == Acquire && o.Status == Refused:
			ok = s.owner != 0
		case o.F == Acquire:
			if s.owner != 0 {
				s.now = max(s.now, s.end)
			}
			token := o.Token
			if o.Status == Pending && s.token != 0 {
				token = s.token + 1
			}
			ok = token == 0 && s.token == 0 || token > s.token
			s = timedState{o.who, token, s.now, after(s.now, o.guaranteed(opt))}
		case o.Status == Refused || o.F == End && o.Status == OK: // the lease had ended
			if mine && o.Status == Refused {
				s.now = max(s.now, s.end)
			}
			if mine {
				s = timedState{0, s.token, s.now, 0}
			}
		case o.F == Renew:
			s.end, ok = max(s.end, after(s.now, o.guaranteed(opt))), mine
		default: // Release, End
			s.owner, s.end, ok = 0, 0, mine
		}
		if o.Status == OK && (o.F == Renew || o.F == Release) && o.Token != 0 && o.Token != s.token {
			ok = false
		}
		return s, ok && s.now <= o.end()
	},
}
