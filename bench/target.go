package bench

import (
	"context"
	"errors"
	"fmt"
)

// A Target is a backend on its servers, ready to be measured.
type Target struct {
	Backend string
	Servers []string // their versions
	Where   string   // topology, provisioner and why
	Lock    Side
	Bare    *Side // nil: there are no bare commands for it
	// Commands says which those are, or why there are none.
	Commands string
	Driver   *Side // the lock in processes of their own; nil: not measured
	Gauge    Gauge
	Held     int // locks held at a time when memory is measured; 0: it is not
}

// A Plan says which measurements are made.
type Plan struct {
	Clients []int `json:"clients"` // uncontended, on as many locks
	Waiters []int `json:"waiters"` // on one lock
}

// A Backend is what was measured of one.
type Backend struct {
	Backend     string        `json:"backend"`
	Where       string        `json:"where,omitempty"`
	Servers     []string      `json:"servers,omitempty"`
	Bare        string        `json:"bare_commands,omitempty"`
	Counted     string        `json:"server_counters,omitempty"`
	Uncontended []Uncontended `json:"uncontended,omitempty"`
	Contended   []Contended   `json:"contended,omitempty"`
	Memory      *Memory       `json:"memory,omitempty"`
	// Errors are those of measurements that are missing or incomplete.
	Errors []string `json:"errors,omitempty"`
}

// With returns what was measured with as many clients; nil if nothing was.
func (b Backend) With(clients int) *Uncontended {
	for i := range b.Uncontended {
		if b.Uncontended[i].Clients == clients {
			return &b.Uncontended[i]
		}
	}
	return nil
}

// Best returns the highest rate that a side reached with any number of clients.
func (b Backend) Best(side string) (best float64) {
	for _, u := range b.Uncontended {
		if m := u.Side(side); m != nil {
			best = max(best, m.Rate.Median)
		}
	}
	return best
}

// Names of the sides of a target. The one that others are compared with comes first.
const (
	BareSide   = "bare"
	LockSide   = "lock"
	DriverSide = "driver"
)

// Measure makes all measurements of a plan. One that goes wrong is noted, and the next
// is made; none is begun when ctx has ended. say tells what is going on.
func Measure(ctx context.Context, c Config, p Plan, t Target, say func(string)) Backend {
	b := Backend{Backend: t.Backend, Where: t.Where, Servers: t.Servers, Bare: t.Commands, Counted: t.Gauge.What}
	step := func(what string, measure func() error) {
		if ctx.Err() != nil {
			return
		}
		say(t.Backend + ": " + what)
		if err := measure(); err != nil && (ctx.Err() == nil || !errors.Is(err, ctx.Err())) {
			b.Errors = append(b.Errors, what+": "+err.Error())
		}
	}
	for _, n := range p.Clients {
		step("uncontended, "+plural(n, "client"), func() error {
			u, err := MeasureUncontended(ctx, c, n, t.sides(n == 1)...)
			if len(u.Sides) > 0 {
				b.Uncontended = append(b.Uncontended, u)
			}
			return err
		})
	}
	for _, n := range p.Waiters {
		step(fmt.Sprintf("contended, %d clients", n), func() error {
			out, err := MeasureContended(ctx, c, n, t.Bare, t.Gauge.Commands, t.Lock)
			b.Contended = append(b.Contended, out...)
			return err
		})
	}
	if t.Held > 0 && t.Gauge.Memory != nil {
		step("memory", func() error {
			m, err := MeasureMemory(ctx, c, t.Held, t.Gauge.Memory, t.sides(false)...)
			if m.Locks > 0 {
				b.Memory = &m
			}
			return err
		})
	}
	return b
}

// sides are the bare commands first, if there are any, and the driver last.
func (t Target) sides(driver bool) []Side {
	var all []Side
	if t.Bare != nil {
		all = append(all, *t.Bare)
	}
	all = append(all, t.Lock)
	if driver && t.Driver != nil {
		all = append(all, *t.Driver)
	}
	return all
}

// A Peer is one of our locks beside a library with the same algorithm, on the same
// servers, in turns.
type Peer struct {
	Ours        string        `json:"ours"`
	Theirs      string        `json:"theirs"`
	Uncontended []Uncontended `json:"uncontended,omitempty"` // theirs, then ours
	Contended   []Contended   `json:"contended,omitempty"`   // theirs, ours for each number of clients
	Errors      []string      `json:"errors,omitempty"`
}

// MeasurePeer compares two locks with every number of clients of a plan. What goes
// wrong is noted.
func MeasurePeer(ctx context.Context, c Config, p Plan, theirs, ours Side, commands Counter, say func(string)) Peer {
	out := Peer{Ours: ours.Name, Theirs: theirs.Name}
	note := func(what string, err error) {
		if err != nil && (ctx.Err() == nil || !errors.Is(err, ctx.Err())) {
			out.Errors = append(out.Errors, what+": "+err.Error())
		}
	}
	for _, n := range p.Clients {
		if ctx.Err() != nil {
			break
		}
		what := "uncontended, " + plural(n, "client")
		say(ours.Name + " beside " + theirs.Name + ": " + what)
		u, err := MeasureUncontended(ctx, c, n, theirs, ours)
		if len(u.Sides) > 0 {
			out.Uncontended = append(out.Uncontended, u)
		}
		note(what, err)
	}
	for _, n := range p.Waiters {
		if ctx.Err() != nil {
			break
		}
		what := fmt.Sprintf("contended, %d clients", n)
		say(ours.Name + " beside " + theirs.Name + ": " + what)
		both, err := MeasureContended(ctx, c, n, nil, commands, theirs, ours)
		out.Contended = append(out.Contended, both...)
		note(what, err)
	}
	return out
}
