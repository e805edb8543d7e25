package nemesis_test

import (
	"context"
	"net"
	"sync/atomic"
	"testing"
	"time"

	"locktorture/nemesis"
)

// A mute link answers no question while it is slow.
type mute struct {
	nemesis.Link
	net.Listener
	slow atomic.Bool
}

func (m *mute) Addr() string                            { return m.Listener.Addr().String() }
func (m *mute) Slow(time.Duration, time.Duration) error { m.slow.Store(true); return nil }
func (m *mute) Heal() error                             { m.slow.Store(false); return nil }

// serve answers until the listener is closed.
func (m *mute) serve() {
	for {
		conn, err := m.Accept()
		if err != nil {
			return
		}
		if m.slow.Load() {
			defer conn.Close()
			continue
		}
		_, _ = conn.Write([]byte("pong"))
		_ = conn.Close()
	}
}

// A slack context ends some time after its deadline, as on a busy machine.
type slack struct {
	context.Context
	deadline time.Time
}

func (s slack) Deadline() (time.Time, bool) { return s.deadline, true }

// The end of the run, which interrupts the look at a slow link, is no failure.
func TestLatencyAtTheEnd(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	m := &mute{Listener: l}
	go m.serve()
	w := shapeOf(1, 1, 1)
	w.Link = func(int, int) nemesis.Link { return m }
	start := time.Now()
	ctx, cancel := context.WithDeadline(t.Context(), start.Add(500*ms))
	defer cancel()
	d := &diary{start: start}
	steps := []nemesis.Step{{N: 1, Fault: "latency", Nodes: []int{0}, Delay: 10 * ms}}
	err = nemesis.Execute(slack{ctx, start.Add(100 * ms)}, w, steps, only("latency"), d.events())
	if err != nil || len(d.lines) != 1 {
		t.Errorf("%v, %q", err, d.lines)
	}
}
