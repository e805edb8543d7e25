package nemesis_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"locktorture/nemesis"
)

// A mortal is a server whose end is seen late.
type mortal struct{ d *diary }

func (mortal) Name() string { return "redis-1" }

func (m mortal) Kill(context.Context) error {
	m.d.note("killed")
	time.Sleep(1400 * time.Millisecond)
	return nil
}

func (mortal) Start(context.Context, bool) error { return nil }

// A late client comes to work after a while.
type late struct{ nemesis.Client }

func (late) Linger(context.Context, time.Duration) (string, func(), error) {
	time.Sleep(300 * time.Millisecond)
	return "c1 at work", func() {}, nil
}

// TestBegins shows that a fault begins when the server is killed: neither while it waits for a
// holder nor when the end of the process is seen, which takes more than a second on a busy
// machine.
func TestBegins(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &diary{start: time.Now()}
		events := d.events()
		events.Began = func(s nemesis.Step) { d.note("began %d", s.N) }
		m := mortal{d: d}
		world := &nemesis.World{TTL: 2 * time.Second, Quorum: 1, Clients: []nemesis.Client{late{}}, Nodes: []nemesis.Node{m}}
		steps := []nemesis.Step{{N: 1, Fault: "restart", Nodes: []int{0}, Holder: 1}}
		if err := nemesis.Execute(t.Context(), world, steps, nemesis.All(), events); err != nil {
			t.Fatal(err)
		}
		want := []string{
			"300ms began 1",
			"300ms killed",
			"1.7s struck 1 redis-1 killed, data directory kept; c1 at work",
			"1.7s healed 1",
		}
		if diff := cmp.Diff(want, d.lines); diff != "" {
			t.Error(diff)
		}
		synctest.Wait()
	})
}

// A noted link between servers says when it is cut.
type notedLink struct {
	nemesis.Link
	d *diary
}

func (l notedLink) Cut() error {
	l.d.note("cut")
	time.Sleep(200 * time.Millisecond)
	return nil
}

func (notedLink) Heal() error { return nil }

// TestCutBegins shows that a partition begins before the first link is cut.
func TestCutBegins(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &diary{start: time.Now()}
		events := d.events()
		events.Began = func(s nemesis.Step) { d.note("began %d", s.N) }
		w := shapeOf(1, 2, 2)
		w.Peer = func(int, int) nemesis.Link { return notedLink{d: d} }
		steps := []nemesis.Step{{N: 1, Fault: "partition", Mode: nemesis.PartitionNodes, Nodes: []int{0}}}
		if err := nemesis.Execute(t.Context(), w, steps, only("partition"), events); err != nil {
			t.Fatal(err)
		}
		if want := []string{"0s began 1", "0s cut"}; len(d.lines) < 2 || !cmp.Equal(want, d.lines[:2]) {
			t.Errorf("%q", d.lines)
		}
		synctest.Wait()
	})
}
