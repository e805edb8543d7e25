package rule

import (
	"math"

	"locktorture/history"
	"locktorture/timeline"
)

// The rules by which a fault counts as effective.
// A fault that could not have mattered tests nothing, so a safe verdict asks that every requested
// fault was effective at least once.
const (
	pauseRule = "one of these is true: (1) a paused client's lease ended during the pause, and later in the pause another client waited for that lock; (2) the paused client was waiting for a lock, or held a lock whose leases do not end by themselves, and another client waited for the same lock during the pause; (3) a server was paused while a lease was held or an acquire was under way"
	killRule  = "the killed client held a lock or was waiting for it, and another client was already waiting for that lock, or asked for it after the kill"
	otherRule = "between fault and heal, a lease was held or an acquire was under way; if the fault hit a client, only that client's leases and acquires count"
)

// BitesWhen says in words when a fault of a kind counts as effective in a run. A fault that
// was requested but left no entry has declared no traits; its former traits count.
func BitesWhen(run *timeline.Run, kind string) string {
	traits, ok := run.Declared[kind]
	if !ok {
		traits = history.FormerFault(kind)
	}
	meets := run.Options.Meets()
	switch {
	case traits.Effect == history.Stopped && meets:
		return meetStopRule
	case traits.Effect == history.Stopped:
		return pauseRule
	case traits.Effect == history.Killed && meets:
		return meetKillRule
	case traits.Effect == history.Killed:
		return killRule
	case meets:
		return meetRule
	}
	return otherRule
}

// A bite has the evidence of one lock, so far, that a fault was effective.
// What a fault needs may lie in different pieces, so it is collected here until there is enough.
type bite struct {
	bit  bool
	over int64 // pause: when the first lease of the stopped client ended, or its wait stood still; Never: neither. kill: when it died
	held bool  // kill: the client held the lock or waited for it
	late int64 // the latest end of a wait of another client that counts
}

// bites looks in the leases and waits of a lock for evidence that faults were effective.
//
// Each fault is checked on each lock, and one lock suffices. Whether the fault caused an
// anomaly is decided in package incident.
type bites struct {
	run *timeline.Run
	of  map[int]*bite // by the place of the fault in the survey
	bit map[int]bool  // the faults that were effective on some lock, of the whole run
}

func (r *bites) check(p *timeline.Piece) {
	// over and late begin at the values that prove nothing: no end of a lease, no wait.
	for i, s := range r.run.Faults {
		b := r.of[i]
		if b == nil {
			if b = (&bite{over: math.MaxInt64, late: math.MinInt64}); s.Effect(history.Killed) {
				b.over = r.run.Death(s)
			}
			r.of[i] = b
		}
		switch {
		// A fault that was effective stays so: later pieces cannot change that.
		case b.bit:
			continue
		case s.Effect(history.Stopped) && s.Op.Client > 0:
			r.pauseBit(p, s, b)
		case s.Effect(history.Killed):
			r.killBit(p, s, b)
		// For any other fault, the lock must have been in use meanwhile. If the fault struck
		// no single client, anybody's use counts.
		default:
			b.bit = busy(s.Op.Client, s.From, min(s.To, r.run.End), p.Calls)
		}
		if b.bit {
			r.bit[i] = true
		}
	}
}

// pauseBit decides whether a stop of a client was effective. The client must have held a lease
// that ended while it was stopped, or have waited for the lock. After that, and still during
// the stop, another client must have waited for the lock. Only then could the stop have led to
// two holders, or shown that the lock was not freed. Where leases do not end by themselves,
// whoever waits during the stop waits for the stopped holder.
func (r *bites) pauseBit(p *timeline.Piece, s *timeline.Fault, b *bite) {
	to := min(s.To, r.run.End)
	// A waiter that is stopped may be granted the lock and not learn of it.
	if s.WaitedFor == p.Name {
		b.over = min(b.over, s.From)
	}
	for _, g := range p.Fresh() {
		if g.Granted() > s.From {
			break
		}
		if g.Gone <= s.From || g.Client != s.Op.Client {
			continue
		}
		// The lease ends at this moment at the latest: a TTL after the stop, or the validity
		// that its holder heard last, if that is earlier. A stopped holder renews nothing.
		over := s.From
		if r.run.Options.Expires {
			over += int64(r.run.Options.TTL)
			if last, ok := g.LastAnswer(s.From); ok {
				over = min(over, max(last.Max, s.From))
			}
		}
		b.over = min(b.over, over)
	}
	b.wait(s.Op.Client, to, p.Calls)
	b.bit = b.over < to && b.late > b.over
}

// killBit decides whether a kill was effective. The killed client must have held the lock or
// waited for it, and another client must have waited for it then or later. Only another client
// can notice that the lock was not freed. Its wait may begin long after the death: a lock that
// is never freed is found by whoever asks next.
func (r *bites) killBit(p *timeline.Piece, s *timeline.Fault, b *bite) {
	b.held = b.held || s.WaitedFor == p.Name
	for _, g := range p.Fresh() {
		if g.Crash != nil && g.Crash.Time == b.over && g.Client == s.Op.Client {
			b.held = true
		}
	}
	b.wait(s.Op.Client, math.MaxInt64, p.Calls)
	b.bit = b.held && b.late > b.over
}

// wait notes the latest end of a wait that another client began before a moment.
func (b *bite) wait(other int, before int64, waits []*timeline.Call) {
	for _, w := range waits {
		if w.Called >= before {
			return
		}
		if w.Client != other {
			b.late = max(b.late, w.End)
		}
	}
}

// busy reports whether a lease was held or an acquire was under way from…to; of
// one client, or of any if client is 0.
// A hold counts to the end of its lease, and a wait to its answer. Both ends of the time belong to it.
func busy(client int, from, to int64, waits []*timeline.Call) bool {
	for _, w := range waits {
		if w.Called > to {
			break
		}
		if client > 0 && w.Client != client {
			continue
		}
		if w.End >= from || w.Lease != nil && w.Lease.Gone >= from {
			return true
		}
	}
	return false
}
