package timeline

// This file compares the claims of leases. A lease is granted the whole lock, the lock beside
// other readers, permits of a semaphore, or the leadership.

// Excludes reports whether two leases cannot be held at the same time. Permits exclude each other
// only by their sum.
func (l *Lease) Excludes(m *Lease) bool {
	return !(l.Shared && m.Shared) && !(l.Permits > 0 && m.Permits > 0)
}
