package locktest_test

import (
	"context"
	"encoding/json"
	"testing"

	"locktorture/internal/s3api"
	"locktorture/locks"
	"locktorture/locks/locktest"
	"locktorture/locks/s3"
)

// TestS3 starts both stores: what a lock may expect of them is the same.
func TestS3(t *testing.T) {
	for _, topology := range []string{"s3", "s3-gofakes3"} {
		t.Run(topology, func(t *testing.T) {
			t.Parallel()
			w := start(t, topology)
			for _, row := range []struct {
				name   string
				traits locks.Traits
				open   func(s3.Config) locks.Locker
				probe  func(s3.Config, string) *s3.Probe
			}{
				{"s3-lock", s3.Traits(), func(c s3.Config) locks.Locker { return s3.New(c) }, s3.NewProbe},
				{"s3-lease", s3.LeaseTraits(), func(c s3.Config) locks.Locker { return s3.NewLease(c) }, s3.NewProbe},
				{"s3-lease-expiry", s3.ExpiringTraits(), func(c s3.Config) locks.Locker { return s3.NewExpiring(c) }, s3.NewExpiringProbe},
			} {
				t.Run(row.name, func(t *testing.T) { // one after another: they share the links that are cut
					s := w.suite(row.traits, func(_ context.Context, endpoints []string, owner string) (locks.Locker, error) {
						return row.open(s3.Config{Addr: endpoints[0], TTL: ttl, Owner: owner}), nil
					})
					node := w.cluster.Nodes[0]
					s.Prober = row.probe(s3.Config{Addr: node.Addr()}, node.Name())
					s.Revoke = revokeObject(t, node.Addr())
					locktest.Run(t, s)
				})
			}
		})
	}
}

// revokeObject frees the record of a lock as somebody would who forces it open, and leaves its
// token.
func revokeObject(t *testing.T, addr string) func(context.Context, string) error {
	direct := s3api.Open(s3api.Config{Addr: addr})
	t.Cleanup(func() { direct.Close() })
	return func(ctx context.Context, name string) error {
		o, err := direct.Get(ctx, "lock:"+name)
		if err != nil {
			return err
		}
		var r map[string]any
		if err := json.Unmarshal(o.Body, &r); err != nil {
			return err
		}
		if r["token"] == nil {
			return direct.Delete(ctx, "lock:"+name, s3api.IfMatch(o.ETag))
		}
		free, err := json.Marshal(map[string]any{"token": r["token"], "write": r["write"], "forced": true})
		if err == nil {
			_, err = direct.Put(ctx, "lock:"+name, free, s3api.IfMatch(o.ETag))
		}
		return err
	}
}
