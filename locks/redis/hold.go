package redis

import (
	"sync"
	"time"

	"locktorture/locks/attempt"
)

// A hold is the time between a client's outermost grant of a lock and the release that ends it. All
// leases of a hold share its name on the server.
type hold struct {
	// name is the name of the lock.
	name  string
	owner string
	attempt.Kept

	mu sync.Mutex
	// inside is the number of leases that are not released.
	inside int
}

// A holds contains the holds of a client, one for each lock that it is inside.
type holds struct {
	mu  sync.Mutex
	all map[string]*hold
}

// of returns the client's hold of a lock, or a new one that has not begun.
func (s *holds) of(name string, client *server) *hold {
	s.mu.Lock()
	defer s.mu.Unlock()
	if h := s.all[name]; h != nil && !h.Over() {
		return h
	}
	return &hold{name: name, owner: client.owner(), Kept: attempt.NewKept(time.Time{})}
}

// enter counts a grant and reports whether it is the outermost.
func (s *holds) enter(h *hold) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.inside++; h.inside > 1 {
		return false
	}
	if s.all == nil {
		s.all = map[string]*hold{}
	}
	s.all[h.name] = h
	return true
}

// leave counts a release and returns the number of leases that are still inside. The last release
// ends the hold and its watchdog.
func (s *holds) leave(h *hold) int {
	h.mu.Lock()
	h.inside--
	inside := h.inside
	if inside == 0 {
		h.Finish()
	}
	h.mu.Unlock()
	if inside == 0 {
		s.forget(h)
	}
	return inside
}

// forget ends the use of a hold's owner value: the next grant has another one.
func (s *holds) forget(h *hold) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.all[h.name] == h {
		delete(s.all, h.name)
	}
}
