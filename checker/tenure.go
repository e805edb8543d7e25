package checker

import (
	"cmp"
	"math"
	"slices"
	"time"

	"locktorture/history"
	"locktorture/internal/wire"
)

// staleSight is the age from which a look at a node no longer tells who owns
// the lock there: the node may be down.
const staleSight = int64(time.Second)

// A tenure is a time in which the servers were seen to keep a lock in the name of one owner;
// of a lock on several nodes, on all that answered. Leases are what clients believe, tenures
// what servers kept: only where the two are compared can it be seen whose release freed a
// lock, and that one is kept for nobody. Looks come every 50 ms, so a tenure has four moments
// (first and last sight, what was seen next, expiry) and no exact ends.
type tenure struct {
	owner  string // "" for free, or no agreement
	from   int64  // first sight
	last   int64  // last sight
	asked  int64  // when that was asked for
	until  int64  // least expiry that the last sight of each node allows, Never for none
	after  int64  // first sight of something else; 0: none
	sights []*history.Op
	opener *lease // whose name it was at first, once that is known
	reused bool
	calls  [3]*wait // of the client whose name it is, before the first sight: the last two, and the last of unknown outcome before them
}

// sights are what the probes of a lock tell.
type sights struct {
	probes   []*history.Op
	latest   map[string]*history.Op // by node
	now      *tenure
	over     []*tenure // that are not judged yet, in their order
	owners   map[string][]*lease
	asking   map[int][]*lease // client → leases after which it has not called for the lock again
	lastCall map[int][2]*wait // client → its last two calls
	vague    map[int]*wait    // client → its last call of unknown outcome, but for the last two

	looked int // probes that were in a piece
}

func (s *sights) init() {
	s.latest, s.owners, s.asking, s.lastCall = map[string]*history.Op{}, map[string][]*lease{}, map[int][]*lease{}, map[int][2]*wait{}
	s.vague = map[int]*wait{}
}

// add takes a probe.
func (s *sights) add(run *survey, l *lockView, p *history.Op) {
	s.probes = append(s.probes, p)
	s.latest[p.Node] = p
	owner, until := agreed(s.latest, len(run.sights[l.name].nodes), p.Time)
	if s.now == nil || owner != s.now.owner {
		if s.now != nil {
			s.now.after = p.Time
			s.over = append(s.over, s.now)
		}
		s.now = &tenure{owner: owner, from: p.Time}
		s.now.calls = s.callsOf(run, l, owner)
	}
	s.now.last, s.now.asked, s.now.until = p.Time, askedAt(p), until
	if p.Owner() == owner {
		s.now.sights = append(s.now.sights, p)
	}
}

// callsOf returns the calls so far of the client whose name it is, which may have made it.
// What became of them is known when the tenure is judged. None may have if a re-entry is under
// way: it may be the one, where the lease below it has ended.
func (s *sights) callsOf(run *survey, l *lockView, owner string) (calls [3]*wait) {
	if p, ok := wire.OwnerProcess(owner); ok {
		client := run.client(&history.Op{Process: p})
		if slices.ContainsFunc(l.pending, func(w *wait) bool { return w.client == client && w.within != nil }) {
			return calls
		}
		last := s.lastCall[client]
		calls = [3]*wait{last[0], last[1], s.vague[client]}
	}
	return calls
}

// called takes the call of a wait.
func (s *sights) called(w *wait) {
	last := s.lastCall[w.client]
	if last[1] != nil && last[1].unknown() {
		s.vague[w.client] = last[1]
	}
	s.lastCall[w.client] = [2]*wait{w, last[0]}
	if asking := s.asking[w.client]; len(asking) > 0 {
		s.asking[w.client] = slices.DeleteFunc(asking, func(g *lease) bool {
			if g.inv.Time < w.call {
				g.asked = w.call
			}
			return g.asked < math.MaxInt64
		})
	}
}

// granted takes a grant. Of those in names that no probe saw nothing is asked.
func (s *sights) granted(run *survey, g *lease) {
	if _, seen := run.owners[ownerKey{g.lock.name, g.owner}]; !seen || g.owner == "" {
		return
	}
	s.owners[g.owner] = append(s.owners[g.owner], g)
	for _, w := range s.lastCall[g.client] {
		if w != nil && w.call > g.inv.Time {
			g.asked = min(g.asked, w.call)
		}
	}
	if g.asked == math.MaxInt64 {
		s.asking[g.client] = append(s.asking[g.client], g)
	}
}

