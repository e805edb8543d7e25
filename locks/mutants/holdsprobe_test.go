package mutants_test

import (
	"slices"
	"testing"
	"time"

	"locktorture/locks"
	"locktorture/locks/mutants"
)

// TestHoldsProbe: servers list who holds a lock and what is there of it, also where a mutant
// has taken less than its client believes.
func TestHoldsProbe(t *testing.T) {
	for _, tt := range []struct {
		name   string
		family string
		broken mutants.Switch
		claims []locks.Claim
		want   []locks.Hold // but for owners and ends
	}{
		{"nobody", mutants.FamilyReaders, "", nil, nil},
		{"readers", mutants.FamilyReaders, "", []locks.Claim{reader, reader}, []locks.Hold{{Shared: true}, {Shared: true}}},
		{"a writer", mutants.FamilyReaders, "", []locks.Claim{writer}, []locks.Hold{{}}},
		{"permits", mutants.FamilyPermits, "", []locks.Claim{some(2), some(1)}, []locks.Hold{{Permits: 2}, {Permits: 1}}},
		{"a part of two permits", mutants.FamilyPermits, mutants.GrantsPart, []locks.Claim{some(2), some(2)}, []locks.Hold{{Permits: 2}, {Permits: 1}}},
		{"nobody in a queue", mutants.FamilyQueueRW, "", nil, nil},
		{"readers of a queue", mutants.FamilyQueueRW, "", []locks.Claim{reader, reader}, []locks.Hold{{Shared: true}, {Shared: true}}},
		{"the writer of a queue", mutants.FamilyQueueRW, "", []locks.Claim{writer}, []locks.Hold{{}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t, tt.family, tt.broken)
			ends := tt.family != mutants.FamilyQueueRW
			var probe locks.Prober = mutants.NewHoldsProbe(w.cfg.Addrs[0], "n1", nil)
			if !ends {
				probe = mutants.NewQueueHoldsProbe(w.cfg.Addrs[0], "n1")
			}
			t.Cleanup(func() { probe.Close() })
			var owners []string
			for _, c := range tt.claims {
				owners = append(owners, w.claim(c).(locks.Owned).Owner())
			}
			sights, err := probe.Probe(t.Context(), "x")
			if err != nil {
				t.Fatal(err)
			}
			got := sights[0].Holds
			if sights[0].Node != "n1" || got == nil || len(got) != len(tt.want) {
				t.Fatalf("%+v, want %+v", sights, tt.want)
			}
			for i, owner := range owners {
				at := slices.IndexFunc(got, func(h locks.Hold) bool { return h.Owner == owner })
				if at < 0 {
					t.Fatalf("%q is not in %+v", owner, got)
				}
				h := got[at]
				inTime := h.Left > w.cfg.TTL-time.Second && h.Left <= w.cfg.TTL
				if h.Shared != tt.want[i].Shared || h.Permits != tt.want[i].Permits || ends != inTime || !ends && h.Left >= 0 {
					t.Errorf("%+v, want %+v that ends: %v", h, tt.want[i], ends)
				}
			}
		})
	}
}
