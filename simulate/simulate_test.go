package simulate_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"locktorture/history"
	"locktorture/simulate"
	"locktorture/simulate/inside"
	"locktorture/simulate/machine"
	"locktorture/simulate/server"
	"locktorture/trial"
)

// order is a short run of a lock.
func order(backend string, seed uint64) inside.Order {
	return inside.Order{
		Backend: backend, Workload: "counter", Locks: []string{"counter"}, Hold: "20ms", Think: "5ms",
		Clients: 3, TTL: 500 * time.Millisecond, Duration: 400 * time.Millisecond, FreeWithin: 1500 * time.Millisecond,
		Seed: seed, Careful: true,
	}
}

// loaded is the program of all processes, which is loaded once: that takes longer than most runs.
var loaded = sync.OnceValues(func() (*machine.Program, error) {
	return machine.Load(context.Background(), "simulate/guest")
})

func guest(t testing.TB) *machine.Program {
	t.Helper()
	p, err := loaded()
	must(t, err)
	return p
}

// servers are those of a lock.
func servers(t testing.TB, backend string) []server.Server {
	t.Helper()
	l := inside.Locks()[backend]
	all, _, err := server.Start(t.Context(), l.Nodes, l.Pushes)
	must(t, err)
	t.Cleanup(func() { must(t, server.CloseAll(all)) })
	return all
}

// play plays an order and returns its history.
func play(t testing.TB, p *machine.Program, on []server.Server, o inside.Order) (history.History, *simulate.Result) {
	t.Helper()
	o.Fencing = trial.UsualFencing(inside.Locks()[o.Backend].Traits)
	var h history.History
	r, err := simulate.Run(t.Context(), simulate.Config{Order: o, Program: p, Servers: on, Record: func(op history.Op) error {
		h = append(h, op)
		return nil
	}})
	must(t, err)
	return h, r
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
