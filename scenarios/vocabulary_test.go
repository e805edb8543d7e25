package scenarios_test

import (
	"bytes"
	"context"
	"slices"
	"strconv"
	"testing"
	"time"

	"locktorture/cluster"
	"locktorture/cluster/embedded"
	"locktorture/harness"
	"locktorture/history"
	"locktorture/locks"
	"locktorture/locks/redis"
	"locktorture/scenarios"
)

// played plays a script of the test's own on one Redis in this process, with a watchdog that
// does not come to renew by itself, and returns what was recorded.
func played(t *testing.T, ttl time.Duration, play func(t *testing.T, s *scenarios.Stage)) history.History {
	t.Helper()
	servers, err := cluster.Start(t.Context(), "redis", embedded.Provisioner{}, 2, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := servers.Close(); err != nil {
			t.Error(err)
		}
	})
	start := time.Now()
	now := func() int64 { return int64(time.Since(start)) }
	var out bytes.Buffer
	rec := history.NewRecorder(&out, now)
	probe := redis.NewProbe([]redis.Node{{Name: "redis-1", Addr: servers.Nodes[0].Addr()}}, 0)
	t.Cleanup(func() { probe.Close() })
	sc := scenarios.Scenario{TTL: ttl, Play: func(s *scenarios.Stage) { play(t, s) }}
	p, err := scenarios.Play(t.Context(), sc, scenarios.Case{}, scenarios.Setup{
		Cluster: servers, Lock: "words", Config: harness.Config{
			Traits: redis.WatchdogTraits(), Record: rec.Record, Now: now, Prober: probe, World: harness.WorldOf(servers, 2, ttl),
			Open: func(_ context.Context, client, process int) (locks.Locker, error) {
				return redis.NewWatchdogEvery(redis.Config{
					Addr: servers.Endpoints(client)[0], TTL: ttl, Timeout: time.Minute, Owner: "p" + strconv.Itoa(process),
				}, time.Hour), nil
			},
		},
	})
	if err != nil || p.Stuck != "" {
		t.Fatalf("the script ended early: %v %s", err, p.Stuck)
	}
	if err := rec.Close(); err != nil {
		t.Fatal(err)
	}
	h, truncated, err := history.ReadAll(&out)
	if err != nil || truncated {
		t.Fatalf("the history is unreadable: truncated %v, %v", truncated, err)
	}
	return h
}

// entries returns the types of the entries of one function, but for invocations.
func entries(h history.History, f history.F) []history.Type {
	var out []history.Type
	for _, op := range h {
		if op.F == f && op.Type != history.Invoke {
			out = append(out, op.Type)
		}
	}
	return out
}

// TestLetGo holds a reply back: the server has done what it was asked, the client does not
// know of it until the reply is let go.
func TestLetGo(t *testing.T) {
	h := played(t, time.Minute, func(t *testing.T, s *scenarios.Stage) {
		c1, c2 := s.Client(1), s.Client(2)
		c1.Warm()
		reply := c1.LinksTo("A").HoldReplies()
		acquire := c1.AcquireLater()
		reply.UntilHeld()
		s.Probe.Until("the key is set", s.Lock, func(x []locks.Sight) bool { return x[0].Owner != "" })
		if acquire.Answered() {
			t.Error("an acquire whose reply is held back was answered")
		}
		if c2.Try() != nil {
			t.Error("client 2 was granted what the server keeps for client 1")
		}
		reply.LetGo()
		l := acquire.Wait()
		if l == nil {
			t.Errorf("let go, and not granted: %s", c1.Refusal())
		}
		reply.LetGo() // again: nothing to do
		l.Release()
	})
	held, let := slices.IndexFunc(h, func(op history.Op) bool { return op.F == history.Fault && op.Key == "hold" }), -1
	for i, op := range h {
		if op.F == history.Heal {
			let = i
		}
	}
	granted := slices.IndexFunc(h, func(op history.Op) bool {
		return op.F == history.Acquire && op.Type == history.OK && op.Lock == "words"
	})
	if held < 0 || granted < held || len(entries(h, history.Heal)) != 1 || let < held {
		t.Errorf("held at entry %d, let go at %d, granted at %d; %d heals", held, let, granted, len(entries(h, history.Heal)))
	}
}

// TestLetGoAlone lets replies go and goes on holding requests on the same link.
func TestLetGoAlone(t *testing.T) {
	played(t, time.Minute, func(t *testing.T, s *scenarios.Stage) {
		c1 := s.Client(1)
		c1.Warm()
		l := c1.Acquire()
		reply := c1.LinksTo("A").HoldReplies()
		release := l.ReleaseLater()
		reply.UntilHeld()
		requests := c1.LinksTo("A").HoldRequests()
		reply.LetGoAlone()
		if !release.Wait() {
			t.Error("the reply was let go, and the release has failed")
		}
		again := c1.AcquireLater()
		requests.UntilHeld()
		s.Probe.UntilFree() // the request is held: the server has not heard of it
		if again.Answered() {
			t.Error("a request that is held back was answered")
		}
		requests.LetGo()
		if l = again.Wait(); l == nil {
			t.Error("let go, and not granted")
		}
		l.Release()
	})
}

// TestRenew extends a lease, and is refused once it is over.
func TestRenew(t *testing.T) {
	h := played(t, time.Minute, func(t *testing.T, s *scenarios.Stage) {
		c1 := s.Client(1)
		l := c1.Acquire()
		before, _ := l.Validity()
		if !l.Renew() || !l.Ask() {
			t.Error("a lease that is valid was not renewed")
		}
		if after, _ := l.Validity(); after <= before {
			t.Errorf("the validity ended at %d and, renewed, ends at %d", before, after)
		}
		s.Servers.Jump("A", 2*time.Minute)
		l.UntilGone()
		if l.Renew() {
			t.Error("a lease that was over was renewed")
		}
		if (*scenarios.Lease)(nil).Renew() {
			t.Error("no lease was renewed")
		}
	})
	if got, want := entries(h, history.Renew), []history.Type{history.OK, history.Fail}; !slices.Equal(got, want) {
		t.Errorf("the history has renewals %v, want %v", got, want)
	}
}

// TestRenewUnsupported ends the script of a lock that cannot.
func TestRenewUnsupported(t *testing.T) {
	servers, err := cluster.Start(t.Context(), "redis", embedded.Provisioner{}, 2, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer servers.Close()
	rec := history.NewRecorder(&bytes.Buffer{}, func() int64 { return 0 })
	sc := scenarios.Scenario{Play: func(s *scenarios.Stage) {
		c := s.Client(1)
		c.Acquire().Renew()
	}}
	_, err = scenarios.Play(t.Context(), sc, scenarios.Case{}, scenarios.Setup{
		Cluster: servers, Lock: "words", Config: harness.Config{
			Traits: redis.SetTraits(), Record: rec.Record, Now: func() int64 { return 0 }, World: harness.WorldOf(servers, 2, time.Second),
			Open: func(_ context.Context, client, _ int) (locks.Locker, error) {
				return redis.NewSet(redis.Config{Addr: servers.Endpoints(client)[0], TTL: time.Minute, Owner: "p1"}), nil
			},
		},
	})
	if err == nil {
		t.Error("a lock that cannot renew was taken for one that says no")
	}
}
