package guide

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"locktorture/bench"
	"locktorture/report/words"
)

// waiters is how many clients want one lock in the table of costs, where that was measured.
const waiters = 20

// A cost is what was measured of one lock, as it is written.
type cost struct{ acquire, ratio, handOvers, commands string }

func (d *Data) cost(lock string) (c cost, err error) {
	r := d.bench.Find(lock)
	if r == nil {
		return c, fmt.Errorf("%s has nothing of %s", benchFile, lock)
	}
	alone := r.With(1, bench.Exclusive)
	if alone == nil || alone.Side(bench.LockSide) == nil {
		return c, fmt.Errorf("%s has no client alone of %s", benchFile, lock)
	}
	m := alone.Side(bench.LockSide)
	c = cost{time.Duration(m.Acquire.P50).Round(time.Microsecond).String(), "–", "–", "–"}
	if m.AcquireRatio != nil {
		c.ratio = fmt.Sprintf("× %.2f (%.2f–%.2f)", m.AcquireRatio.Value, m.AcquireRatio.Low, m.AcquireRatio.High)
	}
	i := slices.IndexFunc(r.Contended, func(c bench.Contended) bool { return c.Clients == waiters && c.Side == bench.LockSide })
	if i >= 0 {
		c.handOvers = words.Figures(r.Contended[i].HandOvers.Median)
		if n := r.Contended[i].Commands; n > 0 {
			c.commands = words.Figures(n)
		}
	}
	return c, nil
}

// most is the load for each core above which a machine is too busy to measure costs.
const most = 1.5

// costs is the table of what the locks cost. What was measured on a busy machine is not shown.
func (d *Data) costs() (string, error) {
	h := d.bench.Host
	if load := max(h.LoadBefore, h.LoadAfter); load > most*float64(h.CPUs) || d.bench.Interrupted {
		return "*Not measured*: the machine was too busy, with a load of more than 1.5 for each core. `make costs` measures on one that does nothing else.\n", nil
	}
	var b strings.Builder
	fmt.Fprintf(&b, "| lock | acquire alone, p50 | beside the bare commands (quartiles) | hand-overs a second, %d waiters | commands a hand-over |\n|---|---|---|---|---|\n", waiters)
	for _, lock := range chosen() {
		c, err := d.cost(lock)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s |\n", lock, c.acquire, c.ratio, c.handOvers, c.commands)
	}
	fmt.Fprintf(&b, "\n%s, %d CPUs, load %.1f before and %.1f after.\n", h.OS, h.CPUs, h.LoadBefore, h.LoadAfter)
	return b.String(), nil
}
