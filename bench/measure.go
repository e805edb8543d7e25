package bench

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Measure makes all measurements of a plan. One that goes wrong is noted, and the next
// is made; none is begun when ctx has ended. say tells what is going on.
func Measure(ctx context.Context, c Config, p Plan, t Target, say func(string)) Backend {
	m := measuring{config: c, plan: p, target: t, say: say, out: Backend{
		Backend: t.Backend, Where: t.Where, Servers: t.Servers, Bare: t.commands(), Counted: t.Gauge.What,
	}}
	for _, w := range t.Ways {
		m.alone(ctx, w)
		m.together(ctx, w)
	}
	if t.Held > 0 && t.Gauge.Memory != nil && len(t.Ways) > 0 {
		m.memory(ctx, t.Ways[0])
	}
	return m.out
}

// commands says what the bare commands of all ways are.
func (t Target) commands() string {
	var all []string
	for _, w := range t.Ways {
		text := w.Commands
		if w.Mode == Shared || w.Mode == Mixed {
			text = "shared: " + text
		}
		if !slices.Contains(all, text) {
			all = append(all, text)
		}
	}
	return strings.Join(all, "; ")
}

// A measuring is a plan under way.
type measuring struct {
	config Config
	plan   Plan
	target Target
	say    func(string)
	out    Backend
}

// step makes one measurement.
func (m *measuring) step(ctx context.Context, what string, measure func() error) {
	if ctx.Err() != nil {
		return
	}
	m.say(m.target.Backend + ": " + what)
	if err := measure(); err != nil && (ctx.Err() == nil || !errors.Is(err, ctx.Err())) {
		m.out.Errors = append(m.out.Errors, what+": "+err.Error())
	}
}

// alone measures clients of which each has what it wants to itself.
func (m *measuring) alone(ctx context.Context, w Way) {
	if w.Mode == Mixed {
		return
	}
	for _, n := range m.plan.Clients {
		m.step(ctx, "uncontended, "+plural(n, clientIn(w.Mode)), func() error {
			u, err := MeasureUncontended(ctx, m.config, n, w.sides(n == 1)...)
			if u.Mode = w.Mode; len(u.Sides) > 0 {
				m.out.Uncontended = append(m.out.Uncontended, u)
			}
			return err
		})
	}
}

// together measures clients that all want the same, or meet. Readers want nothing that others
// have.
func (m *measuring) together(ctx context.Context, w Way) {
	c, commands := m.config, m.target.Gauge.Commands
	for _, n := range m.plan.Waiters {
		switch w.Mode {
		case Shared:
		case Mixed:
			m.step(ctx, beside(n), func() error {
				out, err := MeasureMixed(ctx, c, n, w.Bare, commands, w.Lock)
				m.out.Mixed = append(m.out.Mixed, out...)
				return err
			})
		case CountDown, Party:
			m.step(ctx, fmt.Sprintf("meeting, %d parties", n), func() error {
				out, err := MeasureMeeting(ctx, c, n, m.target.Single, w.Bare, commands, w.Lock)
				if out.Meetings > 0 {
					m.out.Meetings = append(m.out.Meetings, out)
				}
				return err
			})
		default:
			m.step(ctx, fmt.Sprintf("contended, %d clients", n), func() error {
				out, err := MeasureContended(ctx, c, n, w.Bare, commands, m.plan.wanted(w.Lock, n))
				m.out.Contended = append(m.out.Contended, out...)
				return err
			})
		}
	}
}

// wanted is a side of which n clients want one.
func (p Plan) wanted(s Side, n int) Side {
	if s.Mode == Permits {
		s.Capacity = p.capacity(n)
	}
	return s
}

func (m *measuring) memory(ctx context.Context, w Way) {
	m.step(ctx, "memory", func() error {
		out, err := MeasureMemory(ctx, m.config, m.target.Held, m.target.Gauge.Memory, w.sides(false)...)
		if out.Locks > 0 {
			m.out.Memory = &out
		}
		return err
	})
}

// sides are the bare commands first, if there are any, and the driver last.
func (w Way) sides(driver bool) []Side {
	var all []Side
	if w.Bare != nil {
		all = append(all, *w.Bare)
	}
	all = append(all, w.Lock)
	if driver && w.Driver != nil {
		all = append(all, *w.Driver)
	}
	return all
}

// clientIn is what a client is called in a mode.
func clientIn(mode string) string {
	if mode == Shared {
		return "reader"
	}
	return "client"
}

// beside is what n clients of a read–write lock are.
func beside(n int) string { return plural(n-1, "reader") + " beside a writer" }
