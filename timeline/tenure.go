package timeline

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

// A Tenure is a time in which the servers were seen to keep a lock in the name of one owner.
// For a lock on several nodes, all that answered showed that owner. Leases are what clients
// believe, and tenures are what servers kept. Only by comparing the two can it be seen whose
// release freed a lock, and that a lock is kept for nobody. Looks come every 50 ms. So a
// tenure has no exact ends, but four moments: the first and the last sight, the first sight of
// something else, and the expiry.
type Tenure struct {
	Owner  string        // "" if the lock was free, or the servers did not agree
	From   int64         // first sight
	Last   int64         // last sight
	Asked  int64         // when the server was asked for the last sight
	Until  int64         // least expiry that the last sight of each node allows; Never for none
	After  int64         // first sight of something else; 0 if there was none
	Sights []*history.Op // the probes that saw the owner, in order
	Opener *Lease        // the lease whose owner value it was at first; nil until that is known
	Reused bool          // the owner value stands for more than one lease
	// Calls are the calls of the owner's client that may have begun the tenure: its last two
	// calls before the first sight, and before those its last call of unknown outcome. Each
	// may be nil.
	Calls [3]*Call
}

// Sights holds what the probes of a lock have shown so far.
type Sights struct {
	Probes   []*history.Op          // all looks, in order
	latest   map[string]*history.Op // by node
	Now      *Tenure                // the tenure that goes on; nil before the first probe
	Over     []*Tenure              // tenures that are over and were in no piece yet, in order
	owners   map[string][]*Lease    // owner value → leases in the order of their calls
	asking   map[int][]*Lease       // client → leases after which it has not called for the lock again
	lastCall map[int][2]*Call       // client → its last two calls, the later first
	vague    map[int]*Call          // client → its last call of unknown outcome before these two

	Looked int // how many of Probes were in a piece
}

// Init makes the maps of the zero value.
func (s *Sights) Init() {
	s.latest, s.owners, s.asking, s.lastCall = map[string]*history.Op{}, map[string][]*Lease{}, map[int][]*Lease{}, map[int][2]*Call{}
	s.vague = map[int]*Call{}
}

// add takes a probe: it prolongs the tenure that goes on, or ends it and begins another.
func (s *Sights) add(run *Run, l *Lock, p *history.Op) {
	s.Probes = append(s.Probes, p)
	s.latest[p.Node] = p
	owner, until := agreed(s.latest, len(run.Probed[l.Name].Nodes), p.Time)
	if s.Now == nil || owner != s.Now.Owner {
		if s.Now != nil {
			s.Now.After = p.Time
			s.Over = append(s.Over, s.Now)
		}
		s.Now = &Tenure{Owner: owner, From: p.Time}
		s.Now.Calls = s.callsOf(run, l, owner)
	}
	s.Now.Last, s.Now.Asked, s.Now.Until = p.Time, AskedAt(p), until
	if p.Owner() == owner {
		s.Now.Sights = append(s.Now.Sights, p)
	}
}

// callsOf returns the calls of the client with that owner value that may have begun the tenure.
// What became of these calls is known when the tenure is judged. It returns none if a re-entry
// is under way: if the outer lease had ended, the re-entry may have taken the lock anew.
func (s *Sights) callsOf(run *Run, l *Lock, owner string) (calls [3]*Call) {
	if p, ok := wire.OwnerProcess(owner); ok {
		client := run.Client(&history.Op{Process: p})
		if slices.ContainsFunc(l.Pending, func(w *Call) bool { return w.Client == client && w.Within != nil }) {
			return calls
		}
		last := s.lastCall[client]
		calls = [3]*Call{last[0], last[1], s.vague[client]}
	}
	return calls
}

// called takes the call of a client for the lock.
func (s *Sights) called(w *Call) {
	last := s.lastCall[w.Client]
	if last[1] != nil && last[1].Unknown() {
		s.vague[w.Client] = last[1]
	}
	s.lastCall[w.Client] = [2]*Call{w, last[0]}
	if asking := s.asking[w.Client]; len(asking) > 0 {
		s.asking[w.Client] = slices.DeleteFunc(asking, func(g *Lease) bool {
			if g.Inv.Time < w.Called {
				g.asked = w.Called
			}
			return g.asked < math.MaxInt64
		})
	}
}

// granted takes a grant. Only leases whose owner value was seen on a server are kept.
func (s *Sights) granted(run *Run, g *Lease) {
	if _, seen := run.Owners[OwnerKey{g.Lock.Name, g.Owner}]; !seen || g.Owner == "" {
		return
	}
	s.owners[g.Owner] = append(s.owners[g.Owner], g)
	for _, w := range s.lastCall[g.Client] {
		if w != nil && w.Called > g.Inv.Time {
			g.asked = min(g.asked, w.Called)
		}
	}
	if g.asked == math.MaxInt64 {
		s.asking[g.Client] = append(s.asking[g.Client], g)
	}
}

