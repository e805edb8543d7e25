package mutants

// EndSessions ends all sessions that end by themselves, as if their clients were not heard.
func (s *QueueServer) EndSessions() {
	s.mu.Lock()
	var all []*queueSession
	for c := range s.sessions {
		if c.timer != nil {
			all = append(all, c)
		}
	}
	s.mu.Unlock()
	for _, c := range all {
		c.expire()
	}
}

// Waiting returns the number of those in the queue of a lock.
func (s *QueueServer) Waiting(name string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.lock(name).queue)
}
