package workloads

import "context"

// An Upgrader is a Store in the hands of a reader that may become the writer.
type Upgrader interface {
	// Upgrades tells that the lock of the section has such a thing.
	Upgrades() bool
	// Upgrade waits until its holder is the only one, and makes it the writer. Not ok is a
	// refusal: it is a reader still.
	Upgrade(ctx context.Context) (ok bool, err error)
	// Downgrade makes the writer a reader again.
	Downgrade(ctx context.Context) error
}

// upgrader returns the store as an Upgrader, nil where the lock does not have it.
func upgrader(s Store) Upgrader {
	if u, ok := s.(Upgrader); ok && u.Upgrades() {
		return u
	}
	return nil
}
