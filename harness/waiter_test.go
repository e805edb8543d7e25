package harness_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"locktorture/checker"
	"locktorture/harness"
	"locktorture/history"
	"locktorture/locks/control"
	"locktorture/nemesis"
	"locktorture/workloads"
)

// atWaiters returns a schedule of strikes at waiters, each at the next client.
func atWaiters(fault string, every, lasts time.Duration) (steps []nemesis.Step) {
	for n := range 12 {
		steps = append(steps, nemesis.Step{
			N: n + 1, At: time.Duration(n+1) * every, For: lasts, Fault: fault, Mode: nemesis.OnWaiter, Clients: []int{n%4 + 1},
		})
	}
	return steps
}

// crowded returns a trial in which three clients nearly always wait for the fourth.
func crowded(t *testing.T, fault string, every, lasts time.Duration) trial {
	return trial{
		traits: control.LocalTraits(), open: isolated(local(t)), fencing: harness.FencingOn, careful: true,
		work:  workloads.Counter{Config: workloads.Config{Hold: workloads.Constant(20 * time.Millisecond)}},
		kinds: nemesis.All(), steps: atWaiters(fault, every, lasts), lasts: 2 * time.Second,
		enough: func(h history.History) bool { return len(struckWaiting(h)) >= 6 },
	}
}

// struckWaiting returns the indices of the faults that struck a client while it waited.
func struckWaiting(h history.History) (at []int) {
	for i, op := range h {
		if op.F == history.Fault && op.Type == history.Info && strings.Contains(op.Seen(), "waiting for ") {
			at = append(at, i)
		}
	}
	return at
}

// before returns the last entry of a client before an entry.
func before(h history.History, at, client int) history.Op {
	for i := at - 1; i >= 0; i-- {
		if h[i].Client == client && h[i].F != history.Fault && h[i].F != history.Heal {
			return h[i]
		}
	}
	return history.Op{}
}

// holdsOf counts the leases that a process was granted and has not begun to release.
func holdsOf(h history.History, process int) (n int) {
	for _, op := range h {
		switch {
		case op.Process != process:
		case op.F == history.Acquire && op.Type == history.OK:
			n++
		case op.F == history.Release && op.Type == history.Invoke:
			n--
		}
	}
	return n
}

// TestKillsWaiters shows that a kill at a waiter strikes a client whose acquire is under way
// and that holds nothing, that it dies without an answer, and that the lock goes on.
func TestKillsWaiters(t *testing.T) {
	x := crowded(t, "kill-client", 100*time.Millisecond, 0)
	h := x.carryOut(t)
	struck := struckWaiting(h)
	if len(struck) < 6 {
		t.Fatalf("%d waiters were killed", len(struck))
	}
	for _, at := range struck {
		client := h[at].Client
		if want := fmt.Sprintf("killed c%d waiting for counter", client); h[at].Seen() != want {
			t.Errorf("recorded %q, want %q", h[at].Seen(), want)
		}
		crash := slices.IndexFunc(h, func(op history.Op) bool {
			return op.F == history.Crash && op.Client == client && op.Time > h[at].Time-int64(time.Second) && op.Time <= h[at].Time
		})
		if crash < 0 {
			t.Fatalf("c%d was killed and has no crash", client)
		}
		if last := before(h, crash, client); last.F != history.Acquire || last.Type != history.Invoke {
			t.Errorf("the last that c%d did before it died: %+v", client, last)
		}
		if n := holdsOf(h[:crash], h[crash].Process); n != 0 {
			t.Errorf("c%d held %d leases as it died", client, n)
		}
		for _, op := range h[crash:] {
			if op.Process == h[crash].Process && op.F == history.Acquire && op.Type != history.Info {
				t.Errorf("c%d was killed while it waited, and %s: %+v", client, op.Type, op)
			}
		}
	}
	if r := x.judge(t, h); r.Grade != checker.Safe {
		t.Errorf("local is %s when waiters die: %s", r.Grade, r.Sentence)
	}
}

// TestStopsWaiters shows that a client which is stopped while it waits holds nothing, does
// nothing and hears nothing until it goes on, and goes on then.
func TestStopsWaiters(t *testing.T) {
	x := crowded(t, "pause", 50*time.Millisecond, 100*time.Millisecond)
	h := x.carryOut(t)
	struck := struckWaiting(h)
	if len(struck) < 6 {
		t.Fatalf("%d waiters were stopped", len(struck))
	}
	for _, at := range struck {
		client := h[at].Client
		last := before(h, at, client)
		if last.F != history.Acquire || last.Type != history.Invoke {
			t.Errorf("the last that c%d did before it was stopped: %+v", client, last)
		}
		if n := holdsOf(h[:at], last.Process); n != 0 {
			t.Errorf("c%d held %d leases as it was stopped", client, n)
		}
		heal := at + slices.IndexFunc(h[at:], func(op history.Op) bool { return op.F == history.Heal && op.Fault == h[at].Fault })
		for _, op := range h[at+1 : max(heal, at+1)] {
			if op.Client == client {
				t.Errorf("c%d is stopped and has an entry: %+v", client, op)
			}
		}
		if !slices.ContainsFunc(h[heal:], func(op history.Op) bool {
			return op.Client == client && op.F == history.Acquire && op.Type != history.Invoke
		}) {
			t.Errorf("the acquire of c%d never ended", client)
		}
	}
	if r := x.judge(t, h); r.Grade != checker.Safe && r.Grade != checker.FencedG {
		t.Errorf("local is %s when waiters are stopped: %s", r.Grade, r.Sentence)
	}
}

// apart is work for which each client has a lock of its own.
type apart struct{ workloads.Counter }

func (w apart) Next(r *rand.Rand, process int) workloads.Section {
	w.Locks = w.Locks[process%4 : process%4+1]
	return w.Counter.Next(r, process)
}

// TestNobodyWaits shows that a holder is struck where nobody waits, and that the history says
// why.
func TestNobodyWaits(t *testing.T) {
	work := apart{workloads.Counter{Config: workloads.Config{Locks: []string{"a", "b", "c", "d"}}}}
	for fault, word := range map[string]string{"kill-client": "killed", "pause": "stopped"} {
		x := trial{
			traits: control.LocalTraits(), open: isolated(local(t)), work: work, kinds: nemesis.All(),
			steps: atWaiters(fault, 100*time.Millisecond, 10*time.Millisecond)[:1],
			enough: func(h history.History) bool {
				return slices.ContainsFunc(h, func(op history.Op) bool { return op.F == history.Heal })
			},
		}
		h := x.carryOut(t)
		at := slices.IndexFunc(h, func(op history.Op) bool { return op.F == history.Fault })
		if at < 0 {
			t.Fatal("nobody was struck")
		}
		if seen := h[at].Seen(); !strings.HasPrefix(seen, fmt.Sprintf("%s c%d ", word, h[at].Client)) || !strings.HasSuffix(seen, ", as no client was waiting") {
			t.Errorf("recorded %q", seen)
		}
	}
}
