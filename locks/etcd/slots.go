package etcd

import "sync"

// A slots tells the keys of a session apart, by number. A number is used again once its key is
// certainly gone and nothing that was asked of it can come late: until etcd compacts its
// history it keeps an index entry for each key that there ever was, and reading a queue passes
// all of them, so that a lock with a new key for each call gets slower from grant to grant.
type slots struct {
	mu   sync.Mutex
	free []int
	used int // numbers that were ever taken
}

// take returns a number that no other entry has.
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

// back gives a number to whoever takes one next.
func (s *slots) back(slot int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.free = append(s.free, slot)
}