// settled returns the tenures that were over before a moment, and at the end
// of the history the last one too.
func (s *sights) settled(before int64, last bool) []*tenure {
	n := 0
	for n < len(s.over) && s.over[n].after < before {
		n++
	}
	out := s.over[:n:n]
	s.over = slices.Clone(s.over[n:])
	if last && s.now != nil {
		out = append(out, s.now)
	}
	return out
}

// horizon is what pieces up to a moment leave of the tenures: the first sight of the oldest one
// that was in no piece yet, and the moment up to which it is known. An owner that is not seen
// after the first is asked for no more. Of the leases in one name that were called for up to the
// second, only the last can still be the one whose name it was.
func (s *sights) horizon(before int64) (from, seen int64) {
	switch {
	case len(s.over) > 0:
		return s.over[0].from, s.over[0].from
	case s.now != nil:
		return s.now.from, min(s.now.last, before-1)
	}
	return before, before
}

// A leaseLook is a look at a server that showed the name of a lease.
type leaseLook struct {
	probe *history.Op
	lease *lease
}

// newListings takes out the looks at all holders up to a moment.
func (l *lockView) newListings(before int64) []*history.Op {
	n := 0
	for n < len(l.listings) && l.listings[n].Time < before {
		n++
	}
	out := l.listings[:n:n]
	l.listings = slices.Clone(l.listings[n:])
	return out
}

// newLooks returns the looks up to a moment that were in no piece yet, as far as they show one
// lease. A name that is used for a whole session shows nothing of one lease: the session goes
// on.
func (s *survey) newLooks(l *lockView, before int64) (looks []leaseLook) {
	in := &l.sights
	for ; in.looked < len(in.probes) && in.probes[in.looked].Time < before; in.looked++ {
		p := in.probes[in.looked]
		if g, reused := s.ownerAt(l, p.Owner(), p.Time); g != nil && !reused {
			looks = append(looks, leaseLook{p, g})
		}
	}
	return looks
}

// prune drops what no tenure can need any longer that is not judged yet.
func (s *sights) prune(run *survey, l *lockView, before int64) {
	from, seen := s.horizon(before)
	if t := s.now; t != nil && len(s.over) == 0 && t.opener == nil && t.from < before {
		t.opener, t.reused = run.ownerAt(l, t.owner, t.from)
	}
	for owner, list := range s.owners {
		if run.owners[ownerKey{l.name, owner}].last < from {
			delete(s.owners, owner) // it is not seen again
			continue
		}
		i, _ := slices.BinarySearchFunc(list, seen+1, byAsk)
		if i > 1 {
			s.owners[owner] = slices.Clone(list[i-1:])
		}
	}
}

func byAsk(g *lease, at int64) int { return cmp.Compare(g.inv.Time, at) }

// agreed returns the owner that all nodes agree on that were looked at of
// late, if they are most of them, and the least expiry seen. Nothing less will
// do: which nodes count is not known, and replicas that were cut off from their
// primary agree with each other on what is over.
func agreed(latest map[string]*history.Op, nodes int, t int64) (owner string, until int64) {
	fresh := 0
	for _, p := range latest {
		switch {
		case t-p.Time > staleSight:
			continue
		case fresh == 0:
			owner, until = p.Owner(), leastExpiry(p)
		case p.Owner() != owner:
			return "", 0
		}
		fresh++
		until = min(until, leastExpiry(p))
	}
	if 2*fresh <= nodes {
		return "", 0
	}
	return owner, until
}

// ownerAt returns the lease of a lock that an owner value stood for at t: the
// last one that had been called for. Some locks use a new value for every
// grant, others one for a session; reused tells which.
func (s *survey) ownerAt(l *lockView, owner string, t int64) (g *lease, reused bool) {
	all := l.sights.owners[owner]
	i, _ := slices.BinarySearchFunc(all, t+1, byAsk)
	if i == 0 {
		return nil, false
	}
	return all[i-1], s.owners[ownerKey{l.name, owner}].grants > 1
}

// An ownerKey is a lock and the value under which a server keeps its owner.
type ownerKey struct{ lock, owner string }

// nextCall is the time at which a lease's client asked for the lock again,
// from which on an owner value that is reused proves nothing.
func nextCall(g *lease, reused bool) int64 {
	if !reused {
		return math.MaxInt64
	}
	return g.asked
}

// listed reports whether all who hold a lock were listed.
func (s *survey) listed() bool {
	for _, l := range s.sights {
		if l.looks > 0 {
			return true
		}
	}
	return false
}
