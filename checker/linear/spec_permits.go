package linear

import "encoding/binary"

// A permitState is who holds a lock that several can hold: a sorted list of
// 8 bytes each.
type permitState struct{ holders string }

func permit(who int64, shared bool) int64 {
	if shared {
		return who << 1
	}
	return who<<1 | 1
}

func (s permitState) len() int { return len(s.holders) / 8 }

func (s permitState) at(i int) int64 {
	var b [8]byte
	copy(b[:], s.holders[8*i:])
	return int64(binary.BigEndian.Uint64(b[:]))
}

func (s permitState) find(p int64) int {
	for i := range s.len() {
		if s.at(i) == p {
			return i
		}
	}
	return -1
}

func (s permitState) with(p int64) permitState {
	i := 0
	for i < s.len() && s.at(i) < p {
		i++
	}
	added := binary.BigEndian.AppendUint64([]byte(s.holders[:8*i]), uint64(p))
	return permitState{string(added) + s.holders[8*i:]}
}

func (s permitState) without(i int) permitState {
	return permitState{s.holders[:8*i] + s.holders[8*i+8:]}
}

// withoutAll takes everything from one process.
func (s permitState) withoutAll(who int64) permitState {
	for i := s.len() - 1; i >= 0; i-- {
		if s.at(i)>>1 == who {
			s = s.without(i)
		}
	}
	return s
}

// rwlockSpec: many readers or one writer. It is not re-entrant.
var rwlockSpec = permitSpec(func(_ *Options, s permitState, shared bool) bool {
	return s.len() == 0 || shared && s.at(0)&1 == 0
})

// semaphoreSpec: at most Capacity permits are out; a process may hold several.
var semaphoreSpec = permitSpec(func(opt *Options, s permitState, _ bool) bool {
	return s.len() < opt.Capacity
})

func permitSpec(free func(*Options, permitState, bool) bool) spec[permitState] {
	return spec[permitState]{
		init: func(*Options) permitState { return permitState{} },
		drop: dropTries, pure: pureOfMutex, class: classOf,
		step: func(opt *Options, s permitState, o *event) (permitState, bool) {
			p := permit(o.who, o.Shared)
			if o.F == Acquire {
				ok := free(opt, s, o.Shared)
				if o.Status == Refused {
					return s, !ok
				}
				return s.with(p), ok
			}
			if o.F == End {
				return s.withoutAll(o.who), true
			}
			i := s.find(p)
			switch {
			case o.F != Renew && o.F != Release:
				return s, false
			case o.Status == Refused:
				return s, i < 0
			case i < 0 || o.F == Renew:
				return s, i >= 0
			}
			return s.without(i), true
		},
	}
}
