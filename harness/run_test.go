package harness_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"locktorture/checker"
	"locktorture/checker/invariant"
	"locktorture/harness"
	"locktorture/history"
	"locktorture/locks"
	"locktorture/locks/control"
	"locktorture/locks/driver"
	"locktorture/nemesis"
	"locktorture/workloads"
)

// A trial is one short run and its verdict.
type trial struct {
	traits  locks.Traits
	open    func(context.Context, int, int) (locks.Locker, error)
	fencing string
	steps   []nemesis.Step
	kinds   nemesis.Kinds
	ttl     time.Duration
	seed    uint64
	until   history.F     // end the run with the first such entry; "": when its time is over
	lasts   time.Duration // default 1 s
	// enough reports whether a history has what the test is about: on a busy machine that takes
	// longer. nil: any has.
	enough  func(history.History) bool
	work    workloads.Workload // nil: a Counter
	careful bool
	busy    history.F // such an entry is recorded late, as on a busy machine
}

// carryOut runs a trial and reads its history back. One that has not come to enough is run for
// longer.
func (x trial) carryOut(t *testing.T) history.History {
	t.Helper()
	if x.lasts == 0 {
		x.lasts = time.Second
	}
	for ; ; x.lasts *= 4 {
		h := x.once(t)
		if x.enough == nil || x.enough(h) || x.lasts > 10*time.Second {
			return h
		}
	}
}

// granted is enough for a trial whose verdict needs so many grants.
func granted(n int) func(history.History) bool {
	return func(h history.History) bool {
		grants := 0
		for _, op := range h {
			if op.F == history.Acquire && op.Type == history.OK {
				grants++
			}
		}
		return grants >= n
	}
}

