package locktest_test

import (
	"context"
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"locktorture/locks"
	"locktorture/locks/locktest"
	natslocks "locktorture/locks/nats"
)

func TestNATS(t *testing.T) {
	t.Parallel()
	w := start(t, "nats-3")
	direct, err := nats.Connect("nats://" + w.cluster.Nodes[0].Addr())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(direct.Close)
	js, err := jetstream.New(direct)
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		name string
		open func(natslocks.Config) locks.Locker
	}{
		{"nats", func(c natslocks.Config) locks.Locker { return natslocks.New(c) }},
		{"nats-update", func(c natslocks.Config) locks.Locker { return natslocks.NewUpdated(c) }},
	} {
		t.Run(row.name, func(t *testing.T) { // one after another: they share the links that are cut
			s := w.suite(natslocks.Traits(), func(_ context.Context, endpoints []string, owner string) (locks.Locker, error) {
				return row.open(natslocks.Config{Endpoints: endpoints, TTL: ttl, Owner: owner}), nil
			})
			probe := natslocks.NewProbe(natslocks.Config{Endpoints: w.cluster.Endpoints(0)}, "nats")
			t.Cleanup(func() { probe.Close() })
			s.Prober, s.Quorum = probe, 1 // the leader speaks for all
			s.Revoke = func(ctx context.Context, name string) error {
				kv, err := js.KeyValue(ctx, "locks")
				if err != nil {
					return err
				}
				return kv.Delete(ctx, "lock."+name)
			}
			locktest.Run(t, s)
		})
	}
}
