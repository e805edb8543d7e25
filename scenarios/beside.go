package scenarios

// countBeside makes client 1 take the lock and read, client 2 request the same lock and count if it
// is granted, and client 1 write the value that it had computed. The second lease is nil if client
// 2 was refused, which is recorded as a fact.
func (s *Stage) countBeside() (l1, l2 *Lease) {
	c1, c2 := s.Client(1), s.Client(2)
	l1 = c1.Acquire()
	n := l1.Read()
	l2 = c2.Try()
	s.Fact("client 2 was refused", l2 == nil)
	l2.Write(l2.Read() + 1)
	l1.Write(n + 1)
	return l1, l2
}
