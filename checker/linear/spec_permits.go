package linear

import "encoding/binary"

// A permitState says who holds a lock that several can hold. It is a list of records, sorted
// by who. The records of one process in one mode are in the order in which they were granted.
type permitState struct{ holders string }

// What a record of a permitState consists of, 8 bytes each.
const (
	permitWho   = iota // as permit writes it
	permitCount        // permits; 1 of a read-write lock
	permitToken        // of a semaphore; 0: not known
	permitWords
)

func permit(who int64, shared bool) int64 {
	if shared {
		return who << 1
	}
	return who<<1 | 1
}

func (s permitState) len() int { return len(s.holders) / (8 * permitWords) }

func (s permitState) at(i, word int) int64 {
	var b [8]byte
	copy(b[:], s.holders[8*(permitWords*i+word):])
	return int64(binary.BigEndian.Uint64(b[:]))
}

// find returns the oldest hold of a process that an operation can mean; -1 for none.
func (s permitState) find(who int64, o *event) int {
	for i := range s.len() {
		if s.at(i, permitWho) == who && o.names(uint64(s.at(i, permitToken))) {
			return i
		}
	}
	return -1
}

// taken returns how many permits are out.
func (s permitState) taken() (sum int64) {
	for i := range s.len() {
		sum += s.at(i, permitCount)
	}
	return sum
}

func (s permitState) with(who, count, token int64) permitState {
	i := 0
	for i < s.len() && s.at(i, permitWho) <= who {
		i++
	}
	added := []byte(s.holders[:8*permitWords*i])
	for _, word := range []int64{who, count, token} {
		added = binary.BigEndian.AppendUint64(added, uint64(word))
	}
	return permitState{string(added) + s.holders[8*permitWords*i:]}
}

func (s permitState) without(i int) permitState {
	return permitState{s.holders[:8*permitWords*i] + s.holders[8*permitWords*(i+1):]}
}

// withoutAll takes everything from one process.
func (s permitState) withoutAll(who int64) permitState {
	for i := s.len() - 1; i >= 0; i-- {
		if s.at(i, permitWho)>>1 == who {
			s = s.without(i)
		}
	}
	return s
}

// rwlockSpec: many readers or one writer. It is not re-entrant.
var rwlockSpec = permitSpec(func(_ *Options, s permitState, o *event) bool {
	return s.len() == 0 || o.Shared && s.at(0, permitWho)&1 == 0
}, func(*event) (count, token int64) { return 1, 0 })

// semaphoreSpec: at most Capacity permits are out. A process may hold several, and gives back
// what it took together: the hold with the token of its release, else the oldest hold.
var semaphoreSpec = permitSpec(func(opt *Options, s permitState, o *event) bool {
	return s.taken()+o.permits() <= int64(opt.Capacity)
}, func(o *event) (count, token int64) { return o.permits(), int64(o.Token) })

func permitSpec(free func(*Options, permitState, *event) bool, what func(*event) (count, token int64)) spec[permitState] {
	return spec[permitState]{
		init: func(*Options) permitState { return permitState{} },
		drop: dropTries, pure: pureOfMutex, class: classOf,
		step: func(opt *Options, s permitState, o *event) (permitState, bool) {
			p := permit(o.who, o.Shared)
			if o.F == Acquire {
				ok := free(opt, s, o)
				if o.Status == Refused {
					return s, !ok
				}
				count, token := what(o)
				return s.with(p, count, token), ok
			}
			if o.F == End {
				return s.withoutAll(o.who), true
			}
			i := s.find(p, o)
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
