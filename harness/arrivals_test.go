package harness

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

// TestArrivals looks at the times at which the sections of 4 clients are due.
func TestArrivals(t *testing.T) {
	const clients, each = 4, 5000
	due := func(a Arrivals, client int) []time.Duration {
		r := rand.New(rand.NewPCG(1, uint64(client)))
		last := -max(a.Burst, 1)
		var all []time.Duration
		for range each {
			last = a.next(r, client, clients, last)
			all = append(all, last)
		}
		return all
	}
	t.Run("poisson", func(t *testing.T) {
		a := Arrivals{Rate: 200}
		for client := 1; client <= clients; client++ {
			all := due(a, client)
			short := 0 // distances below the mean: 1 − 1/e of them
			for i := 1; i < each; i++ {
				if all[i]-all[i-1] < 20*time.Millisecond {
					short++
				}
			}
			mean := all[each-1] / each
			if mean < 19*time.Millisecond || mean > 21*time.Millisecond || short < 3000 || short > 3320 {
				t.Errorf("client %d: a section every %v, %d of %d sooner than 20 ms, want about 3160", client, mean, short, each)
			}
		}
	})
	t.Run("even", func(t *testing.T) {
		a := Arrivals{Rate: 200, Even: true}
		for client := 1; client <= clients; client++ {
			for i, at := range due(a, client)[:100] {
				if want := time.Duration(client*5+i*20) * time.Millisecond; at != want {
					t.Fatalf("client %d, section %d: due at %v, want %v", client, i, at, want)
				}
			}
		}
	})
	t.Run("burst", func(t *testing.T) {
		for i, at := range due(Arrivals{Burst: time.Second}, 3)[:10] {
			if want := time.Duration(i) * time.Second; at != want {
				t.Fatalf("section %d: due at %v, want %v", i, at, want)
			}
		}
	})
	for name, a := range map[string]Arrivals{
		"rare poisson": {Rate: 1e-12}, "rare even": {Rate: 1e-300, Even: true}, "rare burst": {Burst: math.MaxInt64},
	} {
		t.Run(name, func(t *testing.T) {
			last := time.Duration(-1)
			for i, at := range due(a, 3)[:10] {
				if year := 365 * 24 * time.Hour; at < last || at < year && (i > 0 || a.Burst == 0) {
					t.Fatalf("section %d: due at %v, after one at %v", i, at, last)
				}
				last = at
			}
		})
	}
	if !(Arrivals{}).closed() || (Arrivals{Rate: 1}).closed() || (Arrivals{Burst: 1}).closed() {
		t.Error("closed: only the zero value is")
	}
}
