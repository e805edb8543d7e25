package workloads

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strconv"
	"time"
)

// A Config holds the settings that all workloads share. Its zero value is useful.
type Config struct {
	// Locks are the names to draw from. Every lock protects an object of its own. Default: one
	// lock, named after the workload.
	Locks []string
	// Hold is the time that the work of a section takes. Default: uniform between 2 and 5 ms.
	Hold Spread
	// Think is the time that a client rests before a section. Default: 1 ms.
	Think Spread
	// Hot is the exponent s > 1 by which clients prefer some locks (Zipf: the k-th is drawn in
	// proportion to 1/k^s). 0 means no preference.
	Hot float64
	// LongEvery makes one section in LongEvery, drawn at random, hold its locks for an
	// additional LongHold. 0 means no such sections.
	LongEvery int
	LongHold  Spread
	// Clients is the number of clients that meet at latches and barriers. Process n is the
	// client n mod Clients. Default: 1.
	Clients int
	// Single means that one party opens a latch, and that a section takes at most one permit of a
	// semaphore.
	Single bool
}

// locks returns the names of the locks, or def if none was given.
func (c Config) locks(def string) []string {
	if len(c.Locks) == 0 {
		return []string{def}
	}
	return c.Locks
}

// section draws a lock and then the times, and returns the lock and a
// section without a body.
func (c Config) section(r *rand.Rand, def string) (lock string, s Section) {
	names := c.locks(def)
	lock = names[pick(r, len(names), c.Hot)]
	s = c.times(r)
	s.Locks = []string{lock}
	return lock, s
}

// times draws the hold and the think time of a section.
func (c Config) times(r *rand.Rand) Section {
	hold := c.Hold.or(Uniform(2*time.Millisecond, 5*time.Millisecond)).Draw(r)
	think := c.Think.or(Constant(time.Millisecond)).Draw(r)
	if c.LongEvery > 0 && r.IntN(c.LongEvery) == 0 {
		hold += c.LongHold.Draw(r)
	}
	return Section{Hold: hold, Think: think}
}

// pick draws one of n: uniformly, or by Zipf's law with the exponent hot > 1.
func pick(r *rand.Rand, n int, hot float64) int {
	if hot <= 1 || n == 1 {
		return r.IntN(n)
	}
	return int(rand.NewZipf(r, hot, 1, uint64(n-1)).Uint64())
}

// tag draws a name for the work of a section, such as "p3-5f0c91ab". A repetition within a run is
// practically impossible.
func tag(r *rand.Rand, process int) string {
	return fmt.Sprintf("p%d-%08x", process, r.Uint32())
}

// initAll writes one value under the same key of every lock.
func (c Config) initAll(ctx context.Context, s Store, def string, key func(lock string) string, value string) error {
	for _, lock := range c.locks(def) {
		if err := s.Write(ctx, key(lock), value); err != nil {
			return err
		}
	}
	return nil
}

// readInt reads a whole number. A missing key and a value that is no number are errors with the key
// and the value.
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
