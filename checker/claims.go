package checker

// What a lease was granted: the whole lock, the lock beside other readers, permits of a
// semaphore, or the leadership.

// excludes reports whether two leases cannot be held at the same time. Of permits that is the
// sum's to say.
func (l *lease) excludes(m *lease) bool {
	return !(l.shared && m.shared) && !(l.permits > 0 && m.permits > 0)
}
