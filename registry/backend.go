package registry

import (
	"context"
	"strings"
	"time"

	"locktorture/cluster"
	"locktorture/locks"
	"locktorture/registry/onredis"
)

// Args holds the arguments with which one client opens a lock.
type Args = onredis.Args

// A Backend is a lock that can be tortured: where it runs, what it declares,
// how a client opens it, and how the harness probes its servers.
type Backend struct {
	Name     string // name in its table; "driver" for a driver without an entry
	About    string
	Topology string // topology of its servers; "" for a lock that needs no server
	// Replicated is the topology with a primary that can fail over; "" if the lock has none.
	Replicated string
	// Elsewhere lists further topologies on which the lock can run, if the user names one.
	Elsewhere []string
	// Serve prepares the resources of a lock without servers; nil for other locks. Without is the
	// reason why the lock has no servers.
	Serve   func() (*cluster.Cluster, error)
	Without string
	Traits  locks.Traits
	Open    func(ctx context.Context, a Args) (locks.Locker, error)
	// ProbeWith opens a prober of the servers; nil: the servers cannot be queried. Prober opens a
	// prober with the arguments of the latest Through.
	ProbeWith func(c *cluster.Cluster, a Args) (locks.Prober, error)
	Prober    func(c *cluster.Cluster) (locks.Prober, error)
	Tables    bool          // it keeps rows: a prefix begins the names of tables, not of locks
	Retry     time.Duration // longest pause between two tries of a waiter
	Control   bool          // the control that is never flagged
	Real      bool          // it needs features that embedded servers lack
	HostTime  bool          // it reads the host's clock and ignores the clock in its arguments
	// Spared maps a fault that is left out, unless the user names it, to the reason.
	Spared map[string]string
	// Options are the options of a library with which it can be run, NAME=VALUE. Scripts also have
	// others.
	Options []string
	// Modules are the Go modules of the lock's implementation; nil: the client library of its
	// servers.
	Modules []string
	// Bare names the bare commands (of bench/raw) that the lock needs at least, and with which
	// benchmarks compare it; "": the usual commands of its topology. Peer is the library with the
	// same algorithm, with which benchmarks compare the lock.
	Bare, Peer string
	// Program names the module below drivers/go that contains the lock; "": this program contains
	// it. The core does not import the libraries of such modules. Open starts the program.
	Program string
	// Driver is the user's driver program, if the lock is one; otherwise nil. The Traits of a
	// driver are complete only after Learn.
	Driver *Driver
}

// Through returns the backend with a Prober that uses the access and the prefix of a.
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

// OpenWithin opens the lock of one client. All its keys begin with the prefix of the arguments.
func (b Backend) OpenWithin(ctx context.Context, a Args) (locks.Locker, error) {
	l, err := b.Open(ctx, a)
	if err != nil || b.Tables || b.Program != "" { // these get the prefix in their arguments
		return l, err
	}
	return locks.Within(a.Prefix, l), nil
}

// RunsOn returns the names of the lock's topologies for a message.
func (b Backend) RunsOn() string {
	on := append([]string{b.Topology}, b.Elsewhere...)
	if b.Replicated != "" {
		on = append(on, b.Replicated)
	}
	return strings.Join(on, " or ")
}

// beside returns the backend with bare commands that replace the usual ones of its topology.
func (b Backend) beside(commands string) Backend {
	b.Bare = commands
	return b
}

// against returns the backend with a library as its peer.
func (b Backend) against(library string) Backend {
	b.Peer = library
	return b
}
