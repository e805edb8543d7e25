package embedded

import (
	"context"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"

	"locktorture/internal/rediscmd"
)

// clockSlack is the tolerated difference between the time that a node reports and the time that was
// set.
const clockSlack = time.Millisecond

// setBack extends the expiry of all keys by ARGV[1] milliseconds. miniredis stores the remaining
// lifetime of a key, where Redis stores the time of expiry, which is further away after the clock
// was set back.
const setBack = `
for _, key in ipairs(redis.call('KEYS', '*')) do
	local left = redis.call('PTTL', key)
	if left > 0 then redis.call('PEXPIRE', key, left + ARGV[1]) end
end`

// SkewClock makes the node's clock run offset ahead of the host's clock (behind, if negative) and,
// from then on, rate times as fast. Offset 0 and rate 1 restore it. It returns once the node itself
// reports the new time.
func (n *Node) SkewClock(ctx context.Context, offset time.Duration, rate float64) error {
	if !(rate > 0) {
		return fmt.Errorf("move clock of %s: rate %v is not positive", n.name, rate)
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.listener == nil {
		if offset != 0 || rate != 1 {
			return fmt.Errorf("move clock of %s: %w", n.name, ErrDown)
		}
		n.setClock(0, 1)
		return nil
	}
	jump := n.setClock(offset, rate)
	c := rediscmd.Open(rediscmd.Server{Addr: n.addr})
	defer c.Close()
	if jump < 0 {
		if err := c.Eval(ctx, setBack, nil, (-jump).Milliseconds()).Err(); err != nil && err != redis.Nil {
			return fmt.Errorf("move clock of %s: %w", n.name, err)
		}
	}
	before := n.now(time.Now())
	told, err := c.Time(ctx).Result()
	if err != nil {
		return fmt.Errorf("move clock of %s: %w", n.name, err)
	}
	if after := n.now(time.Now()); told.Before(before.Add(-clockSlack)) || told.After(after.Add(clockSlack)) {
		return fmt.Errorf("move clock of %s: it reports %v, not %v", n.name, told, before)
	}
	return nil
}

// setClock changes the skew and returns the resulting jump of the clock.
func (n *Node) setClock(offset time.Duration, rate float64) time.Duration {
	now := time.Now()
	was := n.now(now)
	n.clock.Lock()
	n.anchor, n.offset, n.rate = now, offset, rate
	n.clock.Unlock()
	return n.now(now).Sub(was)
}

// now returns the time of the node's clock at the time t of the host's clock.
func (n *Node) now(t time.Time) time.Time {
	n.clock.Lock()
	defer n.clock.Unlock()
	return n.told(t)
}

func (n *Node) told(t time.Time) time.Time {
	since := t.Sub(n.anchor)
	if n.rate != 1 {
		since = time.Duration(float64(since) * n.rate)
	}
	return n.anchor.Add(n.offset + since)
}

// tick sets the time of miniredis. The mutex keeps two connections from setting it in the wrong
// order.
func (n *Node) tick() {
	n.clock.Lock()
	defer n.clock.Unlock()
	n.redis.SetTime(n.told(time.Now()))
}
