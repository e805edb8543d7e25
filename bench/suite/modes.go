package suite

import (
	"fmt"
	"slices"
	"strings"

	"locktorture/bench"
	"locktorture/locks"
	"locktorture/registry"
)

// ModesOf returns in which of the modes that were asked for a lock can be measured.
func (c Config) ModesOf(b registry.Backend) []string {
	all := bench.Modes(b.Traits.Kind)
	if len(c.Modes) == 0 {
		return all
	}
	return slices.DeleteFunc(all, func(mode string) bool { return !slices.Contains(c.Modes, mode) })
}

// Refused says why nothing of a lock can be measured in the modes that were asked for; "" if
// something can.
func (c Config) Refused(name string) string {
	b := c.Locks[name]
	if len(c.ModesOf(b)) > 0 {
		return ""
	}
	what := map[string]string{
		locks.Exclusive: "an exclusive lock", locks.ReadWrite: "a read-write lock", locks.Semaphore: "a semaphore",
		locks.Election: "an election", locks.CountDownLatch: "a latch", locks.DoubleBarrier: "a barrier",
	}[b.Traits.Kind]
	return fmt.Sprintf("%s is %s, which is measured as %s", name, what, strings.Join(bench.Modes(b.Traits.Kind), ", "))
}
