package gotest

import (
	"maps"
	"slices"
	"time"

	"locktorture/checker"
	"locktorture/harness"
)

// Bounds of the search for linearizability, and of what a safe must have seen.
const (
	checkTimeout = time.Minute
	checkMemory  = 1 << 30
	minGrants    = 20
)

func (cfg Config) options() checker.Options {
	t := cfg.Traits
	return checker.Options{
		Model: t.Model, Bounded: t.Bounded, Watched: t.Watched, Tokens: t.Token, Expires: t.LeastTTL > 0, Fair: t.Fair, Reentrant: t.Reentrant,
		TTL: cfg.TTL, FreeWithin: cfg.freeWithin(), Nemeses: slices.Sorted(maps.Keys(cfg.Nemeses)), MinGrants: minGrants,
		Timeout: checkTimeout, Memory: checkMemory,
	}
}

// freeWithin is what the lock declares, else three TTLs are asked of it.
func (cfg Config) freeWithin() time.Duration {
	if f := cfg.Traits.FreeWithin; f != nil {
		return f(cfg.TTL)
	}
	return 3 * cfg.TTL
}

func (cfg Config) fencing() string {
	if cfg.Traits.Token {
		return harness.FencingBoth
	}
	return harness.FencingOff
}
