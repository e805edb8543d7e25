package workloads

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strconv"

	"locktorture/internal/wire"
)

// A Pool lends connections: the workload of semaphores of two sizes. The semaphore of a pool
// allows at most PoolCapacity of its PoolConnections to be lent at a time, and each connection
// has a semaphore of one permit, so that it is lent to one client. A section takes a permit of
// the pool, then a connection, so a client with a connection never waits. The keys:
//
//	<lock>/capacity           the number of connections that may be lent
//	<connection>/taken        the tag of the section that took it last
//	<connection>/returned     the tag of the section that returned it last
//	<lock>/done               the tag of the section that was done last
//
// A section that is cut returns no connection, and is not counted: its connection is lost with it.
type Pool struct{ Config }

var _ Workload = Pool{}

// The sizes of a pool.
const (
	PoolConnections = 3
	PoolCapacity    = 2
)

// ConnectionLock returns the name of the semaphore for the nth connection of a pool, from 1.
func ConnectionLock(pool string, n int) string { return fmt.Sprintf("%s-c%d", pool, n) }

// TakenKey returns the key with the last section that took a connection.
func TakenKey(connection string) string { return wire.Key(connection, "taken") }

// ReturnedKey returns the key with the last section that returned a connection.
func ReturnedKey(connection string) string { return wire.Key(connection, "returned") }

// PoolDoneKey returns the key with the last section that ended its use of a pool.
func PoolDoneKey(lock string) string { return wire.Key(lock, "done") }

// Init writes the capacity of every pool.
func (w Pool) Init(ctx context.Context, s Store) error {
	return w.initAll(ctx, s, "pool", CapacityKey, strconv.Itoa(PoolCapacity))
}

// Next draws the pool, the times and the connection. The work is between the first two operations
// (Section.Hold).
func (w Pool) Next(r *rand.Rand, process int) Section {
	pool, section := w.section(r, "pool")
	connection, name := ConnectionLock(pool, 1+r.IntN(PoolConnections)), tag(r, process)
	section.Locks = []string{pool, connection}
	section.Permits, section.Capacity = 1, PoolCapacity
	section.Capacities = map[string]int{connection: 1}
	section.Run = func(ctx context.Context, s Store) error {
		for _, key := range []string{TakenKey(connection), ReturnedKey(connection), PoolDoneKey(pool)} {
			if err := s.Write(ctx, key, name); err != nil {
				return err
			}
		}
		return nil
	}
	return section
}
