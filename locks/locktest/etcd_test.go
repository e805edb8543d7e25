package locktest_test

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"locktorture/locks"
	"locktorture/locks/locktest"
	"locktorture/locks/thirdparty"
)

// etcdTTL is longer than an election takes on a machine that is busy.
const etcdTTL = 2 * time.Second

func TestEtcdBarriers(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		traits locks.Traits
		open   func(thirdparty.EtcdConfig) (locks.Locker, error)
	}{
		{"etcd-barrier", thirdparty.EtcdBarrierTraits(), func(c thirdparty.EtcdConfig) (locks.Locker, error) { return thirdparty.NewEtcdBarrier(c) }},
		{"etcd-double-barrier", thirdparty.EtcdDoubleBarrierTraits(), func(c thirdparty.EtcdConfig) (locks.Locker, error) {
			return thirdparty.NewEtcdDoubleBarrier(c)
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := start(t, "etcd-3")
			s := w.suite(tt.traits, func(_ context.Context, endpoints []string, _ string) (locks.Locker, error) {
				return tt.open(thirdparty.EtcdConfig{Endpoints: endpoints, TTL: etcdTTL})
			})
			s.TTL = etcdTTL
			if tt.traits.Kind == locks.DoubleBarrier {
				s.KnownBroken = map[string]string{"successor": "it counts keys, and not who went in together"}
			}
			locktest.Run(t, s)
		})
	}
}

func TestEtcd(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		traits locks.Traits
		open   func(thirdparty.EtcdConfig) (locks.Locker, error)
	}{
		{"etcd-concurrency", thirdparty.EtcdConcurrencyTraits(),
			func(c thirdparty.EtcdConfig) (locks.Locker, error) { return thirdparty.NewEtcdConcurrency(c) }},
		{"etcd-election", thirdparty.EtcdElectionTraits(),
			func(c thirdparty.EtcdConfig) (locks.Locker, error) { return thirdparty.NewEtcdElection(c) }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := start(t, "etcd-3")
			s := w.suite(tt.traits, func(_ context.Context, endpoints []string, _ string) (locks.Locker, error) {
				return tt.open(thirdparty.EtcdConfig{Endpoints: endpoints, TTL: etcdTTL, Patience: 10 * time.Second})
			})
			probe, err := thirdparty.NewEtcdProbe(w.cluster.Endpoints(0), "etcd")
			if err != nil {
				t.Fatal(err)
			}
			direct, err := clientv3.New(clientv3.Config{Endpoints: w.cluster.Endpoints(0)})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() {
				probe.Close()
				direct.Close()
			})
			s.TTL = etcdTTL
			s.Prober, s.Quorum = probe, 1 // its reads are linearizable: one sight stands for all
			s.Revoke = func(ctx context.Context, name string) error {
				sights, err := looked(ctx, probe, name)
				if err != nil || sights[0].Owner == "" {
					return fmt.Errorf("nobody holds %s: %w", name, err)
				}
				session, _, _ := strings.Cut(sights[0].Owner, "@")
				id, err := strconv.ParseInt(session, 16, 64)
				if err != nil {
					return err
				}
				_, err = direct.Revoke(ctx, clientv3.LeaseID(id))
				return err
			}
			locktest.Run(t, s)
		})
	}
}

func TestEtcdRecipes(t *testing.T) {
	t.Parallel()
	t.Run("etcd-rw", func(t *testing.T) {
		t.Parallel()
		w := start(t, "etcd-3")
		s := w.suite(thirdparty.EtcdRWTraits(), func(_ context.Context, endpoints []string, _ string) (locks.Locker, error) {
			return thirdparty.NewEtcdRW(thirdparty.EtcdConfig{Endpoints: endpoints, TTL: etcdTTL, Patience: 10 * time.Second})
		})
		direct, err := clientv3.New(clientv3.Config{Endpoints: w.cluster.Endpoints(0)})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { direct.Close() })
		s.TTL = etcdTTL
		s.Revoke = func(ctx context.Context, name string) error { return revokeFirst(ctx, direct, name) }
		locktest.Run(t, s)
	})
}
