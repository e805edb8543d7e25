package main

import (
	"strconv"
	"strings"
	"time"

	"locktorture/harness"
	"locktorture/report"
)

// plan lists the tries of a matrix. Every cell gets its first seed before any
// gets its second, so that a budget that ends early leaves no cell out for long.
func (s *matrixSpec) plan() []report.Try {
	var out []report.Try
	for i := range s.Seeds {
		for _, b := range s.Backends {
			for _, n := range s.Nemeses {
				for _, w := range s.Workloads {
					out = append(out, s.try(b, n, w, s.Seed+uint64(i)))
				}
			}
		}
	}
	return out
}

// try is one run of the matrix, with the arguments that make it.
func (s *matrixSpec) try(backendName, nemesis, workload string, seed uint64) report.Try {
	t := report.Try{Backend: backendName, Nemesis: nemesis, Workload: workload, Seed: seed, State: report.NotRun,
		Reason: "the matrix ended before it"}
	traits := backends()[backendName].Traits
	ttl := max(s.TTL, traits.LeastTTL)
	t.Args = []string{
		"--backend", backendName, "--workload", workload, "--nemesis", strings.ReplaceAll(nemesis, "+", ","),
		"--duration", s.Duration.String(), "--ttl", ttl.Round(time.Millisecond).String(), "--clients", strconv.Itoa(s.Clients),
		"--seed", strconv.FormatUint(seed, 10), "--cluster", s.Cluster,
	}
	if traits.Token {
		fencing := s.Fencing
		if fencing == "" {
			fencing = harness.FencingBoth
		}
		t.Args = append(t.Args, "--fencing", fencing)
	}
	return t
}

// A tryKey says which try it is.
type tryKey struct {
	backend, nemesis, workload string
	seed                       uint64
}

func keyOf(t report.Try) tryKey { return tryKey{t.Backend, t.Nemesis, t.Workload, t.Seed} }
