package attempt

import "time"

// A Grant is what most leases know of themselves. A lease that embeds one is locks.Bounded and
// locks.Owned; its own comment says from when the validity counts, and where the owner's value
// stands.
type Grant struct {
	Name  string    // of the lock
	Value string    // that marks the owner on the servers
	End   time.Time // of the validity, by the client's clock
}

// Until is the end of the validity.
func (g *Grant) Until() time.Time { return g.End }

// Owner is the owner's value.
func (g *Grant) Owner() string { return g.Value }

// A FencedGrant is a Grant with a fencing token: a lease that embeds one is locks.Fenced, too.
type FencedGrant struct {
	Grant
	Number uint64
}

// Token is the fencing token.
func (g *FencedGrant) Token() uint64 { return g.Number }
