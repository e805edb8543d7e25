package rule

import (
	"slices"
	"strings"
	"testing"

	"locktorture/history"
	"locktorture/timeline"
)

// heldAt is a look at a moment, asked for 10 ns before, that shows a hold of a's until
// another.
func heldAt(at, until int64) *holdLook {
	return &holdLook{probe: &history.Op{F: history.Probe, Time: at, Node: "n1"}, asked: at - 10, by: map[string]history.Hold{"a": {Owner: "a", Until: until}}}
}

// called is a call of a client that was made at a moment and answered 10 ns later.
func called(client int, f history.F, at int64, answer history.Type) *holdCall {
	return &holdCall{lease: leased(int64(client), 0, 900), client: client, inv: &history.Op{F: f, Time: at}, ret: &history.Op{F: f, Time: at + 10, Type: answer}}
}

// TestAnother: whose calls are not the holder's.
func TestAnother(t *testing.T) {
	other := func(change func(g *timeline.Lease), list ...*holdCall) int64 {
		g := leased(1, 0, 900)
		change(g)
		s := &heldLooks{under: list}
		if c := s.another(g, 100); c != nil {
			return c.inv.Time
		}
		return -1
	}
	alive := func(*timeline.Lease) {}
	died := func(at int64) func(*timeline.Lease) { return func(g *timeline.Lease) { g.Crash = moment(at) } }
	own := func(at int64) *holdCall { return called(1, history.Try, at, history.Fail) }
	check(t, []border{
		{"its own, of one that is stopped", other(alive, own(200)), int64(-1)},
		{"of its next process", other(died(100), own(101)), int64(101)},
		{"as it died", other(died(100), own(100)), int64(-1)},
		{"it died after it was stopped", other(died(300), own(200)), int64(-1)},
		{"the last of others", other(alive, called(2, history.Try, 50, history.Fail), own(60), called(3, history.Try, 70, history.Fail), own(80)), int64(70)},
	})
}

// TestHelpless: since when a holder can do nothing for its hold, by a look that was asked for
// at 190 and recorded at 200.
func TestHelpless(t *testing.T) {
	takes := timeline.ProbeTakes
	since := func(change func(g *timeline.Lease), faults ...*timeline.Fault) int64 {
		v, g := emptyView(t, timeline.Options{}), leased(1, 50, 900)
		v.Faults = faults
		change(g)
		return (&extendedByOther{base: based(v)}).helpless(g, heldAt(200, 900))
	}
	fault := func(effect history.Effect, from, to int64) *timeline.Fault {
		return &timeline.Fault{Op: &history.Op{Client: 1}, Traits: history.FaultTraits{Effect: effect}, From: from, To: to}
	}
	crash := func(g *timeline.Lease) { g.Crash = moment(100) }
	released := func(at int64) func(*timeline.Lease) {
		return func(g *timeline.Lease) { g.Crash, g.RelCall = moment(100), moment(at) }
	}
	alive := func(*timeline.Lease) {}
	check(t, []border{
		{"it died", since(crash), int64(100)},
		{"it had called for its release as the look was recorded", since(released(200)), int64(0)}, {"later", since(released(201)), int64(100)},
		{"stopped before the look was asked for", since(alive, fault(history.Stopped, 189, 201+takes)), int64(189)},
		{"as it was", since(alive, fault(history.Stopped, 190, 201+takes)), int64(0)},
		{"messages were slow until it called", since(crash, fault(history.Slowed, 10, 50)), int64(0)},
		{"until before that", since(crash, fault(history.Slowed, 10, 49)), int64(100)},
		{"from the look on", since(crash, fault(history.Slowed, 200, 300)), int64(0)},
		{"after the look", since(crash, fault(history.Slowed, 201, 300)), int64(100)},
	})
}

