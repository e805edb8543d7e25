package page

import (
	"encoding/binary"
	"fmt"

	"locktorture/history"
	"locktorture/report/state"
	"locktorture/report/words"
)

// calls returns the functions that a client can be about, by the numbers that the script knows
// them by. 0 is none.
func calls() []history.F {
	return []history.F{"", history.Acquire, history.Try, history.Renew, history.Release, history.Upgrade, history.Downgrade, history.Ask,
		history.Observe, history.Read, history.Write, history.CAS, history.SetCount, history.CountDown, history.Await, history.Crash}
}

// How an end is written.
const (
	untold = iota // nothing is known of it
	ends          // µs from now follow
	endless
)

// write appends a change: the distance from the one before, the subject, and its value. Times
// are distances from now, in µs.
func (c *cursorLog) write(subject int) {
	c.num(c.now - c.before)
	c.num(int64(subject))
	c.before = c.now
	c.Count++
	switch v := c.tracker.Value(subject).(type) {
	case state.Doing:
		c.doing(v)
	case state.Lease:
		c.lease(v)
	case state.Look:
		c.look(v)
	case state.Cell:
		c.text(v.Key)
		c.text(v.Value)
		c.by(v.By, v.Lease, v.Token, v.At)
	case state.Mark:
		c.by(v.By, v.Lease, v.Token, v.At)
	}
}

func (c *cursorLog) doing(v state.Doing) {
	for i, f := range calls() {
		if f == v.F {
			c.num(int64(i))
		}
	}
	c.text(v.Lock)
	c.text(v.Store)
	c.ago(v.Since)
}

// lease of number 0 is one that has ended.
func (c *cursorLog) lease(v state.Lease) {
	c.num(v.Number)
	if v.Number == 0 {
		return
	}
	c.text(v.Lock)
	c.text(share(v.Mode, v.Permits))
	c.token(v.Token)
	c.ago(v.Granted)
	c.num(int64(v.Phase))
	c.ago(v.Since)
	if c.end(v.Least) == ends {
		c.num(max(0, v.Most/1000-v.Least/1000))
	}
}

func (c *cursorLog) look(v state.Look) {
	c.ago(v.Seen)
	c.num(max(0, v.Seen/1000-v.Asked/1000))
	c.num(int64(len(v.Holders)))
	for _, h := range v.Holders {
		c.text(h.Owner)
		c.text(h.Client)
		c.num(h.Lease)
		c.text(share(h.Mode, h.Permits))
		c.end(h.Until)
	}
}

func (c *cursorLog) by(client string, lease int64, token uint64, at int64) {
	c.text(client)
	c.num(lease)
	c.token(token)
	c.ago(at)
}

// end writes when something ends, and returns how.
func (c *cursorLog) end(at int64) int64 {
	switch at {
	case 0:
		c.num(untold)
		return untold
	case history.Never:
		c.num(endless)
		return endless
	}
	c.num(ends)
	c.bytes = binary.AppendVarint(c.bytes, at/1000-c.now)
	return ends
}

func (c *cursorLog) num(n int64) { c.bytes = binary.AppendUvarint(c.bytes, uint64(n)) }

// token writes a token in two halves: the script's numbers have 53 bits.
func (c *cursorLog) token(n uint64) {
	c.num(int64(n / 1e9))
	c.num(int64(n % 1e9))
}

// ago writes a moment that is past.
func (c *cursorLog) ago(at int64) { c.num(max(0, c.now-at/1000)) }

func (c *cursorLog) text(s string) {
	n := c.texts.index(words.Word(s))
	if n == 0 && s != "" {
		n = 1
	}
	c.num(int64(n))
}

// share returns what a holder has of a lock; "" is all of it.
func share(mode string, permits int) string {
	if mode == history.Permits {
		return fmt.Sprintf("%d permits", permits)
	}
	return mode
}
