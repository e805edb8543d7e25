package nemesistest_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"testing"
	"time"

	"locktorture/cluster/clustertest"
	"locktorture/nemesis"
	"locktorture/nemesis/nemesistest"
)

func TestClockAhead(t *testing.T) {
	c, w := serve(t, "redis-5", 1)
	for _, n := range c.Nodes {
		set(t, dial(t, n.Addr()), "lease", "mine", time.Minute)
	}
	s := nemesis.Step{Mode: nemesis.ClockAhead, Nodes: []int{0, 2, 3}, Offset: 2 * time.Minute, Rate: 1}
	heal := nemesistest.Inject(t, w, nemesis.Clock{}, s, "redis-1, redis-3, redis-4 tell +120.000 s")
	for i, n := range c.Nodes {
		want := map[bool]string{true: "", false: "mine"}[i == 0 || i == 2 || i == 3]
		if got := get(t, dial(t, n.Addr()), "lease"); got != want {
			t.Errorf("%s: lease %q, want %q", n.Name(), got, want)
		}
		if by := ahead(t, n.Addr()); (by > time.Minute) != (want == "") {
			t.Errorf("%s is ahead by %v", n.Name(), by)
		}
	}
	heal()
	for _, n := range c.Nodes {
		if off := ahead(t, n.Addr()); off.Abs() > 100*ms {
			t.Errorf("healed, %s is off by %v", n.Name(), off)
		}
	}
}

func TestClockBackAndRate(t *testing.T) {
	c, w := serve(t, "redis", 1)
	direct := dial(t, c.Nodes[0].Addr())
	set(t, direct, "lease", "mine", 30*time.Second)
	s := nemesis.Step{Mode: nemesis.ClockBack, Nodes: []int{0}, Offset: -time.Hour, Rate: 1}
	heal := nemesistest.Inject(t, w, nemesis.Clock{}, s, "-3600.000 s")
	if left := direct.PTTL(t.Context(), "lease").Val(); left < time.Hour {
		t.Errorf("an hour back the lease has %v left", left)
	}
	heal()
	if left := direct.PTTL(t.Context(), "lease").Val(); left > 30*time.Second || left <= 0 {
		t.Errorf("healed, the lease has %v left", left)
	}
	s = nemesis.Step{Mode: nemesis.ClockRate, Nodes: []int{0}, Rate: 50}
	heal = nemesistest.Inject(t, w, nemesis.Clock{}, s, "run at rate 50")
	start := time.Now()
	until(t, "thirty seconds pass", nemesistest.Patience/2, func() bool { return get(t, direct, "lease") == "" })
	t.Logf("the rest of thirty seconds passed in %v", time.Since(start))
	heal()
	if off := ahead(t, c.Nodes[0].Addr()); off.Abs() > 100*ms {
		t.Errorf("healed, it is off by %v", off)
	}
}

// ahead is by how much the clock of a Redis is ahead of the host's, at least. How
// long the answer took does not count.
func ahead(t *testing.T, addr string) time.Duration {
	t.Helper()
	c := dial(t, addr)
	before := time.Now()
	told, err := c.Time(t.Context()).Result()
	if err != nil {
		t.Fatal(err)
	}
	switch after := time.Now(); {
	case told.After(after):
		return told.Sub(after)
	case told.Before(before):
		return told.Sub(before)
	}
	return 0
}

func TestRestart(t *testing.T) {
	c, w := serve(t, "redis", 1) // with its data on disk
	for _, wipe := range []bool{false, true} {
		set(t, dial(t, c.Nodes[0].Addr()), "lease", "mine", 0)
		heal := nemesistest.Inject(t, w, nemesis.Restart{}, nemesis.Step{Nodes: []int{0}, Wipe: wipe}, "redis-1 killed")
		works(t, "killed", c.Nodes[0].Addr(), false)
		heal()
		want := map[bool]string{false: "mine", true: ""}[wipe]
		if got := get(t, dial(t, c.Endpoints(1)[0]), "lease"); got != want {
			t.Errorf("back, wiped %v: lease %q, want %q", wipe, got, want)
		}
	}
}

func TestRestartOfSome(t *testing.T) {
	c, w := serve(t, "redis-5", 1)
	heal := nemesistest.Inject(t, w, nemesis.Restart{}, nemesis.Step{Nodes: []int{1, 2, 4}}, "redis-2, redis-3, redis-5 killed")
	for i, n := range c.Nodes {
		works(t, n.Name(), n.Addr(), i == 0 || i == 3)
	}
	heal()
	for _, addr := range c.Endpoints(1) {
		works(t, "back", addr, true)
	}
}

// A member of a consensus group must keep its data, and comes back with it.
func TestRestartOfEtcd(t *testing.T) {
	c, w := serve(t, "etcd-3", 1)
	healthyAre(t, c, true, true, true)
	if err := (nemesis.Restart{}).Check(w, nemesis.Step{Nodes: []int{0}, Wipe: true}); err == nil {
		t.Error("etcd may be wiped")
	}
	if err := (nemesis.Clock{}).Supports(w); err == nil {
		t.Error("the clock of etcd can be moved")
	} else {
		t.Log(err)
	}
	heal := nemesistest.Inject(t, w, nemesis.Restart{}, nemesis.Step{Nodes: []int{0, 1}}, "etcd-1, etcd-2 killed")
	until(t, "a minority cannot serve", nemesistest.Patience, func() bool { return !healthy(t, c.Nodes[2].Addr()) })
	heal()
	healthyAre(t, c, true, true, true)
}

