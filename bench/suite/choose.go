package suite

import (
	"maps"
	"slices"
	"strings"

	"locktorture/internal/exit"
	"locktorture/locks"
	"locktorture/registry"
)

// Choose returns the locks that are named, each once, or for "all" those that have something
// to be measured; named tells that they were named. Its error is the user's, in the words of
// torture bench: a name that there is not, or what would have no effect.
func (c Config) Choose(backends []string) (names []string, named bool, err error) {
	if slices.Contains(backends, "all") {
		names = slices.DeleteFunc(slices.Sorted(maps.Keys(c.Locks)), func(name string) bool { return c.Refused(name) != "" })
		return names, false, c.fits(names, false)
	}
	for _, name := range backends {
		if _, ok := c.Locks[name]; !ok {
			return nil, false, unknown(name, c.Locks)
		}
		if why := c.Refused(name); why != "" {
			return nil, false, exit.Usage("--modes %s: %s", strings.Join(c.Modes, ","), why)
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return nil, false, exit.Usage("--backends: at least one is needed")
	}
	return names, true, c.fits(names, true)
}

func unknown(name string, all map[string]registry.Backend) error {
	return exit.Usage("%v", registry.Unknown("backend", name, all))
}

// fits refuses what would have no effect on the locks that are measured.
func (c Config) fits(names []string, named bool) error {
	semaphore := func(name string) bool { return c.Locks[name].Traits.Kind == locks.Semaphore }
	if c.Plan.Permits > 0 && !slices.ContainsFunc(names, semaphore) {
		return exit.Usage("--permits: none of the locks is a semaphore")
	}
	if c.Against == "" {
		return nil
	}
	theirs, ok := c.Locks[c.Against]
	if !ok {
		return unknown(c.Against, c.Locks)
	}
	alike := func(name string) bool { return name != c.Against && Alike(c.Locks[name], theirs) }
	for _, name := range names {
		if named && name != c.Against && !alike(name) {
			return exit.Usage("--against %s: %s is of another kind, or runs on other servers", c.Against, name)
		}
	}
	if !slices.ContainsFunc(names, alike) {
		return exit.Usage("--against %s: there is no other lock of its kind on the same servers", c.Against)
	}
	return nil
}
