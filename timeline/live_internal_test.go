package timeline

import (
	"testing"

	"locktorture/history"
)

// TestLive: a lease is promised as far as its history has come, a release counts from its call,
// and what is over is dropped.
func TestLive(t *testing.T) {
	var granted []*Lease
	v := NewLive(Options{}, func(_ *Lock, w *Call) { granted = append(granted, w.Lease) })
	op := func(f history.F, kind history.Type, at int64) {
		v.Feed(&history.Op{F: f, Type: kind, Time: at, Lock: "L", Process: 3, Client: 2, Lease: 7})
	}
	end := func() int64 { v.Promise(granted[0]); return granted[0].End }
	op(history.Acquire, history.Invoke, 1)
	op(history.Acquire, history.OK, 2)
	v.Feed(&history.Op{F: history.Probe, Time: 3, Lock: "L", Node: "n1"})
	held := end()
	op(history.Release, history.Invoke, 4)
	released, under := end(), granted[0].RelCall
	op(history.Release, history.OK, 9)
	answered := end()
	kept := len(v.fold.locks["L"].Leases)
	for at := range int64(liveKeeps) {
		v.Feed(&history.Op{F: history.Heal, Type: history.Info, Time: 10 + at, Process: history.Nemesis})
	}
	check(t, []border{
		{"grants", len(granted), 1}, {"its client", granted[0].Client, 2}, {"held", held, int64(history.Never)}, {"released at its call", released, int64(4)},
		{"which is not answered yet", under, (*history.Op)(nil)}, {"answered", answered, int64(4)}, {"kept", kept, 1}, {"dropped", len(v.fold.locks["L"].Leases), 0},
		{"nothing is done under it", v.Lease(&history.Op{Lease: 7}), (*Lease)(nil)},
	})
}
