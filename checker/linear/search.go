package linear

import (
	"fmt"
	"hash/maphash"
	"time"
)

// bySearch decides by the search of Wing and Gong (1993) as Lowe (2017) made it practical: linearize one operation
// after another, go back where none fits, and never visit the same set of linearized operations in the same state
// twice. Sets are represented by an incremental 128-bit hash, states are typed values. Operations that fit and change
// nothing are linearized at once; operations of unknown outcome are no part of the order that has to be found, and of
// those that could stand for each other only the first is tried.
//
// At a quiescent point a history falls apart. In whatever state the search arrives there, it
// arrives with the same set, so no part is searched twice from the same state.
func bySearch[S comparable](sp spec[S], t *trace) Verdict {
	first := newSearch(sp, t, t.opt.Seed).run()
	if first.Outcome != Invalid {
		return first
	}
	// Two different configurations with one hash could have hidden a linearization. It cannot happen twice.
	second := newSearch(sp, t, mix(t.opt.Seed^0x5eed)).run()
	if second.Outcome == Unknown {
		second.Reason = "found no linearization, but the confirming search did not end: " + second.Reason
	}
	return second
}

// A search is a depth-first search over the configurations of a history.
type search[S comparable] struct {
	sp     spec[S]
	opt    *Options
	evs    []event // of known outcome, by call
	line   line    // the calls and returns of the operations that are not linearized yet
	groups []group // the operations of unknown outcome, by class
	done   []bool  // of evs: linearized

	state   S
	set     key128
	stack   []move[S]
	seen    *seenSet
	seed    uint64
	hashers [2]maphash.Seed
	left    int // operations of known outcome not linearized yet

	until  time.Time
	states int64
	stuck  int32 // the furthest return that could not be passed, as a place in line; -1
}

// A move is a linearized operation, with what is needed to take it back.
type move[S comparable] struct {
	before S
	what   int32 // index in evs; of a group: -1 - its index
	forced bool  // nothing else needs to be tried in its place
}

// A group holds operations of unknown outcome that can stand for each other.
type group struct {
	evs  []event // by call
	used int
	last int32 // the operation of its process before it, if only their order tells them apart; -1
}

const searchBytes = 200 // an operation, without its state on the stack and the set of visited configurations

func newSearch[S comparable](sp spec[S], t *trace, seed uint64) *search[S] {
	s := &search[S]{sp: sp, opt: &t.opt, seed: seed, until: time.Now().Add(t.opt.Timeout), stuck: -1}
	type key struct {
		class
		last int32
	}
	index := map[key]int{}
	for _, e := range sp.events(t) {
		if e.Status != Pending {
			s.evs = append(s.evs, e)
			continue
		}
		k := key{sp.class(&e), e.last}
		g, ok := index[k]
		if !ok {
			g = len(s.groups)
			index[k] = g
			s.groups = append(s.groups, group{last: e.last})
		}
		s.groups[g].evs = append(s.groups[g].evs, e)
	}
	s.left = len(s.evs)
	s.done = make([]bool, s.left)
	s.state = sp.init(s.opt)
	s.hashers = [2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()}
	return s
}

func (s *search[S]) run() Verdict {
	const name = "search"
	if need := int64(len(s.evs)) * searchBytes; need > s.opt.Memory {
		return unknown(name, fmt.Sprintf("a search over %d operations needs %d MiB, but the limit is %d MiB", len(s.evs), need>>20, s.opt.Memory>>20))
	}
	s.seen = newSeenSet(s.opt.Memory - int64(len(s.evs))*searchBytes)
	s.line = newLine(s.evs)
	v := s.walk(name)
	v.States = s.states
	return v
}

// A cursor says what a configuration has left to try: the calls from at up to
// the first return, then the groups from group on.
type cursor struct{ at, group int32 }

// walk searches until everything is linearized or nothing is left to try.
func (s *search[S]) walk(name string) Verdict {
	at := s.enter()
	for steps := 1; s.left > 0; steps++ {
		if steps&1023 == 0 && time.Now().After(s.until) {
			return unknown(name, "no answer within "+s.opt.Timeout.String())
		}
		moved, full := s.try(&at)
		switch {
		case full:
			return unknown(name, fmt.Sprintf("the limit of %d MiB is reached after %d configurations", s.opt.Memory>>20, s.states))
		case moved:
			at = s.enter()
		case !s.back(&at):
			return s.refuted(name)
		}
	}
	return valid(name)
}

