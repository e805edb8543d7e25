package state_test

import (
	"fmt"
	"slices"

	"locktorture/history"
	"locktorture/report/state"
)

// A past answers questions about an instant from the calls and events of a whole history,
// without following it.
type past struct {
	h       history.History
	instant int64
	calls   []history.Call
	under   map[int64][]*history.Op // by lease
}

// of returns what answers questions about a history.
func of(h history.History) past {
	p := past{h: h, calls: history.Pair(h), under: map[int64][]*history.Op{}}
	for i := range h {
		p.under[h[i].Lease] = append(p.under[h[i].Lease], &h[i])
	}
	return p
}

func (p past) answered(c history.Call) bool { return c.Return != nil && c.Return.Time <= p.instant }

func (p past) state() (lines []string) {
	seen := map[int]bool{}
	for i := range p.h {
		if c := p.h[i].Client; p.h[i].Process >= 0 && p.h[i].Time <= p.instant && !seen[c] {
			seen[c] = true
			lines = append(append(lines, p.doing(c)), p.leases(c)...)
		}
	}
	lines = append(append(append(lines, p.looks()...), p.stores()...), p.faults()...)
	slices.Sort(lines)
	return lines
}

func (p past) doing(client int) string {
	f, since := history.F(""), int64(0)
	for _, c := range p.calls {
		if c.Invoke.Client != client || c.Invoke.Time > p.instant || c.Invoke.ForRecord || c.Return != nil && c.Return.ForRecord {
			continue
		}
		f, since = c.Invoke.F, c.Invoke.Time
		if p.answered(c) {
			f, since = "", c.Return.Time
		}
	}
	if at := p.crashed(client); at >= since && at > 0 {
		f, since = history.Crash, at
	}
	return fmt.Sprintf("c%d does %q since %d", client, f, since)
}

// crashed returns when a client was killed last; 0: never.
func (p past) crashed(client int) (at int64) {
	for i := range p.h {
		if op := &p.h[i]; op.F == history.Crash && op.Client == client && op.Time <= p.instant {
			at = op.Time
		}
	}
	return at
}

func (p past) leases(client int) (lines []string) {
	for _, c := range p.calls {
		if c.Invoke.Client != client || !p.answered(c) || c.Return.Type != history.OK || c.Return.Lease == 0 || c.Invoke.F != history.Acquire && c.Invoke.F != history.Try {
			continue
		}
		g := c.Return
		phase, least, most, over := p.heard(g.Lease)
		if over || p.crashed(client) >= g.Time {
			continue
		}
		lines = append(lines, fmt.Sprintf("c%d has %d of %s token %d granted %d phase %d until %d %d", client, g.Lease, g.Lock, g.Token, g.Time, phase, least, most))
	}
	return lines
}

// heard returns what was heard of a lease by the instant.
func (p past) heard(lease int64) (phase state.Phase, least, most int64, over bool) {
	for _, op := range p.under[lease] {
		if op.Time > p.instant || op.ForRecord {
			continue
		}
		switch {
		case op.F == history.Release && op.Type == history.Invoke:
			phase = state.Releasing
		case op.F == history.Release:
			over = true
		case op.F == history.Lost:
			phase = max(phase, state.Lost)
		case op.F == history.Ask && op.Type == history.OK:
			least, most = op.UntilMin, op.UntilMax
			if phase == state.Over {
				phase = state.Held
			}
		case op.F == history.Ask && op.Type == history.Fail && op.Refused == history.ByClient:
			phase = max(phase, state.Over)
		}
	}
	return phase, least, most, over
}

func (p past) looks() (lines []string) {
	last := map[string]string{}
	for i := range p.h {
		op := &p.h[i]
		if op.F != history.Probe || op.Time > p.instant {
			continue
		}
		line := fmt.Sprintf("%s %s seen %d asked %d:", op.Node, op.Lock, op.Time, op.UntilMin)
		if op.Value != "" {
			line += fmt.Sprintf(" %s  0 until %d", op.Value, op.UntilMax)
		}
		for _, h := range op.Holds {
			line += fmt.Sprintf(" %s %s %d until %d", h.Owner, h.Mode, h.Permits, h.Until)
		}
		last[op.Node+" "+op.Lock] = line
	}
	for _, line := range last {
		lines = append(lines, line)
	}
	return lines
}

func (p past) stores() (lines []string) {
	type place struct{ store, key string }
	last, marks, own := map[place]*history.Op{}, map[string]uint64{}, map[string][]string{}
	for i := range p.h {
		op := &p.h[i]
		if op.Store == "" || op.Type != history.OK || op.Time > p.instant {
			continue
		}
		if op.Store == history.Fenced {
			marks[op.Store] = max(marks[op.Store], op.Token)
		}
		if op.F == history.Read {
			continue
		}
		at := place{op.Store, op.Key}
		if len(own[op.Store]) < 6 && !slices.Contains(own[op.Store], op.Key) {
			own[op.Store] = append(own[op.Store], op.Key)
		}
		if !slices.Contains(own[op.Store], op.Key) {
			at.key = ""
		}
		if last[at] == nil || op.Apply >= last[at].Apply {
			last[at] = op
		}
	}
	for at, op := range last {
		by := fmt.Sprintf("c%d", op.Client)
		if op.Process == history.Harness {
			by = "harness"
		}
		lines = append(lines, fmt.Sprintf("%s %s = %s by %s apply %d", at.store, op.Key, op.Value, by, op.Apply))
	}
	for store, token := range marks {
		if token > 0 {
			lines = append(lines, fmt.Sprintf("%s mark %d", store, token))
		}
	}
	return lines
}

func (p past) faults() (lines []string) {
	for i := range p.h {
		f := &p.h[i]
		if f.F != history.Fault || f.Time > p.instant {
			continue
		}
		healed := slices.ContainsFunc(p.h[i:], func(op history.Op) bool {
			return op.F == history.Heal && op.Fault == f.Fault && op.Time <= p.instant
		})
		if !healed {
			lines = append(lines, fmt.Sprintf("fault %d %s", f.Fault, f.Node))
		}
	}
	return lines
}
