package locktest_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/hashicorp/consul/api"

	"locktorture/locks"
	"locktorture/locks/consul"
	"locktorture/locks/locktest"
	"locktorture/locks/thirdparty"
)

func TestConsul(t *testing.T) {
	t.Parallel()
	// Consul writes everything to disk before it answers, and cannot be told not
	// to: where the disk is busy a session of a second would not live.
	const ttl = 3 * time.Second
	w := start(t, "consul-3")
	direct, err := api.NewClient(&api.Config{Address: w.cluster.Endpoints(0)[0]})
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name   string
		open   func(endpoints []string, owner string) (locks.Locker, error)
		traits locks.Traits
	}{
		{name: "consul", traits: consul.Traits(), open: func(endpoints []string, owner string) (locks.Locker, error) {
			return consul.New(consul.Config{Endpoints: endpoints, TTL: ttl, Owner: owner}), nil
		}},
		{name: "consul-api", traits: thirdparty.ConsulAPITraits(), open: func(endpoints []string, owner string) (locks.Locker, error) {
			return thirdparty.NewConsulAPI(thirdparty.ConsulConfig{Endpoints: endpoints, TTL: ttl, Owner: owner})
		}},
		{name: "consul-semaphore", traits: thirdparty.ConsulSemaphoreTraits(), open: func(endpoints []string, owner string) (locks.Locker, error) {
			return thirdparty.NewConsulSemaphore(thirdparty.ConsulConfig{Endpoints: endpoints, TTL: ttl, Owner: owner})
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := w.suite(tt.traits, func(_ context.Context, endpoints []string, owner string) (locks.Locker, error) {
				return tt.open(endpoints, owner)
			})
			probe := consul.NewProbe(w.cluster.Endpoints(0), "consul")
			t.Cleanup(func() { probe.Close() })
			s.TTL = ttl
			s.Prober, s.Quorum = probe, 1 // its reads are consistent: one sight stands for all
			s.Revoke = func(_ context.Context, name string) error { return destroySession(direct, name) }
			if tt.traits.Kind == locks.Semaphore {
				s.Prober = nil // who has the slots is a list
				s.Revoke = func(_ context.Context, name string) error { return destroyHolder(direct, name) }
			}
			locktest.Run(t, s)
		})
	}
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

// destroyHolder ends the session that has a slot of a semaphore.
func destroyHolder(c *api.Client, name string) error {
	pair, _, err := c.KV().Get("lock/"+name+"/"+api.DefaultSemaphoreKey, &api.QueryOptions{RequireConsistent: true})
	if err != nil || pair == nil {
		return fmt.Errorf("there is no semaphore %s: %w", name, err)
	}
	var list struct{ Holders map[string]bool }
	if err := json.Unmarshal(pair.Value, &list); err != nil {
		return err
	}
	for session := range list.Holders {
		_, err := c.Session().Destroy(session, nil)
		return err
	}
	return fmt.Errorf("nobody holds %s", name)
}
