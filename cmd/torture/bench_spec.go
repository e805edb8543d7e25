package main

import (
	"slices"
	"time"

	"locktorture/bench"
	"locktorture/bench/suite"
	"locktorture/internal/exit"
	"locktorture/internal/suggest"
	"locktorture/registry"
	"locktorture/runs"
)

// A benchSpec is what the flags of a benchmark say.
type benchSpec struct {
	Backends []string
	Duration time.Duration
	Clients  []int
	Waiters  []int
	Modes    []string
	Permits  int
	Hold     time.Duration
	TTL      time.Duration
	Peers    bool
	Against  string
	JSON     bool
	Out      string
	Quiet    bool
	runs.ServerSpec
	runs.LedgerSpec
}

// validate checks the flags that need no table.
func (s benchSpec) validate() error {
	switch {
	case s.Duration <= 0:
		return exit.Usage("--duration %s: must be positive", s.Duration)
	case s.TTL <= 0:
		return exit.Usage("--ttl %s: must be positive", s.TTL)
	case s.Hold < 0 || s.Hold > s.TTL/4:
		return exit.Usage("--hold %s: must be from 0 to a quarter of --ttl", s.Hold)
	case len(s.Clients) > 0 && slices.Min(s.Clients) < 1:
		return exit.Usage("--clients: each number must be at least 1")
	case len(s.Waiters) > 0 && slices.Min(s.Waiters) < 2:
		return exit.Usage("--waiters: each number must be at least 2, or nobody contends")
	case s.Permits < 0 || s.Permits > 0 && len(s.Waiters) > 0 && s.Permits >= slices.Min(s.Waiters):
		return exit.Usage("--permits %d: must be less than every number of --waiters, or nobody waits", s.Permits)
	}
	for _, mode := range s.Modes {
		if err := suggest.Among(mode, bench.AllModes()); err != nil {
			return exit.Usage("--modes: %v", err)
		}
	}
	return s.Check("bench measures only on servers that torture starts, because nobody else uses them")
}

// config checks the flags, and returns what they say and the locks to measure.
func (s benchSpec) config(known map[string]registry.Backend) (c suite.Config, names []string, err error) {
	if err := s.validate(); err != nil {
		return c, nil, err
	}
	c = suite.Config{
		Duration: s.Duration, Hold: s.Hold, TTL: s.TTL, Plan: bench.Plan{Clients: s.Clients, Waiters: s.Waiters, Permits: s.Permits},
		Modes: s.Modes, Peers: s.Peers, Against: s.Against, Servers: s.Servers, Locks: known,
	}
	names, c.Named, err = c.Choose(s.Backends)
	return c, names, err
}
