package matrix

import (
	"fmt"
	"hash/fnv"
	"strconv"
	"strings"
	"time"

	"locktorture/internal/wire"
	"locktorture/nemesis"
	"locktorture/registry"
	"locktorture/report/scorecard"
)

// plan lists the tries of a matrix. Every cell gets its first seed before any gets its second,
// so that a budget that ends early leaves no cell out for long. Where the cells are recorded,
// each gets all of its seeds before the next, so that what is interrupted has whole rows.
func (c Config) plan() []scorecard.Try {
	cells := c.cells()
	out := make([]scorecard.Try, 0, len(cells)*c.Seeds)
	for i := range cap(out) {
		cell, seed := i%len(cells), i/len(cells)
		if c.Record != "" {
			cell, seed = i/c.Seeds, i%c.Seeds
		}
		out = append(out, c.try(cells[cell][0], cells[cell][1], cells[cell][2], c.Seed+uint64(seed)))
	}
	return out
}

// cells returns the backend, the faults and the workload of each cell.
func (c Config) cells() (out [][3]string) {
	for _, b := range c.Backends {
		for _, n := range c.Nemeses {
			workloads := []string{AppWorkload}
			if c.Apps == nil {
				workloads = registry.OfKind(c.Workloads, c.Locks[b].Traits)
			}
			for _, w := range workloads {
				switch {
				case c.Record != "" && !c.Expected.lacks(b, n):
				default:
					out = append(out, [3]string{b, n, w})
				}
			}
		}
	}
	return out
}

// try returns one run of the matrix, with the arguments that make it.
func (c Config) try(backendName, faults, workload string, seed uint64) scorecard.Try {
	t := scorecard.Try{Backend: backendName, Nemesis: faults, Workload: workload, Seed: seed, State: scorecard.NotRun,
		Reason: "the matrix ended before this run began"}
	if c.Apps != nil {
		return c.appTry(t)
	}
	t.Kills = killsClients(faults)
	traits := c.Locks[backendName].Traits
	ttl, duration := max(c.TTL, traits.LeastTTL), c.Duration
	if ttl > c.TTL {
		duration = max(duration, 5*ttl) // room for faults that outlast a lease
	}
	if seed >= c.Seed+uint64(c.Seeds) {
		duration *= 2 // a retry: the first time may have been too short
	}
	t.Args = []string{
		"--backend", backendName, "--workload", workload, "--nemesis", strings.Join(wire.FaultKinds(faults), ","),
		"--duration", duration.String(), "--ttl", ttl.Round(time.Millisecond).String(), "--clients", strconv.Itoa(c.Clients),
		"--seed", strconv.FormatUint(seed, 10),
	}
	t.Args = append(t.Args, c.Args...)
	if c.KeyPrefix != "" {
		h := fnv.New32a()
		fmt.Fprint(h, keyOf(t))
		t.Args = append(t.Args, "--key-prefix", fmt.Sprintf("%s%08x:", c.KeyPrefix, h.Sum32()))
	}
	if c.NoConfig {
		t.Args = append(t.Args, "--no-config")
	}
	if traits.Token && c.Fencing != "" {
		t.Args = append(t.Args, "--fencing", c.Fencing)
	}
	return t
}

// A tryKey says which try it is.
type tryKey struct {
	backend, nemesis, workload string
	seed                       uint64
}

func keyOf(t scorecard.Try) tryKey { return tryKey{t.Backend, t.Nemesis, t.Workload, t.Seed} }

// killsClients reports whether one of the faults of a cell kills clients.
func killsClients(faults string) bool {
	return registry.AnyFault(wire.FaultKinds(faults), func(t nemesis.Traits) bool { return t.Effect == nemesis.Killed })
}
