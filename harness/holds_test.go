package harness_test

import (
	"bytes"
	"context"
	"slices"
	"testing"
	"time"

	"locktorture/harness"
	"locktorture/history"
	"locktorture/locks"
	"locktorture/locks/control"
	"locktorture/nemesis"
	"locktorture/workloads"
)

// listing returns a script of two clients of a read–write lock whose server lists its holders.
func listing(t *testing.T, file *bytes.Buffer) (*harness.Script, *history.Recorder) {
	t.Helper()
	server, err := control.ListenLocal()
	if err != nil {
		t.Fatal(err)
	}
	prober := control.NewLocalHoldsProbe(server.Addr(), "local")
	t.Cleanup(func() {
		prober.Close()
		server.Close()
	})
	start := time.Now()
	now := func() int64 { return int64(time.Since(start)) + 1 }
	rec := history.NewRecorder(file, now)
	s, err := harness.NewScript(harness.Config{
		Clients: 2, TTL: time.Second, AcquireTimeout: time.Minute, Workload: workloads.Counter{}, Resource: &workloads.Memory{},
		Fencing: harness.FencingOff, Traits: control.LocalRWTraits(), World: &nemesis.World{}, Record: rec.Record, Now: now, Prober: prober,
		Open: func(_ context.Context, client, _ int) (locks.Locker, error) {
			return control.LocalRW{Local: control.NewLocal(control.LocalConfig{Addr: server.Addr(), Owner: []string{"", "p1", "p2"}[client]})}, nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return s, rec
}

// TestHoldsAreRecorded: two readers of a real server are seen as they are, first one, then
// both, one, none: each as a reader, in the name that its grant told. Each look says since
// when it was under way.
func TestHoldsAreRecorded(t *testing.T) {
	var file bytes.Buffer
	s, rec := listing(t, &file)
	ctx := t.Context()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(s.Begin(ctx))
	var seen []int
	look := func() {
		sights, err := s.Look(ctx, "L")
		must(err)
		s.Saw("L", sights)
		seen = append(seen, len(sights[0].Holds))
	}
	var held []*harness.Grant
	for _, client := range []int{1, 2} {
		g, err := s.Client(client).Claim(ctx, "L", locks.Claim{Shared: true})
		must(err)
		held = append(held, g)
		look()
	}
	for i := range held {
		must(s.Client(i+1).Release(ctx, held[i]))
		look()
	}
	must(s.End("", nil))
	must(rec.Close())
	if want := []int{1, 2, 1, 0}; !slices.Equal(seen, want) {
		t.Errorf("%v holders were seen, want %v", seen, want)
	}
	h, _, err := history.ReadAll(&file)
	must(err)
	var owners, listed []string
	for _, op := range h {
		if op.F == history.Acquire && op.Type == history.OK {
			owners = append(owners, op.Owner())
		}
		for _, hold := range op.Holds {
			listed = append(listed, hold.Owner)
			if at, ok := op.Began(); !ok || at > op.Time || hold.Mode != history.Shared || hold.Until != history.Never {
				t.Errorf("a look of %+v", op)
			}
		}
	}
	slices.Sort(listed)
	slices.Sort(owners)
	if got := slices.Compact(listed); !slices.Equal(got, owners) {
		t.Errorf("%q were listed, and %q granted", got, owners)
	}
}
