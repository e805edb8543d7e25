package rule

import (
	"cmp"
	"maps"
	"slices"
	"sort"

	"locktorture/history"
	"locktorture/timeline"
)

// A holdLook is a look at a lock that several can hold, which lists all of its holders. The
// server was asked no earlier than asked and had answered by the time of the probe.
//
// A look shows the state of the server at some moment between asked and the record. A rule
// takes whichever end of that time favors the lock.
type holdLook struct {
	probe *history.Op
	asked int64
	by    map[string]history.Hold // owner → hold
}

func newHoldLook(p *history.Op) *holdLook {
	k := &holdLook{probe: p, asked: timeline.AskedAt(p), by: map[string]history.Hold{}}
	for _, h := range p.Holds {
		k.by[h.Owner] = h
	}
	return k
}

// least returns the earliest end of a hold that a look allows: the expiry that it saw counts from
// its record.
// The server may have answered as soon as it was asked. Then the remaining time that it
// reported ends earlier by the time that passed until the record.
func (k *holdLook) least(h history.Hold) int64 {
	if h.Until == history.Never {
		return history.Never
	}
	return h.Until - (k.probe.Time - k.asked)
}

// A holding is a hold for as long as each look shows it.
type holding struct {
	// lease is nil for an owner value that stands for a whole session, because such a value
	// says nothing about one lease.
	lease *timeline.Lease // the lease that the name stands for; nil: not known for certain
	// most tells a release in progress from a grant in part.
	most  int // the most permits of the hold that one look showed
	moves holdMoves
	after *holdLook // the first look that was asked for after the release was answered; nil: none yet
}

// listedHolds compares the looks at a lock whose servers list all who hold it, one with the next,
// for the rules that judge what became of a hold between the two.
//
// It keeps the looks once for four rules, since each of them needs the pair of looks and the calls
// under way between them.
type listedHolds struct {
	base
	heldLooks
	ended    holdEnded
	partial  partialGrant
	extended extendedByOther
	left     holdLeft
}

func newListedHolds(b base) *listedHolds {
	r := &listedHolds{base: b, ended: holdEnded{b}, partial: partialGrant{b, leaseSet{}}, extended: extendedByOther{b, leaseSet{}}, left: holdLeft{b, leaseSet{}}}
	r.init()
	return r
}

// A leaseSet has the leases that a rule has reported: each is reported once.
type leaseSet map[*timeline.Lease]bool

// heldLooks has what the looks at all holders of a lock have shown so far.
type heldLooks struct {
	judged   int       // how many looks were compared
	last     *holdLook // the latest of them
	holdings map[string]*holding
	leases   map[string]*timeline.Lease // by the owner values that stand for one grant and were seen
	calls    []*holdCall                // calls that have not been compared with all looks, by call
	under    []*holdCall                // calls that had been made by the last look and may still be under way
}

func (s *heldLooks) init() {
	s.holdings, s.leases = map[string]*holding{}, map[string]*timeline.Lease{}
}

// A holdCall is a call by a client that may have changed what a server keeps.
type holdCall struct {
	lease    *timeline.Lease // nil: of an acquire that was not granted
	client   int
	inv, ret *history.Op // ret is nil: never answered
}

// granted takes a grant, if the servers were seen to keep it under a name that stands for it
// alone.
// The first reading has counted the grants behind each name (Run.Owners), later ones included.
func (r *listedHolds) granted(g *timeline.Lease) {
	if r.run.Owners[timeline.OwnerKey{Lock: g.Lock.Name, Owner: g.Owner}].Grants == 1 && g.Owner != "" {
		r.leases[g.Owner] = g
	}
}