// settled removes and returns the tenures that were over before a moment. In the last piece it
// also returns the one that goes on.
func (s *Sights) settled(before int64, last bool) []*Tenure {
	n := 0
	for n < len(s.Over) && s.Over[n].After < before {
		n++
	}
	out := s.Over[:n:n]
	s.Over = slices.Clone(s.Over[n:])
	if last && s.Now != nil {
		out = append(out, s.Now)
	}
	return out
}

// Horizon returns which tenures later pieces still need, if all pieces up to before are
// settled. from is the first sight of the oldest tenure that was in no piece yet, and seen is
// the moment up to which that tenure is known. An owner that is not seen at or after from is
// never looked up again. Of the leases that share a name and were called for by seen, only the
// last can still own the name.
func (s *Sights) Horizon(before int64) (from, seen int64) {
	switch {
	case len(s.Over) > 0:
		return s.Over[0].From, s.Over[0].From
	case s.Now != nil:
		return s.Now.From, min(s.Now.Last, before-1)
	}
	return before, before
}

// A Look is a look at a server that showed the owner value of a lease.
type Look struct {
	Probe *history.Op
	Lease *Lease
}

// NewListings removes and returns the looks before a moment that list all holders.
func (l *Lock) NewListings(before int64) []*history.Op {
	n := 0
	for n < len(l.Listings) && l.Listings[n].Time < before {
		n++
	}
	out := l.Listings[:n:n]
	l.Listings = slices.Clone(l.Listings[n:])
	return out
}

// NewLooks returns the looks before a moment that were in no piece yet and that show one
// lease. A name that stands for a whole session shows nothing about one lease, because the
// session goes on after it.
func (s *Run) NewLooks(l *Lock, before int64) (looks []Look) {
	in := &l.Sights
	for ; in.Looked < len(in.Probes) && in.Probes[in.Looked].Time < before; in.Looked++ {
		p := in.Probes[in.Looked]
		if g, reused := s.OwnerAt(l, p.Owner(), p.Time); g != nil && !reused {
			looks = append(looks, Look{p, g})
		}
	}
	return looks
}

// prune drops what is needed only for tenures that are in a piece already.
func (s *Sights) prune(run *Run, l *Lock, before int64) {
	from, seen := s.Horizon(before)
	if t := s.Now; t != nil && len(s.Over) == 0 && t.Opener == nil && t.From < before {
		t.Opener, t.Reused = run.OwnerAt(l, t.Owner, t.From)
	}
	for owner, list := range s.owners {
		if run.Owners[OwnerKey{l.Name, owner}].Last < from {
			delete(s.owners, owner) // it is not seen again
			continue
		}
		i, _ := slices.BinarySearchFunc(list, seen+1, byAsk)
		if i > 1 {
			s.owners[owner] = slices.Clone(list[i-1:])
		}
	}
}

// byAsk orders leases by their calls.
func byAsk(g *Lease, at int64) int { return cmp.Compare(g.Inv.Time, at) }

// agreed returns the owner that all recently probed nodes agree on, and the least expiry seen;
// "" if they do not agree or are no majority. Nothing less is enough: it is not known which
// nodes count, and replicas that were cut off from their primary agree with each other on an
// owner that is long gone.
func agreed(latest map[string]*history.Op, nodes int, t int64) (owner string, until int64) {
	fresh := 0
	for _, p := range latest {
		switch {
		case t-p.Time > staleSight:
			continue
		case fresh == 0:
			owner, until = p.Owner(), LeastExpiry(p)
		case p.Owner() != owner:
			return "", 0
		}
		fresh++
		until = min(until, LeastExpiry(p))
	}
	if 2*fresh <= nodes {
		return "", 0
	}
	return owner, until
}

// OwnerAt returns the lease for which an owner value of a lock stood at t: the last such lease
// that had been called for by then. Some locks use a new value for every grant, and others use
// one value for a session. reused is true for the latter.
func (s *Run) OwnerAt(l *Lock, owner string, t int64) (g *Lease, reused bool) {
	all := l.Sights.owners[owner]
	i, _ := slices.BinarySearchFunc(all, t+1, byAsk)
	if i == 0 {
		return nil, false
	}
	return all[i-1], s.Owners[OwnerKey{l.Name, owner}].Grants > 1
}

// An OwnerKey is a lock and the value under which a server keeps its owner.
type OwnerKey struct{ Lock, Owner string }

// NextCall returns when the client of a lease asked for the lock again. From then on, a reused
// owner value proves nothing about the lease. It returns MaxInt64 if the value is not reused
// or the client did not ask again.
func NextCall(g *Lease, reused bool) int64 {
	if !reused {
		return math.MaxInt64
	}
	return g.asked
}

// Listed reports whether the looks at some lock listed all its holders.
func (s *Run) Listed() bool {
	for _, l := range s.Probed {
		if l.Looks > 0 {
			return true
		}
	}
	return false
}
