package workloads

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"
)

// ErrStale: the fenced store refused an operation whose token is older than
// the newest that it has seen for that lock.
var ErrStale = errors.New("stale fencing token")

// ErrConflict: the condition of a conditional write did not hold.
var ErrConflict = errors.New("conditional write refused")

// ErrGone: the client may not go on with its section: its lease is over, it
// was killed, or the run ends. A section returns it unchanged.
var ErrGone = errors.New("section given up")

// A Workload is the clients' work while they hold a lock.
type Workload interface {
	// Init writes the initial state. It is called once for every store.
	Init(ctx context.Context, s Store) error
	// Next returns the critical section that a process runs next. It draws
	// on r and nothing else, so that a seed fixes the work.
	Next(r *rand.Rand, process int) Section
}

// A Section is one critical section: the locks it needs, in order, how it
// takes them, and its body.
type Section struct {
	Locks []string // names, in the order in which they are taken; released in reverse
	Try   bool     // give up when the lock is taken
	// Shared takes the locks beside other readers, Permits so many of a semaphore with
	// Capacity of them.
	Shared            bool
	Permits, Capacity int
	// Capacities maps each semaphore among Locks whose capacity differs from Capacity to its
	// own.
	Capacities map[string]int
	// Parties enters a barrier of so many; Unheld takes nothing: the locks are latches, and
	// the body asks them (see Latcher).
	Parties int
	Unheld  bool
	Hold    time.Duration // how long the body's work takes, spent between its operations
	Think   time.Duration // pause of the client before the section
	// Before is done before the locks are taken, where there is something to do; it returns
	// errors as Run does.
	Before func(ctx context.Context, s Store) error
	// Run is the body. It returns the store's error as it is, so that the
	// harness can tell a refusal from a broken store.
	Run func(ctx context.Context, s Store) error
}

// CapacityOf returns how many permits one of the locks has in all.
func (s Section) CapacityOf(lock string) int {
	if n, ok := s.Capacities[lock]; ok {
		return n
	}
	return s.Capacity
}

// A Store is the resource that the lock protects, seen by one holder.
type Store interface {
	// Read returns "" for a key that was never written.
	Read(ctx context.Context, key string) (string, error)
	Write(ctx context.Context, key, value string) error
}

// A Resource is a store as a whole. The harness binds it to one lease after
// another and records what happens.
type Resource interface {
	// Do applies one operation of the holder of a lease. With fenced, lock
	// and token are checked against the mark of the lock first, for reads
	// as for writes, and an older token is refused with ErrStale. The apply
	// number counts the applied operations of the resource from 1.
	Do(ctx context.Context, op Access) (value string, apply int64, err error)
	Close() error
}

// An Access is one operation on a Resource.
type Access struct {
	Lock   string
	Token  uint64
	Fenced bool // fenced and plain keys are different keys
	Write  bool
	Key    string
	Value  string // to be written
	// Guard, if not "", makes a write conditional: it is applied only if the
	// key Guard holds Want at that moment, and refused with ErrConflict otherwise.
	Guard, Want string
}
