package main

import (
	"maps"
	"slices"
	"strings"
	"time"

	"locktorture/bench"
	"locktorture/bench/suite"
	"locktorture/internal/suggest"
	"locktorture/locks"
	"locktorture/registry"
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
	serverSpec
}

// validate checks the flags and returns the backends to measure. named tells
// that the user named them.
func (s benchSpec) validate(all map[string]registry.Backend) (names []string, named bool, err error) {
	switch {
	case s.Duration <= 0:
		return nil, false, usage("--duration %s: must be positive", s.Duration)
	case s.TTL <= 0:
		return nil, false, usage("--ttl %s: must be positive", s.TTL)
	case s.Hold < 0 || s.Hold > s.TTL/4:
		return nil, false, usage("--hold %s: must be from 0 to a quarter of --ttl", s.Hold)
	case len(s.Clients) > 0 && slices.Min(s.Clients) < 1:
		return nil, false, usage("--clients: at least one is needed")
	case len(s.Waiters) > 0 && slices.Min(s.Waiters) < 2:
		return nil, false, usage("--waiters: fewer than two clients do not contend")
	case s.Permits < 0 || s.Permits > 0 && len(s.Waiters) > 0 && s.Permits >= slices.Min(s.Waiters):
		return nil, false, usage("--permits %d: must be fewer than the --waiters, or nobody waits", s.Permits)
	}
	for _, mode := range s.Modes {
		if err := suggest.Among(mode, bench.AllModes()); err != nil {
			return nil, false, usage("--modes: %v", err)
		}
	}
	if err := s.check("what a lock costs is measured on servers that serve nobody else"); err != nil {
		return nil, false, err
	}
	names, named, err = s.choose(all)
	if err != nil {
		return nil, false, err
	}
	return names, named, s.fits(all, names, named)
}

// choose returns the backends that are named, or all that have something to be measured.
func (s benchSpec) choose(all map[string]registry.Backend) (names []string, named bool, err error) {
	c := suite.Config{Modes: s.Modes, Locks: all}
	if slices.Contains(s.Backends, "all") {
		return slices.DeleteFunc(slices.Sorted(maps.Keys(all)), func(name string) bool { return c.Refused(name) != "" }), false, nil
	}
	for _, name := range s.Backends {
		if _, ok := all[name]; !ok {
			return nil, false, unknownName("backend", name, all)
		}
		if why := c.Refused(name); why != "" {
			return nil, false, usage("--modes %s: %s", strings.Join(s.Modes, ","), why)
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return nil, false, usage("--backends: at least one is needed")
	}
	return names, true, nil
}

// fits refuses what would have no effect on the locks that are measured.
func (s benchSpec) fits(all map[string]registry.Backend, names []string, named bool) error {
	semaphore := func(name string) bool { return all[name].Traits.Kind == locks.Semaphore }
	if s.Permits > 0 && !slices.ContainsFunc(names, semaphore) {
		return usage("--permits: none of the locks is a semaphore")
	}
	if s.Against == "" {
		return nil
	}
	theirs, ok := all[s.Against]
	if !ok {
		return unknownName("backend", s.Against, all)
	}
	alike := func(name string) bool { return name != s.Against && suite.Alike(all[name], theirs) }
	for _, name := range names {
		if named && name != s.Against && !alike(name) {
			return usage("--against %s: %s is of another kind, or runs on other servers", s.Against, name)
		}
	}
	if !slices.ContainsFunc(names, alike) {
		return usage("--against %s: there is no other lock of its kind on the same servers", s.Against)
	}
	return nil
}