// TestHoldMoves: of looks that show one end the first counts, of others the one with the
// earlier.
func TestHoldMoves(t *testing.T) {
	first, same, less := heldAt(100, 500), heldAt(200, 500), heldAt(300, 499)
	met := func(moved, before *holdMove) *holdLook {
		m := &holdMoves{moved: moved, movedMet: before}
		m.met(called(2, history.Try, 0, history.Fail), "a")
		return m.movedMet.once
	}
	move := func(once *holdLook) *holdMove { return &holdMove{once: once} }
	coarse := func(p timeline.Precision) bool {
		v := emptyView(t, timeline.Options{})
		v.Expiries = p
		later := heldAt(300, 500+v.Options.Patience()+11) // it may be 10 less than it shows
		return (&extendedByOther{base: based(v)}).holdMoved(first, later, later.by["a"])
	}
	seconds := emptyView(t, timeline.Options{})
	seconds.Expiries = timeline.Precision{Seen: 2, Whole: 1}
	step := seconds.Options.Patience() + timeline.WholeSecond + 10
	far := func(by int64) bool {
		k := heldAt(300, 500+by)
		return (&extendedByOther{base: based(seconds)}).holdMoved(first, k, k.by["a"])
	}
	check(t, []border{
		{"one end", earlier(first, same, "a"), first}, {"the later is earlier", earlier(first, less, "a"), less}, {"the first is", earlier(less, same, "a"), less},
		{"none before", earlier(nil, same, "a"), same}, {"none after", earlier(first, nil, "a"), first},
		{"moved to one end", met(move(same), move(first)), first}, {"moved to less", met(move(less), move(first)), less}, {"to more", met(move(first), move(less)), less},
		{"a server that tells nanoseconds", coarse(timeline.Precision{Seen: 2}), true}, {"one that tells seconds", coarse(timeline.Precision{Seen: 2, Whole: 1}), false},
		{"a second more", far(step), false}, {"and 1 ns", far(step + 1), true},
	})
}

// TestEnder: which call ended a hold: the last release or change that succeeded, else the last
// that asked for the lock.
func TestEnder(t *testing.T) {
	ok := history.OK
	pending := called(2, history.Release, 100, ok)
	pending.ret = nil
	ender := func(list ...*holdCall) (*holdCall, int) { return (&heldLooks{under: list}).ender(leased(1, 0, 900)) }
	call := func(list ...*holdCall) *holdCall { c, _ := ender(list...); return c }
	others := func(list ...*holdCall) int { _, n := ender(list...); return n }
	own, refused := called(1, history.Release, 10, ok), called(2, history.Release, 20, history.Fail)
	release, renewal := called(2, history.Release, 30, ok), called(3, history.Renew, 40, ok)
	asked, tried := called(4, history.Acquire, 50, ok), called(5, history.Try, 60, ok)
	none := (*holdCall)(nil)
	check(t, []border{
		{"its own", call(own), none}, {"refused", call(refused), none}, {"never answered", call(pending), none},
		{"the last of two", call(release, renewal), renewal}, {"a release before one that asks", call(release, asked), release},
		{"before one that tries", call(release, tried), release},
		{"after one that asks", call(asked, release), release}, {"after one that tries", call(tried, release), release},
		{"the last that asks", call(tried, asked), asked}, {"that tries", call(asked, tried), tried},
		{"no other", others(own, release), 0}, {"two others", others(release, renewal, refused, asked), 2},
	})
}

// TestHoldSentences: what the sentences say of who ended a hold, and of how its holder was
// kept from it.
func TestHoldSentences(t *testing.T) {
	v := emptyView(t, timeline.Options{})
	g := leased(1, 0, 900)
	g.RelCall = moment(800)
	ended := func(others int) string {
		r := holdEnded{based(v)}
		r.report(called(2, history.Release, 100, history.OK), others, g, heldAt(90, 900), heldAt(200, 900))
		return r.found.Kept["foreign-release"][0].Sentence
	}
	extended := func(crash int64) string {
		r, h := extendedByOther{based(v), leaseSet{}}, &holding{lease: leased(1, 0, 900)}
		h.lease.Crash = moment(crash)
		c := called(2, history.Try, 100, history.Fail)
		h.moves = holdMoves{since: 100, lastOther: c, movedMet: &holdMove{heldAt(110, 1), heldAt(120, 2), c}}
		r.report(h, history.Hold{Owner: "a"}, heldAt(130, 3))
		return r.found.Kept["extended-by-other"][0].Sentence
	}
	v.Expiries = timeline.Precision{Seen: 2}
	once := func(second, third int64) int64 { // the look after which the end had moved once
		r, s, h := extendedByOther{based(v), leaseSet{}}, &heldLooks{}, &holding{lease: leased(1, 0, 900)}
		h.lease.Crash = moment(50)
		s.under = []*holdCall{called(2, history.Try, 100, history.Fail)}
		ends := []int64{0, second, third}
		for i, end := range ends {
			last, k := heldAt(int64(100*i), 0), heldAt(int64(100*i+100), end)
			r.look(s, h, k.by["a"], last, k)
			if i > 0 {
				s.under = nil
			}
		}
		return h.moves.moved.once.probe.Time
	}
	far := v.Options.Patience() + 11
	has := strings.Contains
	check(t, []border{
		{"nobody else", has(ended(0), "as did"), false}, {"one more", has(ended(1), "), as did 1 more"), true},
		{"it died", has(extended(100), " died at"), true}, {"moved on once", once(far, far), int64(200)}, {"back", once(far+1, far), int64(300)}, {"further", once(far, far+1), int64(200)},
		{"it was stopped, and died later", has(extended(500), " was paused at"), true},
	})
}

