package checker_test

import (
	"fmt"
	"math/rand/v2"

	"locktorture/checker"
	"locktorture/history"
)

// A throng has a lock in turn, many times, while its first client waits for it most of the
// time.
type throng struct {
	r     *rand.Rand
	o     checker.Options
	h     history.History
	now   int64
	lease int64
	life  int // of the one that waits
	call  *history.Op
}

// thronged makes the history of a lock that passes one of its clients over, seldom or for
// good.
func thronged(r *rand.Rand, o checker.Options) history.History {
	c := &throng{r: r, o: o}
	clients := 3 + r.IntN(4)
	rest := 1 + r.Int64N(60)
	c.section(1, rest)
	for range 100 + r.IntN(200) {
		if r.IntN(40) == 0 {
			c.giveUp()
		}
		if c.call == nil {
			c.ask()
		}
		c.section(2+r.IntN(clients-1), rest)
		if c.call != nil && r.IntN(2000) == 0 {
			c.served()
		}
	}
	if c.call != nil && r.IntN(2) == 0 {
		c.served()
	}
	return ended(c.h, history.Complete)
}

// add takes up to so many ms.
func (c *throng) add(op history.Op, within int64) history.Op {
	c.now += c.r.Int64N(within*ms) + 1
	op.Time, op.Lock = c.now, "A"
	c.h = append(c.h, op)
	return op
}

// section is one of another client, or the first of the one that waits.
func (c *throng) section(client int, rest int64) {
	op := history.Op{Process: client, Client: client, Type: history.Invoke, F: history.Acquire}
	op = c.add(op, rest)
	c.hold(op)
}

// hold is a grant and its release.
func (c *throng) hold(op history.Op) {
	c.lease++
	op.Type, op.Lease, op.Value = history.OK, c.lease, fmt.Sprintf("p%d:%d", op.Process, c.lease)
	c.add(op, 5)
	op.Type, op.F, op.Value = history.Invoke, history.Release, ""
	c.add(op, 30)
	op.Type = history.OK
	c.add(op, 5)
}

// ask has the first client wait, or just try.
func (c *throng) ask() {
	op := history.Op{Process: 1 + 1000*c.life, Client: 1, Type: history.Invoke, F: history.Acquire}
	if c.r.IntN(200) == 0 {
		op.F = history.Try
	}
	op = c.add(op, 5)
	c.call = &op
}

// giveUp ends a wait without a grant.
func (c *throng) giveUp() {
	if c.call == nil {
		return
	}
	op := *c.call
	c.call = nil
	switch c.r.IntN(20) {
	case 0:
		op.Type = history.Info
		c.life++
	case 1:
		op.Type, op.F, op.UntilMin = history.Info, history.Crash, c.now
		c.life++
	case 2:
		op.Type, op.Refused = history.Fail, history.ByClient
	case 3, 4, 5, 6:
		op.Type, op.Refused = history.Fail, history.ByTime
	default:
		op.Type, op.Refused = history.Fail, history.ByServer
	}
	c.add(op, 5)
}

func (c *throng) served() {
	c.hold(*c.call)
	c.call = nil
}
