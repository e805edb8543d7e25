package scenarios

import (
	"context"
	"slices"
	"strings"
	"time"

	"locktorture/workloads"
)

// A Scenario is a schedule and what is known about it.
type Scenario struct {
	Title  string // one line
	Source string // who described it, and where
	Shows  string // what it shows, one or two sentences
	Story  string // the steps, for a reader
	Lesson string // what to do about it

	TTL     time.Duration // of the leases; default 2 s
	Clients int           // default 2
	// InProcess: the clients are not isolated, because there are too many of them;
	// they can be neither stopped nor killed.
	InProcess bool
	// Liveness: the script is about the time after which a lock is free again. In all
	// others a machine that is busy may take its time.
	Liveness bool
	// Store opens what the lock protects on the servers; nil: it is in memory.
	Store func(ctx context.Context, c *servers) (workloads.Resource, error)
	Cases []Case
	Play  func(s *Stage)
}

// A Case is a lock that the scenario applies to, and what must be seen with it.
type Case struct {
	Backend string
	// Variant tells cases of one backend apart: "fenced store". The script
	// can ask for it.
	Variant string
	Fenced  bool // the store that the lock protects is a fenced one
	// WritesOnly makes the fenced store look at the tokens of writes alone.
	WritesOnly bool
	Replicated bool                // on the backend's topology with replicas
	Topology   string              // of the servers, if not one of the backend's own
	Servers    map[string][]string // further arguments of its servers, by kind
	Options    map[string]string   // of the backend
	Model      string              // by which the lock is judged, if not the one that it declares

	// Expect is GRADE[+anomaly…]: exactly this grade, these anomalies, and
	// no other that is one of ownership or liveness.
	Expect string
	// Either are anomalies of which at least one must be there: a holder whose loss
	// is told by a notice has overrun, or the notice was late, as its timing wants it.
	Either []string
	Never  []string // anomalies that must not be there
	Facts  []string // what the script must have seen

	// Race says why the hazard shows in some plays only: a race inside a library. A play in
	// which it does not show must be safe without any anomaly; how many do show is the case's
	// rate.
	Race string

	Found *Finding // the failure of a library that the case shows; nil: none
}

// Name returns the backend, with the variant if there is one.
func (c Case) Name() string {
	if c.Variant == "" {
		return c.Backend
	}
	return c.Backend + " (" + c.Variant + ")"
}

// Outcome says what must be seen, in one line.
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
