package nemesis

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"time"
)

// Plan draws a schedule. Two lanes run in parallel, one for the faults of clients and one for the
// faults of servers and networks. Within a lane, each fault follows the previous one after a pause
// of 0.1–0.5 TTL; the kinds alternate in the order of their names, and the varieties of a kind are
// drawn as in [Draw]. No two faults are in effect on the same client or node at the same time. The
// last TTL of the duration (at most a quarter of it) stays quiet, so that late faults can still
// take effect; only a kind that fits nowhere else strikes there. Equal draws on r give equal
// schedules.
func Plan(r *rand.Rand, w *World, kinds Kinds, duration time.Duration) ([]Step, error) {
	if len(kinds) == 0 {
		return nil, nil
	}
	if w.TTL <= 0 {
		return nil, errors.New("plan: the world has no TTL, from which the times of the faults follow")
	}
	p := &planner{draw: NewDraw(r), w: w, kinds: kinds, had: map[string]int{}, duration: duration}
	lanes := [2]*lane{{at: w.TTL / 4}, {at: w.TTL / 3}}
	for _, name := range slices.Sorted(maps.Keys(kinds)) {
		if err := kinds[name].Supports(w); err != nil {
			return nil, fmt.Errorf("fault %s: %w", name, err)
		}
		l := lanes[laneOf(kinds[name])]
		l.names = append(l.names, name)
	}
	for p.extend(lanes) {
	}
	for _, name := range slices.Sorted(maps.Keys(kinds)) {
		if p.had[name] == 0 {
			return nil, &NoRoomError{Fault: name, Duration: duration, TTL: w.TTL}
		}
	}
	slices.SortStableFunc(p.steps, func(a, b Step) int { return int(a.At - b.At) })
	for i := range p.steps {
		p.steps[i].N = i + 1
	}
	return p.steps, nil
}

// A NoRoomError reports that a kind of fault did not fit into a schedule.
type NoRoomError struct {
	Fault         string
	Duration, TTL time.Duration
}

func (e *NoRoomError) Error() string {
	return fmt.Sprintf("%v is too short for fault %s with a TTL of %v", e.Duration, e.Fault, e.TTL)
}

// laneOf returns 0 for a fault of clients, and 1 for any other fault.
func laneOf(n Nemesis) int {
	if n.Traits().StrikesClients {
		return 0
	}
	return 1
}

// A lane is a sequence of faults that do not overlap.
type lane struct {
	names []string // the kinds, which alternate
	turn  int
	at    time.Duration // time of the next fault
	full  bool
}

// A planner fills the two lanes with steps.
type planner struct {
	draw     *Draw
	w        *World
	kinds    Kinds
	had      map[string]int // number of strikes of each kind
	duration time.Duration
	steps    []Step
}

// draws bounds the draws of a step until it fits. The first half of them respects the order of the
// varieties; if none fits, the second half is drawn freely.
const draws = 16

// extend adds one step to the lane that is behind, and reports whether more steps may follow.
func (p *planner) extend(lanes [2]*lane) bool {
	l := lanes[0]
	if l.full || !lanes[1].full && lanes[1].at < l.at {
		l = lanes[1]
	}
	if l.full {
		return false
	}
	var wait time.Duration // time until the other lane has room
	for i := range l.names {
		turn := (l.turn + i) % len(l.names)
		placed, free := p.place(l, l.names[turn])
		if placed {
			l.turn = turn + 1
			return true
		}
		if free > 0 && (wait == 0 || free < wait) {
			wait = free
		}
		if free > 0 && p.rarest(l, l.names[turn]) {
			break // otherwise a fault that strikes all nodes would never fit
		}
	}
	l.full = wait == 0
	l.at = max(l.at, wait)
	return true
}

// rarest reports whether no kind of the lane has struck less often.
func (p *planner) rarest(l *lane, name string) bool {
	return !slices.ContainsFunc(l.names, func(n string) bool { return p.had[n] < p.had[name] })
}

// place draws steps of a kind until one fits into the remaining time and avoids the targets of the
// other lane. If those targets prevented it, free is the time at which they become available;
// otherwise it is 0.
func (p *planner) place(l *lane, name string) (placed bool, free time.Duration) {
	for i := range draws {
		s, take := p.draw.step(name, p.kinds[name], p.w, i >= draws/2)
		s.Fault, s.At = name, l.at
		if p.end(s) > p.limit(name) {
			continue
		}
		if until := p.blocked(s); until > 0 {
			if free == 0 || until < free {
				free = until
			}
			continue
		}
		take()
		p.steps = append(p.steps, s)
		p.had[name]++
		l.at = p.end(s) + Span{}.draw(p.draw, p.w.TTL, Span{0.1, 0.5})
		return true, 0
	}
	return false, free
}

// blocked returns the time at which the targets of a step become available, or 0 if they are.
func (p *planner) blocked(s Step) (until time.Duration) {
	for _, o := range p.steps {
		if p.overlap(o, s) && clash(o, s) {
			until = max(until, p.end(o)+p.w.TTL/10)
		}
	}
	return until
}

// end returns the end of a step, with an allowance for the wait for a victim.
func (p *planner) end(s Step) time.Duration { return s.At + p.w.TTL/10 + s.Delay + s.For }

// limit returns the latest time at which the next fault of a kind may end. The first fault of
// a kind may end later than the others, so that each kind fits at least once.
func (p *planner) limit(name string) time.Duration {
	if p.had[name] == 0 {
		return p.duration - min(p.w.TTL, p.duration)/4
	}
	return p.duration - min(p.w.TTL, p.duration/4)
}

// overlap reports whether two steps are in effect at the same time, with a margin.
func (p *planner) overlap(a, b Step) bool {
	near := p.w.TTL / 10
	return a.At < p.end(b)+near && b.At < p.end(a)+near
}

// clash reports whether two steps strike the same client or the same node.
func clash(a, b Step) bool {
	common := func(x, y []int) bool {
		return slices.ContainsFunc(x, func(v int) bool { return slices.Contains(y, v) })
	}
	struck := func(s Step) []int {
		if s.Holder == 0 {
			return s.Clients
		}
		return append(slices.Clone(s.Clients), s.Holder)
	}
	return common(struck(a), struck(b)) || common(a.Nodes, b.Nodes)
}
