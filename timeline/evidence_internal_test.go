package timeline

import (
	"math"
	"slices"
	"testing"
	"time"

	"locktorture/history"
)

// TestBetween: what faults leave of a time, without pieces of no length.
func TestBetween(t *testing.T) {
	cut1 := func(from, to int64) Cut { return Cut{Window: Window{from, to}} }
	for _, tt := range []struct {
		name string
		cuts []Cut
		want []Window
	}{
		{"one in the middle", []Cut{cut1(30, 40)}, []Window{{10, 30}, {40, 100}}},
		{"at the beginning", []Cut{cut1(10, 40)}, []Window{{40, 100}}},
		{"at the end", []Cut{cut1(40, 100)}, []Window{{10, 40}}},
		{"two that touch", []Cut{cut1(40, 50), cut1(30, 40)}, []Window{{10, 30}, {50, 100}}},
	} {
		if got := Between(tt.cuts, 10, 100); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}

// TestPatient: a free lock is told within toldBy.
func TestPatient(t *testing.T) {
	v := emptyFold(t, Options{FreeWithin: 3 * time.Second, Retry: 50 * time.Millisecond})
	patient := func(lasted int64) bool {
		return v.Patient(&Call{Inv: &history.Op{F: history.Acquire}, End: lasted})
	}
	check(t, []border{{"as long as that", patient(v.Options.ToldBy()), false}, {"1 ns longer", patient(v.Options.ToldBy() + 1), true}})
}

// TestLimit: stalls count so long after a moment, too; and no fault counts that was over
// before or began after.
func TestLimit(t *testing.T) {
	v := emptyFold(t, Options{FreeWithin: time.Second})
	v.Stalls, v.Prepared = []Window{{100, 110}}, []Window{{0, 10}, {15, 25}, {90, 95}}
	limit := func(after int64) int64 { return v.Limit(Window{0, 1000}, after)(95) - v.Options.FreeBy() }
	check(t, []border{
		{"just before the stall", limit(0), int64(0)}, {"with what is after", limit(20), int64(10)}, {"faults", len(v.Disturbances(20, 80)), 1},
	})
}

// TestPrecision: a server that tells whole seconds shows expiries that are whole seconds away,
// but for 5 ms.
func TestPrecision(t *testing.T) {
	const ms = int64(time.Millisecond)
	whole := func(left int64) int {
		var p Precision
		p.add(sight(WholeSecond, "n1", "a", 2*WholeSecond+left))
		return p.Whole
	}
	check(t, []border{
		{"5 ms less", whole(-5 * ms), 1}, {"another ns less", whole(-5*ms - 1), 0}, {"5 ms more", whole(5 * ms), 0}, {"1 ns less than that", whole(5*ms - 1), 1},
		{"half of them", Precision{Seen: 2, Whole: 1}.coarse(), true}, {"less than half", Precision{Seen: 3, Whole: 1}.coarse(), false},
	})
}

// TestNotice: a holder that was told as the next grant returned was told in time.
func TestNotice(t *testing.T) {
	v := emptyFold(t, Options{Watched: true})
	v.End = math.MaxInt64
	noticed := func(late int64) *Lease {
		g := leased(1, 0, 0)
		g.Next, g.Told = leased(2, 1000, 2000), 1000+late
		v.notice(g)
		return g
	}
	takes := v.NoticeTakes(1000, 1000)
	check(t, []border{
		{"told then", noticed(0).End, int64(0)}, {"as late as may be", noticed(takes).Lag, int64(0)},
		{"its promise ends with the grant", noticed(takes).End, int64(1000)}, {"1 ns later", noticed(takes + 1).Lag, int64(1)},
	})
}
