package linear

// A seenSet is a set of 128-bit hashes with open addressing. It takes 16 bytes per entry,
// against a cloned bit set of n/8 bytes in porcupine.
type seenSet struct {
	slots []key128
	used  int
	bytes int64 // the most that it may take
}

type key128 struct{ a, b uint64 }

func newSeenSet(bytes int64) *seenSet {
	return &seenSet{slots: make([]key128, 1<<10), bytes: bytes}
}

// add adds k. added reports whether k is new, and full whether it could not be stored because
// the set would outgrow its bound.
func (s *seenSet) add(k key128) (added, full bool) {
	if k == (key128{}) {
		k.a = 1
	}
	if 4*s.used >= 3*len(s.slots) && !s.grow() {
		return false, true
	}
	if !s.put(k) {
		return false, false
	}
	s.used++
	return true, false
}

func (s *seenSet) put(k key128) bool {
	mask := uint64(len(s.slots) - 1)
	for i := k.a & mask; ; i = (i + 1) & mask {
		switch s.slots[i] {
		case key128{}:
			s.slots[i] = k
			return true
		case k:
			return false
		}
	}
}

func (s *seenSet) grow() bool {
	if int64(3*len(s.slots))*16 > s.bytes { // old and new live together
		return false
	}
	old := s.slots
	s.slots = make([]key128, 2*len(old))
	for _, k := range old {
		if k != (key128{}) {
			s.put(k)
		}
	}
	return true
}

// mix is splitmix64: a bijection whose outputs look independent.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// element returns what operation i contributes to the hash of a set.
func element(seed uint64, i int32) key128 {
	x := mix(seed ^ uint64(i)<<1)
	return key128{mix(x), mix(x ^ 0xd1b54a32d192ed03)}
}

func (k key128) xor(o key128) key128 { return key128{k.a ^ o.a, k.b ^ o.b} }
