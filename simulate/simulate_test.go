package simulate_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"locktorture/history"
	"locktorture/locks"
	"locktorture/nemesis/points/schedule"
	"locktorture/simulate"
	"locktorture/simulate/inside"
	"locktorture/simulate/machine"
	"locktorture/simulate/machine/wasm"
	"locktorture/simulate/server"
	"locktorture/trial"
)

// works are workloads by the kind of lock. Those of the registry would make this package require all
// servers.
func works() map[string]string {
	return map[string]string{
		locks.Exclusive: "counter", locks.ReadWrite: "document", locks.Semaphore: "rate", locks.CountDownLatch: "start-gate", locks.DoubleBarrier: "phases",
	}
}

// order is a short run of a lock.
func order(backend string, seed uint64) inside.Order {
	l, _ := inside.Find(backend)
	work := works()[l.Traits.Kind]
	return inside.Order{
		Backend: backend, Workload: work, Locks: []string{work}, Hold: "20ms", Think: "5ms",
		Clients: 3, TTL: 500 * time.Millisecond, Duration: 400 * time.Millisecond, FreeWithin: 1500 * time.Millisecond,
		Seed: seed, Careful: true,
	}
}

// loaded is the program of all processes, which is loaded once: that takes longer than most
// runs.
var loaded = sync.OnceValues(func() (*machine.Program, error) {
	return machine.Load(context.Background(), wasm.Engine{}, "cmd/guest")
})

func guest(t testing.TB) *machine.Program {
	t.Helper()
	p, err := loaded()
	must(t, err)
	return p
}

// pool are servers for the worlds of all tests, one world at a time. They start when one needs
// them.
var (
	pool = sync.OnceValues(func() ([]server.Server, error) {
		all, _, err := server.Start(context.Background(), 5, true)
		closePool = func() error { return server.CloseAll(all) }
		return all, err
	})
	closePool = func() error { return nil }
)

func TestMain(m *testing.M) {
	code := m.Run()
	if err := closePool(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

// servers returns the servers of a lock.
func servers(t testing.TB, backend string) []server.Server {
	t.Helper()
	all, err := pool()
	must(t, err)
	return all[:inside.Locks()[backend].Nodes]
}

func parsed(t testing.TB, lines ...string) schedule.Schedule {
	t.Helper()
	s, err := schedule.Parse(strings.Join(lines, "\n"))
	must(t, err)
	return s
}

// play plays an order with a schedule and returns its history.
func play(t testing.TB, p *machine.Program, on []server.Server, o inside.Order, lines ...string) (history.History, *simulate.Result) {
	t.Helper()
	o.Fencing = trial.UsualFencing(inside.Locks()[o.Backend].Traits)
	var h history.History
	r, err := simulate.Run(t.Context(), simulate.Config{Order: o, Program: p, Servers: on, Schedule: parsed(t, lines...), Record: func(op history.Op) error {
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
