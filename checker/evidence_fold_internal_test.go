package checker

import (
	"locktorture/history"
	"math"
	"slices"
	"testing"
	"time"
)

// TestBetween: what faults leave of a time, without pieces of no length.
func TestBetween(t *testing.T) {
	cut1 := func(from, to int64) cut { return cut{window: window{from, to}} }
	for _, tt := range []struct {
		name string
		cuts []cut
		want []window
	}{
		{"one in the middle", []cut{cut1(30, 40)}, []window{{10, 30}, {40, 100}}},
		{"at the beginning", []cut{cut1(10, 40)}, []window{{40, 100}}},
		{"at the end", []cut{cut1(40, 100)}, []window{{10, 40}}},
		{"two that touch", []cut{cut1(40, 50), cut1(30, 40)}, []window{{10, 30}, {50, 100}}},
	} {
		if got := between(tt.cuts, 10, 100); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}

// TestPatient: a free lock is told within toldBy.
func TestPatient(t *testing.T) {
	v := emptyFold(t, Options{FreeWithin: 3 * time.Second, Retry: 50 * time.Millisecond})
	patient := func(lasted int64) bool {
		return v.patient(&wait{inv: &history.Op{F: history.Acquire}, end: lasted})
	}
	check(t, []border{{"as long as that", patient(v.o.toldBy()), false}, {"1 ns longer", patient(v.o.toldBy() + 1), true}})
}

// TestLimit: stalls count so long after a moment, too; and no fault counts that was over
// before or began after.
func TestLimit(t *testing.T) {
	v := emptyFold(t, Options{FreeWithin: time.Second})
	v.stalls, v.prepared = []window{{100, 110}}, []window{{0, 10}, {15, 25}, {90, 95}}
	limit := func(after int64) int64 { return v.limit(window{0, 1000}, after)(95) - v.o.freeBy() }
	check(t, []border{
		{"just before the stall", limit(0), int64(0)}, {"with what is after", limit(20), int64(10)}, {"faults", len(v.disturbances(20, 80)), 1},
	})
}

// TestPrecision: a server that tells whole seconds shows expiries that are whole seconds away,
// but for 5 ms.
func TestPrecision(t *testing.T) {
	const ms = int64(time.Millisecond)
	whole := func(left int64) int {
		var p precision
		p.add(sight(wholeSecond, "n1", "a", 2*wholeSecond+left))
		return p.whole
	}
	check(t, []border{
		{"5 ms less", whole(-5 * ms), 1}, {"another ns less", whole(-5*ms - 1), 0}, {"5 ms more", whole(5 * ms), 0}, {"1 ns less than that", whole(5*ms - 1), 1},
		{"half of them", precision{seen: 2, whole: 1}.coarse(), true}, {"less than half", precision{seen: 3, whole: 1}.coarse(), false},
	})
}

// TestNotice: a holder that was told as the next grant returned was told in time.
func TestNotice(t *testing.T) {
	v := emptyFold(t, Options{Watched: true})
	v.end = math.MaxInt64
	noticed := func(late int64) *lease {
		g := leased(1, 0, 0)
		g.next, g.told = leased(2, 1000, 2000), 1000+late
		v.notice(g)
		return g
	}
	takes := v.noticeTakes(1000, 1000)
	check(t, []border{
		{"told then", noticed(0).end, int64(0)}, {"as late as may be", noticed(takes).lag, int64(0)},
		{"its promise ends with the grant", noticed(takes).end, int64(1000)}, {"1 ns later", noticed(takes + 1).lag, int64(1)},
	})
}
