package workloads

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strconv"
	"time"
)

// A Config is what every workload can be told. Its zero value is useful.
type Config struct {
	// Locks are the names to draw from; every lock guards an object of its
	// own. Default: one lock, named after the workload.
	Locks []string
	// Hold is the least time that the work of a section takes; the most is
	// 2.5 times that. Default: 2 ms.
	Hold time.Duration
	// Think is how long a client rests before a section. Default: 1 ms.
	Think time.Duration
}

// locks returns the names of the locks, def if none was given.
func (c Config) locks(def string) []string {
	if len(c.Locks) == 0 {
		return []string{def}
	}
	return c.Locks
}

// section draws a lock and a hold time, in this order, and returns the lock
// and a section without a body.
func (c Config) section(r *rand.Rand, def string) (lock string, s Section) {
	names := c.locks(def)
	lock = names[r.IntN(len(names))]
	hold, think := c.Hold, c.Think
	if hold <= 0 {
		hold = 2 * time.Millisecond
	}
	if think <= 0 {
		think = time.Millisecond
	}
	hold += time.Duration(r.Int64N(int64(hold)*3/2 + 1))
	return lock, Section{Locks: []string{lock}, Hold: hold, Think: think}
}

// readInt reads a whole number. A key that was never written and a value that
// is no number are errors that name the key and the value.
func readInt(ctx context.Context, s Store, key string) (int, error) {
	v, err := s.Read(ctx, key)
	if err != nil {
		return 0, err
	}
	n, err := strconv.Atoi(v)
	if err != nil {
		return 0, fmt.Errorf("key %s holds %q, which is not a whole number", key, v)
	}
	return n, nil
}

// writeInt writes a whole number.
func writeInt(ctx context.Context, s Store, key string, n int) error {
	return s.Write(ctx, key, strconv.Itoa(n))
}
