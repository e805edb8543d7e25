package registry

import (
	"context"
	"strings"
	"time"

	"locktorture/cluster"
	"locktorture/locks"
	"locktorture/registry/onredis"
)

// An Args is what a lock is opened with.
type Args = onredis.Args

// A Backend is a lock that can be tortured: where it runs, what it declares,
// how one client of it is opened, and how the harness looks at its servers.
type Backend struct {
	Name     string // in its table; "driver" for a program that has none
	About    string
	Topology string // of the cluster; "" for a lock that needs no server
	// Replicated is the topology with a primary that can fail over; "" if the lock has none.
	Replicated string
	// Elsewhere are further topologies on which it can run, where one is named.
	Elsewhere []string
	// Serve prepares the resources of a lock without servers; Without says why the lock has
	// none.
	Serve   func() (*cluster.Cluster, error)
	Without string
	Traits  locks.Traits
	Open    func(ctx context.Context, a Args) (locks.Locker, error)
	// ProbeWith looks at the servers; nil: they cannot be asked. Prober does so where they are
	// open to everybody, or as Through says.
	ProbeWith func(c *cluster.Cluster, a Args) (locks.Prober, error)
	Prober    func(c *cluster.Cluster) (locks.Prober, error)
	Tables    bool          // it keeps rows: a prefix is put before table names, not before lock names
	Retry     time.Duration // longest pause between two tries of a waiter
	Control   bool          // the control that is never flagged
	Real      bool          // it asks for what embedded servers do not have
	HostTime  bool          // it reads the host's clock and ignores the clock that it is given
	// Spared are faults that are left out where nobody names them, each with the reason.
	Spared map[string]string
	// Modules are the Go modules of the lock's implementation; nil: the client library of its
	// servers.
	Modules []string
	// Bare names the bare commands (of bench/raw) that it cannot do without, where they are
	// not those of its topology. Peer is the library with the same algorithm, with which it is
	// compared.
	Bare, Peer string
	// Program names the module below drivers/go that has the lock, whose library the core does
	// without. Open then starts it.
	Program string
	// Driver is the program of a lock that is one; its Traits are known once it was asked.
	Driver *Driver
}

// Through returns a backend whose servers are looked at with an access and a prefix.
func (b Backend) Through(a Args) Backend {
	if b.ProbeWith == nil {
		return b
	}
	b.Prober = func(c *cluster.Cluster) (locks.Prober, error) {
		p, err := b.ProbeWith(c, a)
		if err != nil || b.Tables {
			return p, err
		}
		return locks.ProbeWithin(a.Prefix, p), nil
	}
	return b
}

// OpenWithin opens one client whose keys begin with the prefix of the arguments.
func (b Backend) OpenWithin(ctx context.Context, a Args) (locks.Locker, error) {
	l, err := b.Open(ctx, a)
	if err != nil || b.Tables || b.Program != "" { // a program has been told the prefix
		return l, err
	}
	return locks.Within(a.Prefix, l), nil
}

// RunsOn names its topologies, for a message.
func (b Backend) RunsOn() string {
	on := append([]string{b.Topology}, b.Elsewhere...)
	if b.Replicated != "" {
		on = append(on, b.Replicated)
	}
	return strings.Join(on, " or ")
}

// beside returns the backend beside other bare commands than those of its topology.
func (b Backend) beside(commands string) Backend {
	b.Bare = commands
	return b
}

// against returns the backend compared with a library.
func (b Backend) against(library string) Backend {
	b.Peer = library
	return b
}
