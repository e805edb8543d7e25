package main

import (
	"strconv"
	"strings"
	"time"

	"locktorture/nemesis"
	"locktorture/report/scorecard"
)

// plan lists the tries of a matrix. Every cell gets its first seed before any
// gets its second, so that a budget that ends early leaves no cell out for long.
func (s *matrixSpec) plan() []scorecard.Try {
	var out []scorecard.Try
	for i := range s.Seeds {
		for _, b := range s.Backends {
			for _, n := range s.Nemeses {
				for _, w := range s.Workloads {
					if workloadsByName()[w].Reenters && !backends()[b].Traits.Reentrant {
						continue // it would wait for itself
					}
					out = append(out, s.try(b, n, w, s.Seed+uint64(i)))
				}
			}
		}
	}
	return out
}

// try is one run of the matrix, with the arguments that make it.
func (s *matrixSpec) try(backendName, faults, workload string, seed uint64) scorecard.Try {
	t := scorecard.Try{Backend: backendName, Nemesis: faults, Workload: workload, Seed: seed, State: scorecard.NotRun,
		Reason: "the matrix ended before it", Kills: killsClients(faults)}
	traits := backends()[backendName].Traits
	ttl, duration := max(s.TTL, traits.LeastTTL), s.Duration
	if ttl > s.TTL {
		duration = max(duration, 5*ttl) // room for faults that outlast a lease
	}
	if seed >= s.Seed+uint64(s.Seeds) {
		duration *= 2 // a retry: the first time may have been too short
	}
	t.Args = []string{
		"--backend", backendName, "--workload", workload, "--nemesis", strings.ReplaceAll(faults, "+", ","),
		"--duration", duration.String(), "--ttl", ttl.Round(time.Millisecond).String(), "--clients", strconv.Itoa(s.Clients),
		"--seed", strconv.FormatUint(seed, 10), "--cluster", s.Cluster,
	}
	t.Args = append(t.Args, s.imageWords()...)
	t.Args = append(t.Args, s.theirs(t)...)
	if s.NoConfig {
		t.Args = append(t.Args, "--"+noConfig)
	}
	if traits.Token && s.Fencing != "" {
		t.Args = append(t.Args, "--fencing", s.Fencing)
	}
	return t
}

// A tryKey says which try it is.
type tryKey struct {
	backend, nemesis, workload string
	seed                       uint64
}

func keyOf(t scorecard.Try) tryKey { return tryKey{t.Backend, t.Nemesis, t.Workload, t.Seed} }

// killsClients tells that one of the faults of a cell kills clients.
func killsClients(faults string) bool {
	return anyFault(strings.Split(faults, "+"), func(t nemesis.Traits) bool { return t.Effect == nemesis.Killed })
}