// TestHoldsKept: what is kept for the next part, and when a look may be of a lease.
func TestHoldsKept(t *testing.T) {
	v := emptyView(t, timeline.Options{})
	v.Run.Probed["L"] = &timeline.Probed{Looks: 1}
	kept := func(before int64) (probes, leases int) {
		l, r := &timeline.Lock{Name: "L", Listings: []*history.Op{{Time: 100, Node: "n1"}}}, newListedHolds(based(v))
		r.leases["a"] = leased(1, 0, 900)
		v.Owners[timeline.OwnerKey{Lock: "L", Owner: "a"}] = timeline.OwnerSeen{Last: 100}
		r.check(&timeline.Piece{Lock: l, Before: before, Listings: l.NewListings(before)})
		return len(l.Listings), len(r.leases)
	}
	under := func(call int64) int {
		s := &heldLooks{calls: []*holdCall{called(2, history.Try, call, history.Fail)}}
		s.upTo(0, 100)
		return len(s.under)
	}
	of := func(call int64) bool {
		r, g := newListedHolds(based(v)), leased(1, 0, 900)
		g.Inv, g.Ret, r.leases["a"] = moment(call), moment(call), g
		look := &history.Op{F: history.Probe, Time: 100, Node: "n1", Holds: []history.Hold{{Owner: "a", Until: history.Never}}}
		r.look(newHoldLook(look))
		return r.holdings["a"].lease == g
	}
	calls := func(looks int, before int64) int {
		v.Run.Probed["N"] = &timeline.Probed{Looks: looks}
		l, r := &timeline.Lock{Name: "N", Listings: []*history.Op{{Time: 100, Node: "n1"}}}, newListedHolds(based(v))
		r.calls = []*holdCall{called(2, history.Try, 150, history.Fail)}
		r.check(&timeline.Piece{Lock: l, Before: before, Listings: l.NewListings(before)})
		return len(r.calls)
	}
	probes, leases := kept(100)
	judged, gone := kept(101)
	check(t, []border{
		{"a look at the cut", probes, 1}, {"before it", judged, 0}, {"a name that is seen at the cut", leases, 1}, {"no more", gone, 0},
		{"a call that a later look is compared with", calls(2, 101), 1}, {"after the last look", calls(1, 101), 0}, {"before it", calls(1, 100), 1},
		{"called as the look was recorded", under(100), 1}, {"later", under(101), 0}, {"a lease that was called for then", of(100), true}, {"later", of(101), false},
	})
}

// TestHoldCalls: calls wait in the order in which they were made, whenever they came to be
// known.
func TestHoldCalls(t *testing.T) {
	s := &heldLooks{}
	for _, at := range [][]int64{{10, 40}, {30, 20}, {}, {50}, {5}} {
		var list []*holdCall
		for _, t := range at {
			list = append(list, called(2, history.Try, t, history.Fail))
		}
		s.add(list)
	}
	var got []int64
	for _, c := range s.calls {
		got = append(got, c.inv.Time)
	}
	if want := []int64{5, 10, 20, 30, 40, 50}; !slices.Equal(got, want) {
		t.Errorf("calls in the order %v, want %v", got, want)
	}
}

// TestHoldNames: a name is a lease's if it stands for one grant, and a look that does not say
// when it was asked for took its time.
func TestHoldNames(t *testing.T) {
	v := emptyView(t, timeline.Options{})
	v.Run.Probed["L"] = &timeline.Probed{Looks: 1}
	named := func(owner string, grants int) int {
		r, g := newListedHolds(based(v)), leased(1, 0, 900)
		v.Owners[timeline.OwnerKey{Lock: "L", Owner: owner}], g.Owner = timeline.OwnerSeen{Grants: grants}, owner
		r.granted(g)
		return len(r.leases)
	}
	asked := func(began int64) int64 {
		op := &history.Op{F: history.Probe, Time: 5 * timeline.ProbeTakes}
		op.SetBegan(began)
		return newHoldLook(op).asked
	}
	check(t, []border{
		{"of one grant", named("a", 1), 1}, {"of two", named("a", 2), 0}, {"no name", named("", 1), 0},
		{"it says when", asked(7), int64(7)}, {"it does not", asked(0), 4 * timeline.ProbeTakes},
	})
}
