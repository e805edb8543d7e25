package locktest_test

import (
	"context"
	"errors"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"

	"locktorture/cluster"
	"locktorture/locks"
	"locktorture/locks/locktest"
	"locktorture/locks/thirdparty"
	"locktorture/locks/zookeeper"
)

// sessionTTL is longer than the TTL of other tests: a server in Java that has just been
// started stands still for the better part of a second on a busy machine, and its sessions
// end.
const sessionTTL = 2 * time.Second

func TestZooKeeper(t *testing.T) {
	t.Parallel()
	w := start(t, "zookeeper-3")
	conn := zkConn(t, w)
	for _, tt := range []struct {
		name   string
		open   func(zookeeper.Config) locks.Locker
		traits locks.Traits
		broken map[string]string
		unseen bool // its nodes tell who waits, and not who holds: nobody looks at them in a run
	}{
		{name: "zookeeper", open: func(c zookeeper.Config) locks.Locker { return zookeeper.New(c) }, traits: zookeeper.Traits()},
		{name: "zookeeper-norecheck", open: func(c zookeeper.Config) locks.Locker { return zookeeper.NewNoRecheck(c) }, traits: zookeeper.NoRecheckTraits()},
		{name: "zookeeper-herd", open: func(c zookeeper.Config) locks.Locker { return zookeeper.NewHerd(c) }, traits: zookeeper.HerdTraits()},
		{name: "zookeeper-rw", open: func(c zookeeper.Config) locks.Locker { return zookeeper.NewRW(c) }, traits: zookeeper.RWTraits(), unseen: true},
		{name: "zookeeper-semaphore", open: func(c zookeeper.Config) locks.Locker { return zookeeper.NewSemaphore(c) }, traits: zookeeper.SemaphoreTraits(), unseen: true},
		{name: "zookeeper-leader", open: func(c zookeeper.Config) locks.Locker { return zookeeper.NewLeader(c) }, traits: zookeeper.LeaderTraits()},
		{name: "zookeeper-barrier", open: func(c zookeeper.Config) locks.Locker { return zookeeper.NewBarrier(c) }, traits: zookeeper.BarrierTraits()},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := w.suite(tt.traits, func(_ context.Context, endpoints []string, owner string) (locks.Locker, error) {
				return tt.open(zookeeper.Config{Endpoints: endpoints, TTL: sessionTTL, Owner: owner}), nil
			})
			probe := zookeeper.NewProbe(w.cluster.Endpoints(0), "zookeeper")
			t.Cleanup(func() { probe.Close() })
			s.KnownBroken = tt.broken
			if !tt.unseen {
				s.Prober, s.Quorum = probe, 1 // one sight stands for all
			}
			s.TTL = sessionTTL
			if tt.traits.Kind == "" {
				s.Queued = queued(conn)
			}
			s.Revoke = func(_ context.Context, name string) error { return removeFirst(conn, name) }
			locktest.Run(t, s)
		})
	}
}

// zkConn connects past the proxies, once all servers serve: on a busy machine the first election
// takes longer than their start waits for it, and until it is over they turn each session away.
func zkConn(t *testing.T, w *world) *zk.Conn {
	t.Helper()
	for end := time.Now().Add(3 * time.Minute); ; time.Sleep(20 * time.Millisecond) {
		err := errors.Join(serve(t, w)...)
		if err == nil {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("not within three minutes: %v", err)
		}
	}
	conn, _, err := zk.Connect(w.cluster.Endpoints(0), 10*time.Second, zk.WithLogInfo(false))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	return conn
}

// serve asks each server for its role, which one that does not serve does not tell.
func serve(t *testing.T, w *world) (errs []error) {
	for _, addr := range w.cluster.Endpoints(0) {
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		_, err := cluster.AskServing(ctx, addr, "mntr")
		cancel()
		errs = append(errs, err)
	}
	return errs
}

// queue returns the nodes of a lock, and the node that they are below.
func queue(conn *zk.Conn, name string) (names []string, parent string, err error) {
	parent = "/lock/" + url.PathEscape(name)
	if _, err := conn.Sync(parent); err != nil {
		return nil, parent, err
	}
	names, _, err = conn.Children(parent)
	return names, parent, err
}

// queued counts them.
func queued(conn *zk.Conn) func(context.Context, string) (int, error) {
	return func(_ context.Context, name string) (int, error) {
		names, _, err := queue(conn, name)
		return len(names), err
	}
}

// removeFirst removes the node of the holder of a lock.
func removeFirst(conn *zk.Conn, name string) error {
	names, parent, err := queue(conn, name)
	if err != nil {
		return err
	}
	first := slices.MinFunc(names, func(a, b string) int { return strings.Compare(a[len(a)-10:], b[len(b)-10:]) })
	return conn.Delete(parent+"/"+first, -1)
}

func TestGozk(t *testing.T) {
	t.Parallel()
	const noContext = "Lock knows no context: a wait that was given up is always in doubt"
	w := start(t, "zookeeper-3")
	conn := zkConn(t, w)
	s := w.suite(thirdparty.GozkTraits(), func(_ context.Context, endpoints []string, owner string) (locks.Locker, error) {
		return thirdparty.NewGozk(thirdparty.GozkConfig{Endpoints: endpoints, TTL: sessionTTL, Owner: owner}), nil
	})
	probe := zookeeper.NewProbe(w.cluster.Endpoints(0), "zookeeper")
	t.Cleanup(func() { probe.Close() })
	s.Prober, s.Quorum, s.TTL = probe, 1, sessionTTL
	s.Queued = queued(conn)
	s.Revoke = func(_ context.Context, name string) error { return removeFirst(conn, name) }
	s.KnownBroken = map[string]string{
		"deadline": noContext, "release-twice": noContext, "release-by-non-holder": noContext, "renewal": noContext,
	}
	locktest.Run(t, s)
}
