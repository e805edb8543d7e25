package checker

import (
	"math"
	"slices"
)

// The rules by which a fault counts as effective.
const (
	pauseRule = "a holder was stopped for longer than its lease lasts while another client waited for that lock; where leases do not end by themselves, when another waited; of a server, when a lease was held or an acquire was under way"
	killRule  = "the killed client held a lock while another waited for it or asked for it afterwards"
	otherRule = "a lease was held, or an acquire was under way, between fault and heal – by the struck client, if it struck one"
)

// coverage counts, for every requested or seen nemesis, its faults and those
// that bit.
func (v *view) coverage() []FaultCoverage {
	names := slices.Clone(v.o.Nemeses)
	for _, s := range v.faults {
		if !slices.Contains(names, s.kind()) {
			names = append(names, s.kind())
		}
	}
	var out []FaultCoverage
	for _, name := range names {
		c := FaultCoverage{Nemesis: name, Rule: rule(name)}
		for _, s := range v.faults {
			if s.kind() != name {
				continue
			}
			c.Injected++
			if v.bit(s) {
				c.Bit++
			}
		}
		out = append(out, c)
	}
	return out
}

func rule(nemesis string) string {
	switch nemesis {
	case "pause":
		return pauseRule
	case killClient:
		return killRule
	}
	return otherRule
}

func (v *view) bit(s *span) bool {
	switch {
	case s.kind() == "pause" && s.fault.Client > 0:
		return v.pauseBit(s)
	case s.kind() == killClient:
		return v.killBit(s)
	}
	return v.busy(s.fault.Client, s.from, min(s.to, v.end))
}

// pauseBit: the stopped client held a lease that ended while it was stopped,
// and after that another client waited for the lock, still during the stop.
func (v *view) pauseBit(s *span) bool {
	to := min(s.to, v.end)
	for _, l := range v.locks {
		for _, g := range l.heldAt(s.from) {
			if g.client != s.fault.Client {
				continue
			}
			over := s.from
			if v.o.Expires {
				over += int64(v.o.TTL)
				if last, ok := g.lastAnswer(s.from); ok {
					over = min(over, max(last.max, s.from))
				}
			}
			if over < to && l.waited(g.client, over, to) {
				return true
			}
		}
	}
	return false
}

// killBit finds the crash that belongs to the fault: the client's nearest.
func (v *view) killBit(s *span) bool {
	at, best := int64(0), int64(math.MaxInt64)
	for _, op := range v.crashes {
		d := op.Time - s.from
		if d < 0 {
			d = -d
		}
		if v.client(op) == s.fault.Client && d < best {
			at, best = op.Time, d
		}
	}
	if best == math.MaxInt64 {
		return false
	}
	for _, l := range v.locks {
		for _, g := range l.leases {
			if g.crash != nil && g.crash.Time == at && g.client == s.fault.Client && l.waited(g.client, at, math.MaxInt64) {
				return true
			}
		}
	}
	return false
}

// heldAt returns the leases whose holder was there at t.
func (l *lockView) heldAt(t int64) []*lease {
	var out []*lease
	for _, g := range l.leases {
		if g.granted() > t {
			break
		}
		if g.gone > t {
			out = append(out, g)
		}
	}
	return out
}

// waited tells that a client other than this one waited at some time from…to.
func (l *lockView) waited(other int, from, to int64) bool {
	for _, w := range l.waits {
		if w.call >= to {
			return false
		}
		if w.client != other && w.end > from {
			return true
		}
	}
	return false
}

// busy tells that a lease was held or an acquire was under way from…to; of
// one client, or of any if client is 0.
func (v *view) busy(client int, from, to int64) bool {
	for _, l := range v.locks {
		for _, w := range l.waits {
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
	}
	return false
}
