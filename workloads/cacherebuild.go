package workloads

import (
	"context"
	"fmt"
	"math/rand/v2"

	"locktorture/internal/wire"
)

// A CacheRebuild protects a database from a stampede: when the cached value has expired, one client
// queries the database and fills the cache, and the others wait and use the cached value. The keys
// of a lock:
//
//	<lock>/expiry     how often the value has expired, from 1
//	<lock>/database   the slow query; it is only read
//	<lock>/cache/<n>  the value since expiry n
//
// Filling the cache is one write, so any prefix of a section is harmless. A query whose section was
// cut before the write is repeated, as it should be.
type CacheRebuild struct{ Config }

var _ Workload = CacheRebuild{}

// ExpiryKey returns the key with the number of expiries of the cached value.
func ExpiryKey(lock string) string { return wire.Key(lock, "expiry") }

// DatabaseKey returns the key that the slow query reads.
func DatabaseKey(lock string) string { return wire.Key(lock, "database") }

// CacheKey returns the key with the cached value since an expiry.
func CacheKey(lock string, expiry int) string { return wire.Key(lock, fmt.Sprintf("cache/%d", expiry)) }

// Init fills the database, and expires the empty cache of every lock.
func (w CacheRebuild) Init(ctx context.Context, s Store) error {
	if err := w.initAll(ctx, s, "cache", DatabaseKey, "the answer"); err != nil {
		return err
	}
	return w.initAll(ctx, s, "cache", ExpiryKey, "1")
}

// Next draws the lock, the times, the value, and whether a fresh cache expires now.
func (w CacheRebuild) Next(r *rand.Rand, process int) Section {
	lock, section := w.section(r, "cache")
	value, expires := tag(r, process), r.IntN(3) == 0
	section.Run = func(ctx context.Context, s Store) error {
		n, err := readInt(ctx, s, ExpiryKey(lock))
		if err != nil {
			return err
		}
		cached, err := s.Read(ctx, CacheKey(lock, n))
		switch {
		case err != nil:
			return err
		case cached != "" && expires:
			return writeInt(ctx, s, ExpiryKey(lock), n+1)
		case cached != "":
			return nil
		}
		answer, err := s.Read(ctx, DatabaseKey(lock))
		if err != nil {
			return err
		}
		return s.Write(ctx, CacheKey(lock, n), answer+" for "+value)
	}
	return section
}