func (r *listedHolds) check(p *timeline.Piece) {
	seen := r.run.Probed[p.Name]
	// If no look is still to come, nothing in this piece can matter.
	if seen == nil || r.judged >= seen.Looks {
		return
	}
	for _, g := range p.Fresh() {
		r.granted(g)
	}
	r.add(newHoldCalls(p.Fresh(), p.Calls))
	if len(p.Listings) == 0 {
		return
	}
	for _, probe := range p.Listings {
		r.look(newHoldLook(probe))
	}
	r.calls, r.judged = slices.Clone(r.calls), r.judged+len(p.Listings)
	if r.judged == seen.Looks {
		r.calls, r.under = nil, nil // no look comes any more that they could be compared with
	}
	for owner := range r.leases {
		if r.run.Owners[timeline.OwnerKey{Lock: p.Name, Owner: owner}].Last < p.Before {
			delete(r.leases, owner) // a holding that goes on has its lease already
		}
	}
}

// add takes calls, which may be older than some that wait already. If the prober gets no
// answer for long, many calls wait.
func (s *heldLooks) add(calls []*holdCall) {
	if len(calls) == 0 {
		return
	}
	slices.SortStableFunc(calls, byHoldCall)
	from := sort.Search(len(s.calls), func(i int) bool { return byHoldCall(s.calls[i], calls[0]) > 0 })
	s.calls = append(s.calls, calls...)
	slices.SortStableFunc(s.calls[from:], byHoldCall)
}

func byHoldCall(a, b *holdCall) int {
	return cmp.Or(cmp.Compare(a.inv.Time, b.inv.Time), cmp.Compare(a.inv.Process, b.inv.Process))
}

// newHoldCalls returns the calls that were made under new leases, and the new calls for the
// lock.
func newHoldCalls(leases []*timeline.Lease, waits []*timeline.Call) (out []*holdCall) {
	for _, g := range leases {
		done := slices.Concat(g.Again, g.Renewals, g.Changes)
		if g.RelCall != nil {
			done = append(done, history.Call{Invoke: g.RelCall, Return: g.RelRet})
		}
		for _, c := range done {
			out = append(out, &holdCall{g, g.Client, c.Invoke, c.Return})
		}
	}
	for _, w := range waits {
		out = append(out, &holdCall{w.Lease, w.Client, w.Inv, w.Ret})
	}
	return out
}

// look compares a look with the one before it. Looks that were under way at the same time have no
// order: the second is left out. Looks at two servers say nothing of each other.
//
// A replica may be behind its primary, so even a difference between two servers is no
// evidence. A hold that is missing once counts as a new hold when it comes back, because it
// may have been taken again under its name.
func (r *listedHolds) look(k *holdLook) {
	s := &r.heldLooks
	last := s.last
	if last != nil && k.asked < last.probe.Time {
		return
	}
	s.last = k
	if last == nil || last.probe.Node != k.probe.Node {
		s.holdings, last = map[string]*holding{}, nil
	} else {
		s.upTo(last.asked, k.probe.Time)
	}
	for _, owner := range slices.Sorted(maps.Keys(s.holdings)) {
		h := s.holdings[owner]
		r.ended.look(s, h, last, k, owner)
		if _, there := k.by[owner]; !there {
			delete(s.holdings, owner)
		}
	}
	for _, seen := range k.probe.Holds {
		h := s.holdings[seen.Owner]
		if h == nil {
			h = &holding{}
			s.holdings[seen.Owner] = h
		}
		// A name cannot stand for a lease that nobody had called for yet.
		if g := s.leases[seen.Owner]; h.lease == nil && g != nil && g.Inv.Time <= k.probe.Time {
			h.lease = g
		}
		if h.lease != nil {
			r.partial.look(h, seen, k)
			r.extended.look(s, h, seen, last, k)
			r.left.look(h, seen, k)
		}
		h.most = max(h.most, seen.Permits)
	}
}

// upTo sets under to the calls that were under way at some time from…to. Later looks ask for
// later times only. A call without an answer stays under way for good, since it may still
// land.
func (s *heldLooks) upTo(from, to int64) {
	n := 0
	for ; n < len(s.calls) && s.calls[n].inv.Time <= to; n++ {
		s.under = append(s.under, s.calls[n])
	}
	s.calls = s.calls[n:]
	s.under = slices.DeleteFunc(s.under, func(c *holdCall) bool { return c.ret != nil && c.ret.Time < from })
}
