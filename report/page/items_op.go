package page

import (
	"fmt"

	"locktorture/history"
	"locktorture/report/words"
)

// completed makes the item of an operation and follows what it says of the
// lease.
func (b *builder) completed(inv, op *history.Op) {
	it := item{lane: b.laneOf[owner(op)], start: inv.Time / 1000, dur: max(0, op.Time-inv.Time) / 1000,
		lock: b.locks.index(words.Word(op.Lock)), lease: op.Lease, flags: outcome(op)}
	text := func() string { return "" }
	switch op.F {
	case history.Acquire, history.Try:
		it.kind = itemWait
		if op.Type == history.OK {
			b.granted(op, it.lock, inv.Mode == "")
		}
	case history.Ask:
		b.told(op)
		return
	case history.Renew:
		it.kind = itemRenew
		b.told(op)
	case history.Release:
		it.kind = itemRelease
	case history.Read, history.CAS, history.Write:
		it.kind = itemWrite
		if op.F == history.Read {
			it.kind = itemRead
		}
		text = func() string { return accessText(op) }
	default:
		return
	}
	b.put(it, func() string {
		s := text()
		if op.Error != "" {
			s += " " + words.Clean(op.Error, 2*words.MaxWord)
		}
		return s
	})
}

func outcome(op *history.Op) int {
	flags := 0
	switch op.Type {
	case history.Fail:
		flags |= flagFail
	case history.Info:
		flags |= flagUnknown
	}
	if op.Store == history.Fenced {
		flags |= flagFenced
	}
	if op.Refused == history.ByStore {
		flags |= flagStale
	}
	return flags
}

func accessText(op *history.Op) string {
	s := fmt.Sprintf("%s = %s", words.Word(op.Key), words.Clean(op.Value, words.MaxWord))
	if op.Apply > 0 {
		s += fmt.Sprintf(", applied as number %d", op.Apply)
	}
	return s
}

func (b *builder) granted(op *history.Op, lock int, whole bool) {
	if op.Lease == 0 {
		return
	}
	_, until := op.Validity()
	depth := 0
	for _, g := range b.held {
		switch {
		case g.process == op.Process:
			depth++
		case g.lock == lock && g.whole && whole && g.overtaken == 0:
			g.overtaken = op.Time
		}
	}
	b.held[op.Lease] = &holding{lane: b.laneOf[owner(op)], depth: min(depth, maxDepth), lock: lock,
		token: op.Token, from: op.Time, until: until, process: op.Process, whole: whole}
}

// told notes the end of the validity as the lock last told it. An answer
// that renews later than the one before ended is taken at its word: the
// renewal happened somewhere between the two.
func (b *builder) told(op *history.Op) {
	_, until := op.Validity()
	if g := b.held[op.Lease]; g != nil && op.Type == history.OK && until != 0 {
		g.until = until
	}
}

// finish ends a lease at the call of its release, at its holder's crash or
// at the end of the history.
func (b *builder) finish(lease, end int64) {
	g := b.held[lease]
	if g == nil {
		return
	}
	delete(b.held, lease)
	before, after, turn := g.parts(end)
	it := item{lane: g.lane, kind: before, flags: g.depth << depthShift, start: g.from / 1000, dur: (turn - g.from) / 1000,
		lock: g.lock, lease: lease}
	text := func() string {
		if g.token == 0 {
			return ""
		}
		return fmt.Sprintf("token %d", g.token)
	}
	b.put(it, text)
	if end > turn {
		it.kind, it.start, it.dur = after, turn/1000, (end-turn)/1000
		b.put(it, text)
	}
}

// parts returns the kinds of the two parts of a lease that ended, and when the second began:
// the lease was over, its holder was told so, or another got its lock although no end was told.
func (g *holding) parts(end int64) (before, after int, turn int64) {
	before, after, turn = itemHold, itemBeyond, end
	if g.until == 0 || g.until == history.Never {
		before = itemOpen
	} else {
		turn = min(turn, g.until)
	}
	if g.lost != 0 {
		turn = min(turn, g.lost)
	}
	if before == itemOpen && g.overtaken != 0 && g.overtaken < turn {
		after, turn = itemOvertaken, g.overtaken
	}
	return before, after, max(turn, g.from)
}
