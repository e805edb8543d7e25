package checker

import (
	"fmt"
	"time"

	"locktorture/history"
)

// looks judges the looks at the servers by the expiry that they showed.
func (v *view) looks(l *lockView, before int64) {
	s := &l.sights
	for ; s.looked < len(s.probes) && s.probes[s.looked].Time < before; s.looked++ {
		v.immortal(l, s.probes[s.looked])
		v.falseValidity(l, s.probes[s.looked])
	}
}

// immortal finds a lock that was still renewed on the server after its
// release or its holder's death: looks at one node, all after it, between which
// the expiry moved on twice. Once is a renewal that was under way at the end and
// landed later. A name that is used for a whole session proves nothing: the
// session goes on.
func (v *view) immortal(l *lockView, p *history.Op) {
	s := &l.sights
	g, reused := v.ownerAt(l, p.Value, p.Time)
	if g == nil || reused || p.UntilMax == history.Never || s.renewed[p.Value] {
		return
	}
	ended := g.endedForCertain()
	if ended == nil || p.Time <= ended.Time {
		return
	}
	place := [2]string{p.Node, p.Value}
	seen := s.moves[place]
	if len(seen) == 0 {
		s.moves[place] = []*history.Op{p}
		return
	}
	before := seen[len(seen)-1]
	renewed := p.UntilMax-before.UntilMax > v.patience()+wholeSecond
	left := p.UntilMax - p.Time // next to none: it is over, and the server has not cleared it yet
	switch {
	case !renewed || left <= v.patience():
	case v.disturbed(before.Time, p.Time):
		s.moves[place] = []*history.Op{p} // whatever moved it, the story begins again
	case len(seen) == 1:
		s.moves[place] = append(seen, p)
	default:
		s.renewed[p.Value] = true
		v.addImmortal(l.found, g, ended, append(seen, p))
	}
}

// wholeSecond is the coarsest step in which a server tells an expiry (etcd,
// memcached): a change of less is no renewal. One that goes on exceeds it.
const wholeSecond = int64(time.Second)

// endedForCertain returns the release or crash after which nobody may renew.
func (l *lease) endedForCertain() *history.Op {
	if l.relRet != nil && l.relRet.Type != history.Info {
		return l.relRet
	}
	return l.crash
}

func (v *view) addImmortal(f *findings, g *lease, ended *history.Op, seen []*history.Op) {
	f.add("immortal", ended.Time, func() Anomaly {
		how := "was released"
		if ended == g.crash {
			how = "lost its holder"
		}
		before, once, again := seen[0], seen[1], seen[2]
		return Anomaly{
			Lock: g.lock, Time: again.Time, Ops: ops(g.ret, ended, before, once, again),
			Sentence: fmt.Sprintf("%s of %s by %s %s at %s and was still renewed: on %s its expiry was %s when looked at at %s, %s at %s and %s at %s",
				g.name(), g.lock, who(g.client), how, at(ended.Time), again.Node,
				at(before.UntilMax), at(before.Time), at(once.UntilMax), at(once.Time), at(again.UntilMax), at(again.Time)),
		}
	})
}
