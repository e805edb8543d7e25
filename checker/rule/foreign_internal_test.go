package rule

import (
	"testing"

	"locktorture/history"
	"locktorture/timeline"
)

func release(l *timeline.Lease, call, ret int64) ending {
	return ending{l, &history.Op{F: history.Release, Time: call}, moment(ret)}
}

// TestOwnEnding: what a client itself released in the name that was gone then. The name was
// last seen at 200, and gone at 300.
func TestOwnEnding(t *testing.T) {
	named := func(n int64, owner string) *timeline.Lease {
		l := leased(n, 0, 900)
		l.Client, l.Owner = 1, owner
		return l
	}
	b, other, another := named(1, "p1:1"), named(2, "p1:1"), named(3, "p1:3")
	strange := named(4, "p1:1")
	strange.Client = 2
	own := func(e ending) bool {
		return ownEnding([]ending{e}, b, &timeline.Tenure{Owner: "p1:1", Last: 200, After: 300})
	}
	renewal := release(other, 250, 260)
	renewal.inv.F = history.Renew
	check(t, []border{
		{"another lease of it, in that name", own(release(other, 250, 260)), true},
		{"the lease itself", own(release(b, 250, 260)), false},
		{"in another name", own(release(another, 250, 260)), false},
		{"by another client", own(release(strange, 250, 260)), false},
		{"renewed", own(renewal), false},
		{"called 1 ns before it was gone", own(release(other, 299, 310)), true},
		{"called as it was gone", own(release(other, 300, 310)), false},
		{"answered as it was last seen", own(release(other, 150, 200)), false},
		{"answered 1 ns later", own(release(other, 150, 201)), true},
	})
}

// TestGrantedSince: whether a lease may have been granted after another that was last seen at
// 100 ms.
func TestGrantedSince(t *testing.T) {
	v := emptyView(t, timeline.Options{})
	v.Run.Probed["L"] = &timeline.Probed{Nodes: map[string]bool{"n1": true}}
	since := func(owner string, granted int64) bool {
		a, b := leased(1, granted, 9e9), leased(2, 1000, 9e9)
		a.Owner = owner
		return (&foreignRelease{base: based(v)}).grantedSince(a, b, &timeline.Tenure{From: 500, Last: timeline.ProbeTakes, Asked: 0})
	}
	v.Owners[timeline.OwnerKey{Lock: "L", Owner: "before"}] = timeline.OwnerSeen{Grants: 1, First: 499}
	v.Owners[timeline.OwnerKey{Lock: "L", Owner: "at once"}] = timeline.OwnerSeen{Grants: 1, First: 500}
	v.Owners[timeline.OwnerKey{Lock: "L", Owner: "twice"}] = timeline.OwnerSeen{Grants: 2, First: 499}
	check(t, []border{
		{"granted later", since("", 1001), true},
		{"granted at one moment", since("", 1000), false},
		{"seen before", since("before", 1001), false},
		{"seen no earlier", since("at once", 1001), true},
		{"its name stands for two", since("twice", 1001), true},
	})
}

// TestLastBetween: the last ending by another since a name was there, at 200, and until it was
// gone, at 400.
func TestLastBetween(t *testing.T) {
	v := emptyView(t, timeline.Options{})
	b, a := leased(1, 250, 900), leased(2, 100, 900)
	last := func(list ...ending) bool {
		return (&foreignRelease{base: based(v)}).lastBetween(list, b, &timeline.Tenure{From: 200, Last: 300, After: 400}) != nil
	}
	check(t, []border{
		{"called 1 ns after", last(release(a, 201, 350)), true},
		{"called at that moment", last(release(a, 200, 350)), false},
		{"its own later one changes nothing", last(release(a, 201, 350), release(b, 310, 360)), true},
	})
}

func TestUnderWay(t *testing.T) {
	a, b := leased(2, 100, 900), leased(1, 250, 900)
	under := func(call, ret int64) bool {
		return underWay([]ending{release(a, call, ret)}, b, &timeline.Tenure{From: 200, Last: 300}) != nil
	}
	check(t, []border{
		{"called before the name was there", under(199, 350), true},
		{"called as it was first seen", under(200, 350), false},
	})
}

// TestRobbed: who was granted at one moment with the one that released is not known to be
// later.
func TestRobbed(t *testing.T) {
	v := emptyView(t, timeline.Options{})
	robbed := func(granted int64) bool {
		return (&foreignRelease{base: based(v)}).robbed(release(leased(1, 100, 50), 500, 510), []*timeline.Lease{leased(2, granted, 900)}) != nil
	}
	check(t, []border{{"granted 1 ns later", robbed(101), true}, {"granted at one moment", robbed(100), false}})
}

// A tenure that no sight is kept of has a witness all the same.
func TestForeignWitness(t *testing.T) {
	r := &foreignRelease{base: based(emptyView(t, timeline.Options{}))}
	r.report(release(leased(1, 100, 200), 300, 310), leased(2, 250, 900), &timeline.Tenure{})
	check(t, []border{{"entries", len(r.found.Kept["foreign-release"][0].Ops), 5}})
}
