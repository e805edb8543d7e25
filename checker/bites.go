package checker

import (
	"math"
	"slices"

	"locktorture/history"
)

// The rules by which a fault counts as effective.
const (
	pauseRule = "a holder's lease ended while it was stopped, and another client then waited for that lock; where leases do not end by themselves, or where the stopped client itself waited, another waited; where a server was stopped, a lease was held or an acquire was under way"
	killRule  = "the killed client held a lock, or waited for it, while another waited for it or asked for it afterwards"
	otherRule = "a lease was held, or an acquire was under way, between fault and heal – by the struck client, if it struck one"
)

// coverage counts, for every requested or seen nemesis, its faults and those
// that bit.
func (v *verdict) coverage() []FaultCoverage {
	names := slices.Clone(v.run.o.Nemeses)
	for _, s := range v.run.faults {
		if !slices.Contains(names, s.kind()) && !s.traits.Unplanned {
			names = append(names, s.kind())
		}
	}
	var out []FaultCoverage
	for _, name := range names {
		c := FaultCoverage{Nemesis: name, Rule: v.rule(name)}
		for i, s := range v.run.faults {
			if s.kind() != name {
				continue
			}
			c.Injected++
			if s.waitedFor != "" {
				c.Waiting++
			}
			if v.bit[i] {
				c.Bit++
			}
		}
		out = append(out, c)
	}
	return out
}

// rule is by what a fault of a kind counts. One that was asked for and left no entry has
// declared nothing.
func (v *verdict) rule(kind string) string {
	traits, ok := v.run.declared[kind]
	if !ok {
		traits = history.FormerFault(kind)
	}
	switch traits.Effect {
	case history.Stopped:
		if v.run.o.meets() {
			return meetStopRule
		}
		return pauseRule
	case history.Killed:
		if v.run.o.meets() {
			return meetKillRule
		}
		return killRule
	}
	if v.run.o.meets() {
		return meetRule
	}
	return otherRule
}

// A bite is what the history of one lock has so far of what makes a fault
// effective.
type bite struct {
	bit  bool
	over int64 // pause: when the first lease of the stopped client ended, or its wait stood still; Never: neither. kill: when it died
	held bool  // kill: the client held the lock or waited for it
	late int64 // when the last wait of another client was over that counts
}

// bites looks at the leases and waits of a lock for what makes faults effective.
type bites struct {
	run *survey
	of  map[int]*bite // by the place of the fault in the survey
	bit map[int]bool  // the faults that were effective on some lock, of the whole run
}

func (r *bites) check(p *piece) {
	for i, s := range r.run.faults {
		b := r.of[i]
		if b == nil {
			if b = (&bite{over: math.MaxInt64, late: math.MinInt64}); s.effect(history.Killed) {
				b.over = r.run.death(s)
			}
			r.of[i] = b
		}
		switch {
		case b.bit:
			continue
		case s.effect(history.Stopped) && s.fault.Client > 0:
			r.pauseBit(p, s, b)
		case s.effect(history.Killed):
			r.killBit(p, s, b)
		default:
			b.bit = busy(s.fault.Client, s.from, min(s.to, r.run.end), p.calls)
		}
		if b.bit {
			r.bit[i] = true
		}
	}
}

// pauseBit: the stopped client held a lease that ended while it was stopped, or waited for the
// lock, and after that another client waited for it, still during the stop.
func (r *bites) pauseBit(p *piece, s *span, b *bite) {
	to := min(s.to, r.run.end)
	if s.waitedFor == p.name {
		b.over = min(b.over, s.from)
	}
	for _, g := range p.fresh() {
		if g.granted() > s.from {
			break
		}
		if g.gone <= s.from || g.client != s.fault.Client {
			continue
		}
		over := s.from
		if r.run.o.Expires {
			over += int64(r.run.o.TTL)
			if last, ok := g.lastAnswer(s.from); ok {
				over = min(over, max(last.max, s.from))
			}
		}
		b.over = min(b.over, over)
	}
	b.wait(s.fault.Client, to, p.calls)
	b.bit = b.over < to && b.late > b.over
}

func (r *bites) killBit(p *piece, s *span, b *bite) {
	b.held = b.held || s.waitedFor == p.name
	for _, g := range p.fresh() {
		if g.crash != nil && g.crash.Time == b.over && g.client == s.fault.Client {
			b.held = true
		}
	}
	b.wait(s.fault.Client, math.MaxInt64, p.calls)
	b.bit = b.held && b.late > b.over
}

// wait looks for the last end of a wait of a client other than this one that
// was called before a moment.
func (b *bite) wait(other int, before int64, waits []*wait) {
	for _, w := range waits {
		if w.call >= before {
			return
		}
		if w.client != other {
			b.late = max(b.late, w.end)
		}
	}
}

// busy reports whether a lease was held or an acquire was under way from…to; of
// one client, or of any if client is 0.
func busy(client int, from, to int64, waits []*wait) bool {
	for _, w := range waits {
		if w.call > to {
			break
		}
		if client > 0 && w.client != client {
			continue
		}
		if w.end >= from || w.lease != nil && w.lease.gone >= from {
			return true
		}
	}
	return false
}
