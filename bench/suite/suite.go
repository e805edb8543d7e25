// Package suite benches many locks, each on servers of its own, compares ours
// with libraries of the same algorithm, and writes what was measured.
package suite

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"

	"locktorture/bench"
	"locktorture/internal/cgroup"
	"locktorture/registry"
)

// A Config says what is measured, and on what.
type Config struct {
	Duration time.Duration // of one measurement, all its sides together
	Hold     time.Duration // of a lock that several clients want
	TTL      time.Duration // of a lease; a lock that needs a longer one gets its least
	Plan     bench.Plan
	Modes    []string // in which locks are measured, of bench.AllModes; nil: all that their kinds have
	Against  string   // the lock that all are compared with; "": each with its library
	Peers    bool     // compare our locks with libraries, where both are measured
	Servers  registry.Servers
	Locks    map[string]registry.Backend // all that there are
	Named    bool                        // what cannot be served here is an error, else it is left out
}

// Run measures the locks that are named, one after another, until ctx ends; say is told of
// each step. What could not be measured stands in the report.
func Run(ctx context.Context, c Config, names []string, say func(string)) bench.Report {
	r := bench.Report{
		Started: time.Now().UTC().Truncate(time.Second), Duration: c.Duration, TTL: c.TTL, Hold: c.Hold,
		Plan: c.Plan,
		Host: bench.Host{OS: runtime.GOOS + "/" + runtime.GOARCH, CPUs: runtime.NumCPU(), LoadBefore: loadAverage()},
	}
	var served []string
	for _, name := range names {
		if ctx.Err() != nil {
			break
		}
		b, err := c.measure(ctx, name, r.Plan, say)
		switch {
		case err != nil && ctx.Err() != nil:
		case err != nil && !c.Named && notServed(err):
			say(fmt.Sprintf("%s: left out: %v", name, err))
		case err != nil:
			r.Backends = append(r.Backends, bench.Backend{Backend: name, Errors: []string{err.Error()}})
		default:
			r.Backends, served = append(r.Backends, b), append(served, name)
		}
	}
	if c.Peers || c.Against != "" {
		r.Peers = c.peers(ctx, served, r.Plan, say)
	}
	r.Interrupted = ctx.Err() != nil
	r.Host.LoadAfter = loadAverage()
	r.Compare()
	return r
}

// notServed reports whether nothing here can serve a lock's topology.
func notServed(err error) bool {
	var e *registry.NotServedError
	return errors.As(err, &e)
}

// measure starts the servers of one backend and measures it. Its error is one that left
// nothing measured.
func (c Config) measure(ctx context.Context, name string, p bench.Plan, say func(string)) (bench.Backend, error) {
	on, err := c.start(ctx, name)
	if err != nil {
		return bench.Backend{}, err
	}
	t := on.target()
	out := bench.Measure(ctx, c.config(), p, t, say)
	if err := t.Gauge.Close(); err != nil {
		out.Errors = append(out.Errors, err.Error())
	}
	if err := on.cluster.Close(); err != nil {
		out.Errors = append(out.Errors, err.Error())
	}
	return out, nil
}

func (c Config) config() bench.Config { return bench.Config{Duration: c.Duration, Hold: c.Hold} }

// loadAverage is the load of the last minute; -1 where the system does not tell.
func loadAverage() float64 {
	if average, ok := cgroup.Load(); ok {
		return average
	}
	return -1
}