// enter linearizes what fits and changes nothing, and returns where the search of the configuration that is reached
// begins. No other order needs to be tried for such an operation: wherever else it fits, it could have come here,
// too, and everything after it is as before.
func (s *search[S]) enter() cursor {
	for s.left > 0 {
		at := s.line.first()
		for ; s.line.what[at] >= 0; at = s.line.next[at] {
			i := s.line.what[at]
			if !s.sp.pure(&s.evs[i]) || s.early(s.evs[i].last) {
				continue
			}
			if next, ok := s.sp.step(s.opt, s.state, &s.evs[i]); ok && next == s.state {
				s.take(move[S]{s.state, i, true}, element(s.seed, i))
				break
			}
		}
		if s.left > 0 && s.line.what[at] < 0 {
			break
		}
	}
	return cursor{s.line.first(), 0}
}

// try makes the next untried move of this configuration. full says that the bound on memory
// was reached.
func (s *search[S]) try(c *cursor) (moved, full bool) {
	for s.line.what[c.at] >= 0 {
		i := s.line.what[c.at]
		c.at = s.line.next[c.at]
		if s.early(s.evs[i].last) {
			continue
		}
		if next, ok := s.sp.step(s.opt, s.state, &s.evs[i]); ok {
			if moved, full = s.visit(next, i, element(s.seed, i)); moved || full {
				return
			}
		}
	}
	// What was called after the first return that is left cannot come before it. An operation of unknown outcome that
	// changes nothing here need not be tried: it can as well have no effect at all.
	limit := s.evs[-1-s.line.what[c.at]].Return
	for int(c.group) < len(s.groups) {
		g := c.group
		c.group++
		u := &s.groups[g]
		if u.used == len(u.evs) || u.evs[u.used].Call > limit || s.early(u.last) {
			continue
		}
		next, ok := s.sp.step(s.opt, s.state, &u.evs[u.used])
		if !ok || next == s.state {
			continue
		}
		if moved, full = s.visit(next, -1-g, element(s.seed, -1-u.evs[u.used].id)); moved || full {
			return
		}
	}
	return false, false
}

// early reports whether an operation's predecessor in its process still has to
// come. Time shows that itself, except where stamps are equal.
func (s *search[S]) early(last int32) bool { return last >= 0 && !s.done[last] }

// visit moves to a configuration unless it was visited.
func (s *search[S]) visit(next S, what int32, e key128) (moved, full bool) {
	s.states++
	set := s.set.xor(e)
	h := key128{hashState(s.hashers[0], next), hashState(s.hashers[1], next)}
	added, full := s.seen.add(set.xor(h))
	if !added {
		return false, full
	}
	s.take(move[S]{s.state, what, false}, e)
	s.state = next
	return true, false
}

func (s *search[S]) take(m move[S], e key128) {
	s.stack = append(s.stack, m)
	s.set = s.set.xor(e)
	if m.what < 0 {
		s.groups[-1-m.what].used++
		return
	}
	s.line.lift(m.what)
	s.done[m.what] = true
	s.left--
}

// back takes the latest free move back and sets c to what comes after it.
func (s *search[S]) back(c *cursor) bool {
	s.stuck = max(s.stuck, s.line.firstReturn())
	for len(s.stack) > 0 {
		m := s.stack[len(s.stack)-1]
		s.stack = s.stack[:len(s.stack)-1]
		s.state = m.before
		if m.what < 0 {
			u := &s.groups[-1-m.what]
			u.used--
			s.set = s.set.xor(element(s.seed, -1-u.evs[u.used].id))
			*c = cursor{s.line.firstReturn(), -m.what} // the group after this one
			return true
		}
		s.line.unlift(m.what)
		s.done[m.what] = false
		s.left++
		s.set = s.set.xor(element(s.seed, m.what))
		if !m.forced {
			*c = cursor{s.line.next[s.line.call[m.what]], 0}
			return true
		}
	}
	return false
}

// refuted names the operation that ends the shortest part of the history that has no
// linearization.
func (s *search[S]) refuted(name string) Verdict {
	e := &s.evs[-1-s.line.what[s.stuck]]
	return invalid(name, fmt.Sprintf("no order explains the history up to the return of %v, but an order explains everything before that return", *e.Operation), int(e.index))
}
