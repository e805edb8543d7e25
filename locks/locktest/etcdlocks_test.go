package locktest_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"locktorture/locks"
	"locktorture/locks/etcd"
	"locktorture/locks/locktest"
)

func TestEtcdLocks(t *testing.T) {
	t.Parallel()
	const putWhy = "it puts its key over the holder's"
	w := start(t, "etcd-3")
	direct, err := clientv3.New(clientv3.Config{Endpoints: w.cluster.Endpoints(0)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { direct.Close() })
	for _, tt := range []struct {
		name   string
		open   func(etcd.Config) (locks.Locker, error)
		traits locks.Traits
		broken map[string]string
	}{
		{name: "etcd", open: func(c etcd.Config) (locks.Locker, error) { return etcd.New(c) }, traits: etcd.Traits()},
		{name: "etcd-api", open: func(c etcd.Config) (locks.Locker, error) { return etcd.NewAPI(c) }, traits: etcd.APITraits()},
		{name: "etcd-put", open: func(c etcd.Config) (locks.Locker, error) { return etcd.NewPut(c) }, traits: etcd.PutTraits(), broken: map[string]string{
			"exclusion": putWhy, "deadline": putWhy, "hand-over": putWhy, "cancel": putWhy,
			"release-twice": putWhy, "release-by-non-holder": putWhy,
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := w.suite(tt.traits, func(_ context.Context, endpoints []string, owner string) (locks.Locker, error) {
				return tt.open(etcd.Config{Endpoints: endpoints, TTL: ttl, Owner: owner})
			})
			probe, err := etcd.NewProbe(w.cluster.Endpoints(0), "etcd")
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { probe.Close() })
			s.Prober, s.Quorum, s.KnownBroken = roundedUp{probe}, 1, tt.broken // its reads are linearizable: one sight stands for all
			s.Revoke = func(ctx context.Context, name string) error { return revokeFirst(ctx, direct, name) }
			locktest.Run(t, s)
		})
	}
}

// A roundedUp probe tells the longest that a lease may live. etcd tells whole
// seconds, rounded down, and a validity that is within the rounding is no lie.
type roundedUp struct{ locks.Prober }

func (p roundedUp) Probe(ctx context.Context, name string) ([]locks.Sight, error) {
	sights, err := p.Prober.Probe(ctx, name)
	for i := range sights {
		if sights[i].Left >= 0 {
			sights[i].Left += time.Second
		}
	}
	return sights, err
}

// revokeFirst ends the lease of the oldest key of a lock.
func revokeFirst(ctx context.Context, c *clientv3.Client, name string) error {
	r, err := c.Get(ctx, "lock/"+name+"/", clientv3.WithFirstCreate()...)
	if err != nil || len(r.Kvs) == 0 {
		return fmt.Errorf("nobody holds %s: %w", name, err)
	}
	_, err = c.Revoke(ctx, clientv3.LeaseID(r.Kvs[0].Lease))
	return err
}
