package gen

import (
	"math/rand/v2"
	"slices"

	"locktorture/checker/linear"
)

// holds is a read-write lock or a semaphore each of whose holds expires by itself.
type holds struct {
	cfg      Config
	capacity int64
	readers  bool
	tokens   uint64
	now      int64
	out      []hold
}

// A hold is a hold that the server knows of.
type hold struct {
	process int
	shared  bool
	permits int64
	token   uint64
	end     int64 // from which on it may expire
}

func (p *holds) at(now int64) { p.now = now }

func (p *holds) invoke(r *rand.Rand, c *client, o *linear.Operation) bool {
	if c.holds > 0 && (p.readers || p.cfg.long() || r.IntN(3) > 0) {
		o.F, o.Shared, o.Token = linear.Release, c.shared, c.token
		if r.Float64() < 0.4 {
			o.F, o.TTL = linear.Renew, p.cfg.ttl(r)
		}
		return true
	}
	o.F, o.TTL = linear.Acquire, p.cfg.ttl(r)
	if o.Shared = p.readers && r.IntN(2) == 0; !p.readers && p.capacity > 1 {
		o.Permits = uint32(r.Int64N(min(3, p.capacity) + 1))
	}
	return true
}

func (p *holds) effect(r *rand.Rand, c *client, o *linear.Operation) bool {
	p.out = slices.DeleteFunc(p.out, func(h hold) bool { return p.now >= h.end && r.IntN(4) == 0 })
	if o.F == linear.Acquire {
		return p.acquire(r, c, o)
	}
	i := slices.IndexFunc(p.out, func(h hold) bool {
		return h.process == c.process && h.shared == o.Shared && (o.Token == 0 || h.token == o.Token)
	})
	switch {
	case i < 0:
		o.Status = linear.Refused
		c.holds--
		c.token = 0
	case o.F == linear.Renew:
		p.out[i].end = max(p.out[i].end, p.now+p.cfg.lasts(o))
	default:
		p.out = slices.Delete(p.out, i, i+1)
		c.holds--
		c.token = 0
	}
	return true
}

func (p *holds) acquire(r *rand.Rand, c *client, o *linear.Operation) bool {
	h := hold{process: c.process, shared: o.Shared, permits: max(1, int64(o.Permits)), end: p.now + p.cfg.lasts(o)}
	taken := h.permits
	for i := range p.out {
		if taken += p.out[i].permits; p.readers && !(o.Shared && p.out[i].shared) {
			taken = p.capacity + 1
		}
	}
	if taken > p.capacity {
		if c.waited++; r.Float64() >= p.cfg.Tries && (c.waited < 6 || p.cfg.Tries == 0) {
			return false
		}
		o.Status = linear.Refused
		return true
	}
	if p.tokens++; !p.cfg.Duplicates {
		h.token = p.tokens
	}
	p.out = append(p.out, h)
	o.Token, c.token, c.shared = h.token, h.token, h.shared
	c.holds++
	return true
}

func (*holds) mayDie(*rand.Rand, *client) bool { return true }

// gone lets a session end with its client, or leaves its holds to expire.
func (p *holds) gone(r *rand.Rand, c *client) bool {
	if c.holds == 0 || r.IntN(2) == 0 {
		return false
	}
	p.out = slices.DeleteFunc(p.out, func(h hold) bool { return h.process == c.process })
	return true
}
