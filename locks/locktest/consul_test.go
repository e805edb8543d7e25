package locktest_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/hashicorp/consul/api"

	"locktorture/locks"
	"locktorture/locks/consul"
	"locktorture/locks/locktest"
)

func TestConsul(t *testing.T) {
	w := start(t, "consul-3")
	direct, err := api.NewClient(&api.Config{Address: w.cluster.Endpoints(0)[0]})
	if err != nil {
		t.Fatal(err)
	}
	probe := consul.NewProbe(w.cluster.Endpoints(0), "consul")
	t.Cleanup(func() { probe.Close() })
	// Consul writes everything to disk before it answers, and cannot be told not
	// to: where the disk is busy a session of a second would not live.
	const ttl = 3 * time.Second
	s := w.suite(consul.Traits(), func(_ context.Context, endpoints []string, owner string) (locks.Locker, error) {
		return consul.New(consul.Config{Endpoints: endpoints, TTL: ttl, Owner: owner}), nil
	})
	s.TTL = ttl
	s.Prober, s.Quorum = probe, 1 // its reads are consistent: one sight stands for all
	s.Revoke = func(_ context.Context, name string) error { return destroySession(direct, name) }
	locktest.Run(t, s)
}

// destroySession ends the session that has a lock.
func destroySession(c *api.Client, name string) error {
	pair, _, err := c.KV().Get("lock/"+name, &api.QueryOptions{RequireConsistent: true})
	if err != nil || pair == nil {
		return fmt.Errorf("nobody holds %s: %w", name, err)
	}
	_, err = c.Session().Destroy(pair.Session, nil)
	return err
}
