package gen

import (
	"fmt"
	"math/rand/v2"

	"locktorture/checker/linear"
)

// An election has a leader, which it may lose at any time, or none.
type election struct {
	cfg    Config
	leader int // 1 + process; 0: nobody
	term   uint64
	value  string
}

func (e *election) invoke(r *rand.Rand, c *client, o *linear.Operation) bool {
	switch x := r.Float64(); {
	case e.cfg.reads(r):
		o.F = linear.Observe
	case c.holds == 0 || x < 0.1:
		o.F, o.Value = linear.Campaign, fmt.Sprint(c.process)
		if e.cfg.Duplicates {
			o.Value = fmt.Sprint(c.process % 2)
		}
	case x < 0.4:
		o.F, o.Token = linear.Renew, c.token
	default:
		o.F, o.Token = linear.Resign, c.token
	}
	return true
}

func (e *election) effect(r *rand.Rand, c *client, o *linear.Operation) bool {
	me := c.process + 1
	if e.leader != 0 && r.IntN(12) == 0 {
		e.leader = 0 // its session is over
	}
	switch o.F {
	case linear.Observe:
		return e.observe(r, o)
	case linear.Campaign:
		return e.campaign(r, c, o)
	}
	if e.leader != me {
		o.Status = linear.Refused
		c.holds, c.token = 0, 0
	} else if o.F == linear.Resign {
		e.leader, c.holds, c.token = 0, 0, 0
	}
	return true
}

func (e *election) observe(r *rand.Rand, o *linear.Operation) bool {
	if e.leader == 0 {
		o.Status = linear.Refused
		return true
	}
	if o.Value = e.value; !e.cfg.Duplicates || r.IntN(2) == 0 {
		o.Token = e.term
	}
	return true
}

func (e *election) campaign(r *rand.Rand, c *client, o *linear.Operation) bool {
	if e.leader != 0 && e.leader != c.process+1 {
		if c.waited++; r.Float64() >= e.cfg.Tries && c.waited < 6 {
			return false
		}
		o.Status = linear.Refused
		return true
	}
	e.term += 1 + uint64(r.IntN(3))
	e.leader, e.value = c.process+1, o.Value
	o.Token, c.token, c.holds = e.term, e.term, 1
	return true
}

func (*election) mayDie(*rand.Rand, *client) bool { return true }

func (e *election) gone(_ *rand.Rand, c *client) bool {
	if e.leader == c.process+1 {
		e.leader = 0
	}
	return c.holds > 0
}
