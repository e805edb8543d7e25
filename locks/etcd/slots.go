package etcd

import "sync"

// A slots numbers the keys of a session. It reuses a number once its key is certainly gone and no
// request for it can arrive late. Reuse matters for speed: until etcd compacts its history, it
// keeps an index entry for every key that ever existed, and reading a queue passes all of them.
// With a new key per call a lock would get slower from grant to grant.
type slots struct {
	mu   sync.Mutex
	free []int
	// used is the number of slots ever given out.
	used int
}

// take returns a number that no other entry uses.
func (s *slots) take() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n := len(s.free); n > 0 {
		slot := s.free[n-1]
		s.free = s.free[:n-1]
		return slot
	}
	s.used++
	return s.used
}

// back makes a number available again.
func (s *slots) back(slot int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.free = append(s.free, slot)
}