func (x trial) once(t *testing.T) history.History {
	t.Helper()
	var file bytes.Buffer
	start := time.Now()
	now := func() int64 { return int64(time.Since(start)) }
	rec := history.NewRecorder(&file, now)
	if x.ttl == 0 {
		x.ttl = 200 * time.Millisecond
	}
	if x.fencing == "" {
		x.fencing = harness.FencingOff
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	record := func(op history.Op) (history.Op, error) {
		if op.F == x.until {
			cancel()
		}
		if op.F == x.busy {
			time.Sleep(50 * time.Millisecond)
		}
		return rec.Record(op)
	}
	if x.work == nil {
		x.work = workloads.Counter{}
	}
	run, err := harness.New(harness.Config{
		Clients: 4, Duration: x.lasts, TTL: x.ttl, Seed: x.seed, FreeWithin: freeWithin,
		Workload: x.work, Resource: &workloads.Memory{}, Fencing: x.fencing, Careful: x.careful,
		Traits: x.traits, Open: x.open, World: &nemesis.World{TTL: x.ttl}, Kinds: x.kinds,
		Record: record, Now: now,
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := run.Go(ctx, x.steps); err != nil {
		t.Fatal(err)
	}
	if err := rec.Close(); err != nil {
		t.Fatal(err)
	}
	h, truncated, err := history.ReadAll(&file)
	if err != nil || truncated {
		t.Fatalf("the history of the run is unreadable: truncated %v, %v", truncated, err)
	}
	want := history.Complete
	if ctx.Err() != nil {
		want = history.Interrupted
	}
	if end := h[len(h)-1]; end.F != history.End || end.Value != want {
		t.Errorf("the last entry is %+v, want an end: %s", end, want)
	}
	return h
}

// freeWithin is how long a busy machine may take to hand a lock over.
const freeWithin = 10 * time.Second

func (x trial) judge(t *testing.T, h history.History) checker.Result {
	t.Helper()
	return checker.Check(h, checker.Options{
		Model: x.traits.Model, Tokens: x.traits.Token, Reentrant: x.traits.Reentrant, TTL: x.ttl, FreeWithin: freeWithin, Retry: 10 * time.Millisecond,
		MinGrants: 10, Timeout: time.Minute, Memory: 1 << 30,
	}, invariant.Counter{})
}

func local(t *testing.T) driver.Open {
	t.Helper()
	s, err := control.ListenLocal()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return driver.Open{Backend: "local", Endpoints: []string{s.Addr()}}
}

// TestControls runs the lock that must be found out and the one that must not.
func TestControls(t *testing.T) {
	none := trial{traits: control.NoneTraits(), open: isolated(driver.Open{Backend: "none"}), enough: granted(50)}
	if r := none.judge(t, none.carryOut(t)); r.Grade != checker.Unsafe || r.Counts.Anomalies["lost-update"] == 0 {
		t.Errorf("none is %s: %s", r.Grade, r.Sentence)
	}
	good := trial{traits: control.LocalTraits(), open: isolated(local(t)), fencing: harness.FencingBoth, enough: granted(50)}
	if r := good.judge(t, good.carryOut(t)); r.Grade != checker.Safe {
		t.Errorf("local is %s: %s", r.Grade, r.Sentence)
	}
}

// TestKill shows that nothing of a killed client starts after its crash, and
// that its successor has a new process number.
func TestKill(t *testing.T) {
	x := trial{
		traits: control.LocalTraits(), open: isolated(local(t)), fencing: harness.FencingOn,
		kinds: nemesis.Kinds{"kill-client": nemesis.KillClient{}},
		steps: []nemesis.Step{{N: 1, At: 100 * time.Millisecond, Fault: "kill-client", Clients: []int{2}}},
		enough: func(h history.History) bool { // the successor has worked
			return granted(10)(h) && slices.ContainsFunc(h, func(op history.Op) bool { return op.Client == 2 && op.Process == 5 })
		},
	}
	h := x.carryOut(t)
	crash := slices.IndexFunc(h, func(op history.Op) bool { return op.F == history.Crash })
	if crash < 0 {
		t.Fatal("no crash in the history")
	}
	dead := h[crash].Process
	successor := false
	for _, op := range h[crash+1:] {
		if op.Type == history.Invoke && op.Process == dead {
			t.Errorf("process %d invokes %s after its crash", dead, op.F)
		}
		successor = successor || op.Client == 2 && op.Process == dead+4
	}
	if !successor {
		t.Error("the killed client has no successor")
	}
	if r := x.judge(t, h); r.Grade != checker.Safe {
		t.Errorf("local is %s under a kill: %s", r.Grade, r.Sentence)
	}
}

// TestPause shows that a stopped client does nothing while it is stopped, and
// that the fault stands in the history from its effect until its end.
func TestPause(t *testing.T) {
	x := trial{
		traits: control.LocalTraits(), open: isolated(local(t)), careful: true, busy: history.Heal,
		kinds: nemesis.Kinds{"pause": nemesis.Pause{Bound: nemesis.Span{Most: 100}}},
		steps: []nemesis.Step{{N: 1, At: 100 * time.Millisecond, For: 300 * time.Millisecond, Fault: "pause", Mode: nemesis.PauseClient, Clients: []int{3}}},
		enough: func(h history.History) bool { // the pause was over before the run was
			fault := slices.IndexFunc(h, func(op history.Op) bool { return op.F == history.Fault })
			heal := slices.IndexFunc(h, func(op history.Op) bool { return op.F == history.Heal })
			return fault >= 0 && heal >= 0 && h[heal].Time-h[fault].Time >= int64(300*time.Millisecond)
		},
	}
	h := x.carryOut(t)
	fault := slices.IndexFunc(h, func(op history.Op) bool { return op.F == history.Fault })
	heal := slices.IndexFunc(h, func(op history.Op) bool { return op.F == history.Heal })
	if fault < 0 || heal < fault {
		t.Fatalf("fault at entry %d, heal at %d", fault, heal)
	}
	if !strings.Contains(h[fault].Value, "between check and write") {
		t.Errorf("struck %q", h[fault].Value)
	}
	if took := h[heal].Time - h[fault].Time; took < int64(300*time.Millisecond) {
		t.Errorf("the pause took %d ns", took)
	}
	for _, op := range h[fault:heal] {
		if op.Client == 3 && op.F != history.Fault {
			t.Errorf("the stopped client has an entry: %+v", op)
		}
	}
}

// resting is work that one client never comes to.
type resting struct {
	workloads.Counter
	process int
}

func (w resting) Next(r *rand.Rand, process int) workloads.Section {
	s := w.Counter.Next(r, process)
	if process == w.process {
		s.Think = time.Hour
	}
	return s
}

// TestPauseInstead shows that another client is stopped where the drawn one does not come to
// work, and that the history names the one which was.
func TestPauseInstead(t *testing.T) {
	x := trial{
		traits: control.LocalTraits(), open: isolated(local(t)), careful: true, work: resting{process: 2},
		kinds: nemesis.Kinds{"pause": nemesis.Pause{}},
		steps: []nemesis.Step{{N: 1, At: 100 * time.Millisecond, For: 300 * time.Millisecond, Fault: "pause", Mode: nemesis.PauseClient, Clients: []int{3}}},
		enough: func(h history.History) bool {
			return slices.ContainsFunc(h, func(op history.Op) bool { return op.F == history.Heal })
		},
	}
	h := x.carryOut(t)
	fault := slices.IndexFunc(h, func(op history.Op) bool { return op.F == history.Fault })
	heal := slices.IndexFunc(h, func(op history.Op) bool { return op.F == history.Heal })
	if fault < 0 || heal < fault {
		t.Fatalf("fault at entry %d, heal at %d", fault, heal)
	}
	struck := h[fault]
	if struck.Client == 3 || struck.Client != h[heal].Client || !strings.HasPrefix(struck.Value, fmt.Sprintf("stopped c%d ", struck.Client)) {
		t.Errorf("recorded %+v, and the end %+v", struck, h[heal])
	}
	if struck.Node != fmt.Sprintf("c%d", struck.Client) {
		t.Errorf("the fault of c%d names %q", struck.Client, struck.Node)
	}
	for _, op := range h[fault+1 : heal] {
		if op.Client == struck.Client {
			t.Errorf("the stopped client has an entry: %+v", op)
		}
	}
}

// TestSeed shows that a seed fixes the work of each process. A section whose wait ended
// without a grant has drawn its store too, which the history does not show: here nobody waits
// for so long, however busy the machine is.
func TestSeed(t *testing.T) {
	x := trial{traits: control.LocalTraits(), open: isolated(local(t)), fencing: harness.FencingBoth, seed: 7, ttl: 30 * time.Second, enough: func(h history.History) bool {
		drawn := stores(h)
		return min(len(drawn[0]), len(drawn[1]), len(drawn[2]), len(drawn[3])) >= 5
	}}
	a, b := stores(x.carryOut(t)), stores(x.carryOut(t))
	for process := range 4 {
		n := min(len(a[process]), len(b[process]))
		if n < 5 || !slices.Equal(a[process][:n], b[process][:n]) {
			t.Errorf("process %d drew %v in one run and %v in the other", process, a[process][:n], b[process][:n])
		}
	}
}

// stores lists the kind of store of each section of each process.
func stores(h history.History) map[int][]string {
	drawn := map[int][]string{}
	for _, op := range h {
		if op.F == history.Read && op.Type == history.Invoke {
			drawn[op.Process] = append(drawn[op.Process], op.Store)
		}
	}
	return drawn
}

// TestInterrupted shows that a run that is ended early is healed and readable.
func TestInterrupted(t *testing.T) {
	x := trial{
		traits: control.LocalTraits(), open: isolated(local(t)), until: history.Fault,
		kinds: nemesis.Kinds{"pause": nemesis.Pause{}},
		steps: []nemesis.Step{{N: 1, At: 50 * time.Millisecond, For: time.Minute, Fault: "pause", Mode: nemesis.PauseClient, Clients: []int{1}}},
	}
	h := x.carryOut(t)
	struck := slices.IndexFunc(h, func(op history.Op) bool { return op.F == history.Fault })
	if struck < 0 {
		t.Fatal("no pause in the history")
	}
	if took := time.Duration(h[len(h)-1].Time - h[struck].Time); took > 30*time.Second {
		t.Errorf("the run went on for %v", took)
	}
	if !slices.ContainsFunc(h, func(op history.Op) bool { return op.F == history.Heal }) {
		t.Error("the pause was not healed")
	}
}
