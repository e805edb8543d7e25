package workloads

import "context"

// An Upgrader is a Store for a reader that may become the writer.
type Upgrader interface {
	// Upgrades reports that the lock of the section supports upgrades.
	Upgrades() bool
	// Upgrade waits until its holder is the only holder, and makes it the writer. If ok is
	// false, the upgrade was refused and the holder is still a reader.
	Upgrade(ctx context.Context) (ok bool, err error)
	// Downgrade makes the writer a reader again.
	Downgrade(ctx context.Context) error
}

// upgrader returns the store as an Upgrader, or nil if the lock does not support upgrades.
func upgrader(s Store) Upgrader {
	if u, ok := s.(Upgrader); ok && u.Upgrades() {
		return u
	}
	return nil
}