// A member of a consensus group that comes back empty is another member, which the others accept.
func TestRestartOfEtcdWithoutData(t *testing.T) {
	c, w := serve(t, "etcd-3", 1)
	healthyAre(t, c, true, true, true)
	empty := nemesis.Restart{Data: nemesis.Lost}
	if err := empty.Supports(w); err != nil && os.Getenv(clustertest.Cluster) != "" {
		t.Skip(err) // who lets a member back is a process
	}
	if err := empty.Check(w, nemesis.Step{Nodes: []int{0, 1}, Wipe: true}); err == nil {
		t.Error("two members of three can be replaced at a time")
	}
	for range 2 {
		heal := nemesistest.Inject(t, w, empty, nemesis.Step{Nodes: []int{0}, Wipe: true}, "etcd-1 killed, data directory emptied")
		healthyAre(t, c, false, true, true)
		heal()
		healthyAre(t, c, true, true, true)
	}
}

func TestPauseOfNodes(t *testing.T) {
	c, w := serve(t, "redis-5", 1)
	s := nemesis.Step{Mode: nemesis.PauseNode, Nodes: []int{0, 1}}
	heal := nemesistest.Inject(t, w, nemesis.Pause{Modes: []string{nemesis.PauseNode}}, s, "redis-1, redis-2 stopped")
	works(t, "redis-1", c.Endpoints(1)[0], false)
	works(t, "redis-2", c.Endpoints(1)[1], false)
	works(t, "redis-3", c.Endpoints(1)[2], true)
	heal()
	for _, addr := range c.Endpoints(1) {
		works(t, "continued", addr, true)
	}
}

// The lease that the primary granted last is unknown to the promoted replica,
// and so is every lease that the replicas knew when they were cut off.
func TestFailover(t *testing.T) {
	c, w := serve(t, "redis-replicas", 1)
	for round := range 2 {
		old := c.Replicas.Primary()
		client := dial(t, c.Endpoints(1)[0])
		set(t, client, "counter", "1", 0)
		set(t, client, "lease", "before", w.TTL)
		done := make(chan struct{})
		told := &toldReplication{c.Replicas, make(chan struct{})}
		w.Replication = told
		go func() { // a holder that takes the lock once the replicas lag behind
			defer close(done)
			<-told.cut
			for client.SetNX(t.Context(), "lease", "after", time.Minute).Val() == false && t.Context().Err() == nil {
				time.Sleep(5 * ms)
			}
		}()
		s := nemesis.Failover{}.Plan(nemesis.NewDraw(rand.New(rand.NewPCG(1, 0))), w)
		s.Holder = 0 // the holder of this test is no client of a run
		heal := nemesistest.Inject(t, w, nemesis.Failover{}, s, "promoted")
		<-done
		if c.Replicas.Primary() == old {
			t.Errorf("round %d: nobody was promoted", round)
		}
		again := dial(t, c.Endpoints(1)[0])
		if !again.SetNX(t.Context(), "lease", "another", time.Minute).Val() {
			t.Errorf("round %d: the new primary knows lease %q", round, get(t, again, "lease"))
		}
		heal()
		if got := get(t, dial(t, c.Endpoints(1)[0]), "lease"); got != "another" {
			t.Errorf("round %d: rejoined, lease %q", round, got)
		}
		again.Del(t.Context(), "lease")
	}
}

// A toldReplication tells when the replicas were cut off.
type toldReplication struct {
	nemesis.Replication
	cut chan struct{}
}

func (r *toldReplication) CutReplicas(ctx context.Context) error {
	defer close(r.cut)
	return r.Replication.CutReplicas(ctx)
}

// Without a write there is no fail-over, and replication goes on.
func TestFailoverWithoutWrite(t *testing.T) {
	c, w := serve(t, "redis-replicas", 1)
	ctx, cancel := nemesistest.Short()
	defer cancel()
	s := nemesis.Failover{}.Plan(nemesis.NewDraw(rand.New(rand.NewPCG(1, 0))), w)
	s.Holder = 0
	_, _, err := nemesis.Failover{}.Inject(ctx, w, s)
	if !errors.Is(err, nemesis.ErrNotStruck) || errors.Is(err, nemesis.ErrNotHealed) {
		t.Errorf("error %v, want ErrNotStruck", err)
	}
	if c.Replicas.Primary() != 0 {
		t.Error("failed over all the same")
	}
	set(t, dial(t, c.Endpoints(1)[0]), "key", "value", 0)
	replica := dial(t, c.Nodes[1].Addr())
	until(t, "the replica has the write", nemesistest.Patience, func() bool { return get(t, replica, "key") == "value" })
}
