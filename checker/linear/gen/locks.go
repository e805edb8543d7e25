package gen

import (
	"math/rand/v2"
	"strings"

	"locktorture/checker/linear"
)

// A lock is an exclusive lock; its leases may expire where the model says so.
type lock struct {
	cfg   Config
	owner int // 1 + process; 0 free
	depth int
	token uint64
	now   int64
	end   int64 // of the lease, of timed-lease
}

func (l *lock) at(now int64) { l.now = now }

func (l *lock) is(kind string) bool { return strings.Contains(l.cfg.Model, kind) }

func (l *lock) expires() bool { return !l.is("mutex") && l.cfg.Model != "reentrant" }

func (l *lock) invoke(r *rand.Rand, c *client, o *linear.Operation) bool {
	switch x := r.Float64(); {
	case c.holds == 0, l.is("reentrant") && x < 0.3 && c.holds < 3:
		o.F = linear.Acquire
		c.try = r.Float64() < l.cfg.Tries
	case l.expires() && x < 0.4:
		o.F = linear.Renew
	default:
		o.F = linear.Release
	}
	o.Token = c.token
	if l.is("timed") && o.F != linear.Release {
		o.TTL = l.cfg.ttl(r)
	}
	return true
}

func (l *lock) effect(r *rand.Rand, c *client, o *linear.Operation) bool {
	me := c.process + 1
	if l.owner != 0 && l.expires() && l.now >= l.end && r.IntN(4) == 0 {
		l.owner, l.depth = 0, 0
	}
	switch o.F {
	case linear.Acquire:
		return l.grant(c, o, me)
	case linear.Renew:
		if l.owner != me {
			return l.refuse(c, o)
		}
		l.end = max(l.end, l.now+l.cfg.lasts(o))
	case linear.Release:
		if l.owner != me {
			return l.refuse(c, o)
		}
		if l.depth--; l.depth == 0 {
			l.owner = 0
		}
		if c.holds--; c.holds == 0 {
			c.token = 0
		}
	}
	return true
}

func (l *lock) grant(c *client, o *linear.Operation, me int) bool {
	again := l.owner == me && l.is("reentrant")
	if l.owner != 0 && !again {
		if c.waited++; !c.try && (c.waited < 6 || l.cfg.Tries == 0) {
			return false
		}
		o.Status, o.Token = linear.Refused, 0
		return true
	}
	if !again {
		l.depth, c.holds = 0, 0
		if l.is("fenced") || l.is("timed") {
			l.token += 1 + l.token%2
		}
	}
	l.owner, l.end = me, l.now+l.cfg.lasts(o)
	l.depth++
	c.holds++
	o.Token, c.token = l.token, l.token
	return true
}

// refuse answers a renewal or a release whose lease is over.
func (l *lock) refuse(c *client, o *linear.Operation) bool {
	o.Status = linear.Refused
	c.holds, c.token = 0, 0
	return true
}

// mayDie spares most clients whose grant nobody will hear of. Without expiry, their lock would
// be held for ever.
func (l *lock) mayDie(r *rand.Rand, c *client) bool {
	return l.expires() || !c.happened || c.op.F != linear.Acquire || c.holds > 1 || l.cfg.rarely(r)
}

func (l *lock) gone(r *rand.Rand, c *client) bool {
	if l.owner != c.process+1 || l.expires() && r.IntN(2) == 0 {
		return false
	}
	l.owner, l.depth = 0, 0
	return true
}

// permits is a read-write lock or a semaphore.
type permits struct {
	cfg       Config
	capacity  int
	readers   bool
	taken     int
	exclusive bool
	sizes     map[int][]int // by process: the permits of each hold, the oldest first
}

func (p *permits) invoke(r *rand.Rand, c *client, o *linear.Operation) bool {
	if c.holds > 0 && (p.readers || r.IntN(3) > 0) {
		o.F, o.Shared = linear.Release, c.shared
		return true
	}
	o.F = linear.Acquire
	if o.Shared = p.readers && r.IntN(2) == 0; !p.readers && p.capacity > 1 {
		o.Permits = uint32(r.IntN(min(3, p.capacity) + 1))
	}
	return true
}

func (p *permits) effect(r *rand.Rand, c *client, o *linear.Operation) bool {
	if sizes := p.sizes[c.process]; o.F == linear.Release {
		p.taken -= sizes[0]
		p.sizes[c.process] = sizes[1:]
		p.exclusive = false
		c.holds--
		return true
	}
	n := max(1, int(o.Permits))
	exclusive := p.readers && !o.Shared
	if p.taken+n > p.capacity || p.exclusive || exclusive && p.taken > 0 {
		if c.waited++; r.Float64() >= p.cfg.Tries && (c.waited < 6 || p.cfg.Tries == 0) {
			return false
		}
		o.Status = linear.Refused
		return true
	}
	p.taken += n
	p.sizes[c.process] = append(p.sizes[c.process], n)
	p.exclusive, c.shared = exclusive, o.Shared
	c.holds++
	return true
}

func (p *permits) mayDie(r *rand.Rand, c *client) bool {
	return !c.happened || c.op.F != linear.Acquire || p.cfg.rarely(r)
}

func (p *permits) gone(_ *rand.Rand, c *client) bool {
	if c.holds == 0 {
		return false
	}
	for _, n := range p.sizes[c.process] {
		p.taken -= n
	}
	delete(p.sizes, c.process)
	p.exclusive = false
	return true
}
