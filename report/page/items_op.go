package page

import (
	"fmt"

	"locktorture/history"
	"locktorture/report/words"
	"locktorture/timeline"
)

// completed makes the item of an operation.
func (b *builder) completed(e timeline.Entry) {
	op := e.Op
	it := item{lane: b.laneOf[owner(op)], start: e.Inv.Time / 1000, dur: max(0, op.Time-e.Inv.Time) / 1000,
		lock: b.locks.index(words.Word(op.Lock)), lease: op.Lease, flags: outcome(op)}
	text := func() string { return "" }
	switch op.F {
	case history.Acquire, history.Try:
		it.kind = itemWait
		b.granted(e)
	case history.Renew:
		it.kind = itemRenew
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

func (b *builder) granted(e timeline.Entry) {
	if e.Lease == nil {
		return
	}
	for _, g := range e.Overtakes {
		if h := b.held[g]; h != nil && h.overtaken == 0 {
			h.overtaken = e.Time
		}
	}
	depth := 0
	for g := range b.held {
		if g.Client == e.Lease.Client {
			depth++
		}
	}
	b.held[e.Lease] = &holding{depth: min(depth, maxDepth)}
}

// finish ends a lease at the call of its release, at its holder's crash or
// at the end of the history.
func (b *builder) finish(g *timeline.Lease, end int64) {
	h := b.held[g]
	if h == nil {
		return
	}
	delete(b.held, g)
	before, after, turn := parts(g, h.overtaken, end)
	from := g.Granted()
	it := item{lane: b.laneOf[owner(g.Ret)], kind: before, flags: h.depth << depthShift, start: from / 1000, dur: (turn - from) / 1000,
		lock: b.locks.index(words.Word(g.Lock.Name)), lease: g.Number}
	text := func() string {
		if g.Token == 0 {
			return ""
		}
		return fmt.Sprintf("token %d", g.Token)
	}
	b.put(it, text)
	if end > turn {
		it.kind, it.start, it.dur = after, turn/1000, (end-turn)/1000
		b.put(it, text)
	}
}

// parts returns the kinds of the two parts of a lease that ended, and when the second began:
// the lease was over, its holder was told so, or another got its lock although no end was told.
func parts(g *timeline.Lease, overtaken, end int64) (before, after int, turn int64) {
	before, after, turn = itemHold, itemBeyond, end
	if until := g.Until(); until == 0 || until == history.Never {
		before = itemOpen
	} else {
		turn = min(turn, until)
	}
	if g.Lost != nil {
		turn = min(turn, g.Lost.Time)
	}
	if before == itemOpen && overtaken != 0 && overtaken < turn {
		after, turn = itemOvertaken, overtaken
	}
	return before, after, max(turn, g.Granted())
}
