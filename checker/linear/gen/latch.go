package gen

import (
	"math/rand/v2"

	"locktorture/checker/linear"
)

// A latch opens when it was counted down often enough.
type latch struct {
	cfg Config
	n   int
}

func (l *latch) invoke(r *rand.Rand, _ *client, o *linear.Operation) bool {
	o.F = linear.CountDown
	if l.cfg.reads(r) {
		o.F = linear.Await
	}
	return true
}

func (l *latch) effect(r *rand.Rand, c *client, o *linear.Operation) bool {
	if o.F == linear.CountDown {
		l.n++
		return true
	}
	if l.n >= l.cfg.parties() {
		return true
	}
	if c.waited++; r.Float64() >= l.cfg.Tries && c.waited < 6 {
		return false
	}
	o.Status = linear.Refused
	return true
}

func (l *latch) gone(*rand.Rand, *client) bool { return false }

func (*latch) mayDie(*rand.Rand, *client) bool { return true }

// A barrier lets its parties in together, and out together.
type barrier struct {
	cfg        Config
	generation int
	waiting    int
	members    map[int]member // by process
	inside     []int          // by generation: who has not left
}

// A member is where a client of a barrier is.
type member struct {
	generation int
	leaves     bool
}

func (b *barrier) invoke(r *rand.Rand, c *client, o *linear.Operation) bool {
	m, in := b.members[c.process]
	if b.cfg.Stock%2 == 0 && in && m.generation < b.generation { // a double barrier
		o.F = linear.Leave
		return true
	}
	o.F = linear.Enter
	return true
}

func (b *barrier) effect(r *rand.Rand, c *client, o *linear.Operation) bool {
	if o.F == linear.Leave {
		return b.leave(c)
	}
	if c.waited++; c.waited == 1 {
		b.depart(c.process)
		b.enter(c.process)
	}
	if b.members[c.process].generation < b.generation {
		return true
	}
	if c.waited < 12 || r.Float64() >= b.cfg.Tries {
		return false
	}
	delete(b.members, c.process)
	b.waiting--
	o.Status = linear.Refused
	return true
}

func (b *barrier) enter(process int) {
	b.members[process] = member{generation: b.generation}
	if b.waiting++; b.waiting < b.cfg.parties() {
		return
	}
	b.inside = append(b.inside, b.waiting)
	b.generation, b.waiting = b.generation+1, 0
}

// leave waits for the other parties of the client's generation.
func (b *barrier) leave(c *client) bool {
	m := b.members[c.process]
	if !m.leaves {
		m.leaves = true
		b.members[c.process] = m
		b.inside[m.generation]--
	}
	if b.inside[m.generation] > 0 {
		return false
	}
	delete(b.members, c.process)
	return true
}

// depart takes a client out of the generation that it is inside of.
func (b *barrier) depart(process int) {
	m, in := b.members[process]
	if !in || m.generation == b.generation {
		return
	}
	if !m.leaves {
		b.inside[m.generation]--
	}
	delete(b.members, process)
}

func (b *barrier) gone(_ *rand.Rand, c *client) bool {
	m, in := b.members[c.process]
	if in && m.generation == b.generation { // it does not come any more
		b.waiting--
		delete(b.members, c.process)
		return false
	}
	b.depart(c.process)
	return in
}

func (*barrier) mayDie(*rand.Rand, *client) bool { return true }
