package scenarios

import (
	"context"
	"slices"
	"strings"
	"time"

	"locktorture/workloads"
)

// A Scenario is a schedule with its description.
type Scenario struct {
	Title  string // one line
	Source string // its author and publication
	Shows  string // what it demonstrates, in one or two sentences
	Story  string // the steps, for a reader
	Lesson string // advice for the reader

	TTL     time.Duration // of the leases; default 2 s
	Clients int           // default 2
	// InProcess reports that the clients are not isolated, because there are too many of them. They
	// can be neither stopped nor killed.
	InProcess bool
	// Liveness reports that the script concerns the time after which a lock is free again. In all
	// other scenarios a busy machine may take longer.
	Liveness bool
	// Store opens the store that the lock protects on the servers. nil means a store in memory.
	Store func(ctx context.Context, c *system) (workloads.Resource, error)
	Cases []Case
	Play  func(s *Stage)
}

// A Case is a lock to which the scenario applies, with the expected result.
type Case struct {
	Backend string
	// Variant distinguishes the cases of one backend ("fenced store"). The script can query it.
	Variant string
	Fenced  bool // the lock protects a fenced store
	// WritesOnly makes the fenced store check only the tokens of writes.
	WritesOnly bool
	Replicated bool                // on the backend's topology with replicas
	Topology   string              // topology of the servers, if it is not one of the backend's
	Servers    map[string][]string // further arguments of its servers, by kind
	Options    map[string]string   // of the backend
	Model      string              // model by which the lock is judged, if it differs from the declared one

	// Expect is GRADE[+anomaly…]: exactly this grade, these anomalies, and no other anomaly of
	// ownership or liveness.
	Expect string
	// Either lists anomalies of which at least one must occur. For a holder that learns of a loss
	// by a notice, the timing decides whether it overruns or the notice is late.
	Either []string
	Never  []string // anomalies that must not occur
	Facts  []string // facts that the script must record

	// Race is the reason why the hazard occurs only in some plays: a race inside a library. A play
	// without it must be safe without any anomaly. The number of plays with it is the case's rate.
	Race string

	Found *Finding // the failure of a library that the case shows, or nil
}

// Name returns the backend, with the variant if there is one.
func (c Case) Name() string {
	if c.Variant == "" {
		return c.Backend
	}
	return c.Backend + " (" + c.Variant + ")"
}

// Outcome describes the expectation in one line.
func (c Case) Outcome() string {
	parts := []string{strings.ReplaceAll(c.Expect, "+", " + ")}
	if len(c.Either) > 0 {
		parts[0] += " + " + strings.Join(c.Either, " or ")
	}
	for _, n := range c.Never {
		parts = append(parts, "no "+n)
	}
	parts = append(parts, c.Facts...)
	if c.Race != "" {
		parts = append(parts, "or safe: "+c.Race)
	}
	return strings.Join(parts, "; ")
}

// TimeToLive returns the TTL of the leases.
func (s Scenario) TimeToLive() time.Duration {
	if s.TTL == 0 {
		return 2 * time.Second
	}
	return s.TTL
}

// Parties returns the number of clients.
func (s Scenario) Parties() int { return max(s.Clients, 2) }

// On returns the cases of a backend.
func (s Scenario) On(backend string) []Case {
	var out []Case
	for _, c := range s.Cases {
		if c.Backend == backend {
			out = append(out, c)
		}
	}
	return out
}

// Backends lists the backends that the scenario applies to.
func (s Scenario) Backends() []string {
	var out []string
	for _, c := range s.Cases {
		if !slices.Contains(out, c.Backend) {
			out = append(out, c.Backend)
		}
	}
	return out
}
