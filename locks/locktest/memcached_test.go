package locktest_test

import (
	"context"
	"testing"
	"time"

	"github.com/bradfitz/gomemcache/memcache"

	"locktorture/locks"
	"locktorture/locks/locktest"
	"locktorture/locks/memcached"
)

func TestMemcached(t *testing.T) {
	t.Parallel()
	w := start(t, "memcached")
	s := w.suite(memcached.Traits(), func(_ context.Context, endpoints []string, owner string) (locks.Locker, error) {
		return memcached.New(memcached.Config{Addr: endpoints[0], TTL: 3 * time.Second, Owner: owner}), nil
	})
	node := w.cluster.Nodes[0]
	s.TTL, s.Prober = 3*time.Second, memcached.NewProbe(node.Name(), node.Addr())
	direct := memcache.New(node.Addr())
	t.Cleanup(func() { direct.Close() })
	s.Revoke = func(_ context.Context, name string) error { return direct.Delete("lock:" + name) }
	locktest.Run(t, s)
}
