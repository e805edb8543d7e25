package workloads

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"
)

// ErrStale reports that the fenced store refused an operation whose token is older than the newest
// token recorded for that lock.
var ErrStale = errors.New("stale fencing token")

// ErrConflict reports that the condition of a conditional write did not hold.
var ErrConflict = errors.New("conditional write refused")

// ErrGone reports that the client may not continue its section: its lease has ended, it was killed,
// or the run ends. A section returns it unchanged.
var ErrGone = errors.New("section given up")

// A Workload is the clients' work while they hold a lock.
type Workload interface {
	// Init writes the initial state. It is called once for every store.
	Init(ctx context.Context, s Store) error
	// Next returns the critical section that a process runs next. It draws only on r, so that a
	// seed determines the work.
	Next(r *rand.Rand, process int) Section
}

// A Section is one critical section: its locks, in order, the way in which it takes them, and its
// body.
type Section struct {
	Locks []string // names, in the order in which they are taken; released in reverse
	Try   bool     // do not wait for a taken lock
	// Shared takes the locks as a reader. Permits is the number of permits to take of semaphores
	// with Capacity permits.
	Shared            bool
	Permits, Capacity int
	// Capacities maps each semaphore among Locks whose capacity differs from Capacity to its
	// capacity.
	Capacities map[string]int
	// Parties enters a barrier for this number of parties. Unheld takes no lock: the locks are
	// latches, and the body calls them (see Latcher).
	Parties int
	Unheld  bool
	Hold    time.Duration // time that the body's work takes, between its operations
	Think   time.Duration // pause of the client before the section
	// Before runs before the locks are taken. It may be nil. It returns errors as Run does.
	Before func(ctx context.Context, s Store) error
	// Run is the body. It returns the store's error unchanged, so that the harness can distinguish
	// a refusal from a failed store.
	Run func(ctx context.Context, s Store) error
}

// CapacityOf returns the capacity of one of the locks.
func (s Section) CapacityOf(lock string) int {
	if n, ok := s.Capacities[lock]; ok {
		return n
	}
	return s.Capacity
}

// A Store is the resource that the lock protects, seen by one holder.
type Store interface {
	// Read returns the value of a key, or "" for a key that was never written.
	Read(ctx context.Context, key string) (string, error)
	Write(ctx context.Context, key, value string) error
}

// A Resource is a whole store. The harness binds it to one lease after another and records every
// operation.
type Resource interface {
	// Do applies one operation of the holder of a lease. If op.Fenced is set, Do first checks
	// op.Token against the mark of op.Lock, for reads and writes, and refuses an older token
	// with ErrStale. The apply number counts the applied operations of the resource from 1.
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
	Value  string // value to write
	// Guard makes a write conditional if it is not "": the write is applied only if the key Guard
	// holds Want at that moment, and refused with ErrConflict otherwise.
	Guard, Want string
}
