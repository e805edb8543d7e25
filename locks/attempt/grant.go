package attempt

import "time"

// A Grant holds the data that most leases share. A lease that embeds one is locks.Bounded and
// locks.Owned. The comment of each such lease says when its validity starts and where the
// servers keep the owner value.
type Grant struct {
	Name string // name of the lock
	// Value is the owner value on the servers. A release compares it, so that it frees no other
	// holder's lock.
	Value string
	// End is the end of the validity by the client's clock. It is counted from before the request,
	// so it is never later than the end on the server.
	End time.Time
}

// Until returns the end of the validity, by the client's clock.
func (g *Grant) Until() time.Time { return g.End }

// Owner returns the owner value.
func (g *Grant) Owner() string { return g.Value }

// A FencedGrant is a Grant with a fencing token: a lease that embeds one is also locks.Fenced.
type FencedGrant struct {
	Grant
	Number uint64
}

// Token returns the fencing token.
func (g *FencedGrant) Token() uint64 { return g.Number }
