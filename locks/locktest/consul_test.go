package locktest_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"testing"
	"time"

	"locktorture/locks"
	"locktorture/locks/consul"
	"locktorture/locks/locktest"
)

func TestConsul(t *testing.T) {
	t.Parallel()
	// Consul writes everything to disk before it answers, and cannot be told not
	// to: where the disk is busy a session of a second would not live.
	const ttl = 3 * time.Second
	w := start(t, "consul-3")
	direct := w.cluster.Endpoints(0)[0]
	for _, tt := range []struct {
		name   string
		open   func(ctx context.Context, endpoints []string, owner string) (locks.Locker, error)
		traits locks.Traits
	}{
		{name: "consul", traits: consul.Traits(), open: func(_ context.Context, endpoints []string, owner string) (locks.Locker, error) {
			return consul.New(consul.Config{Endpoints: endpoints, TTL: ttl, Owner: owner}), nil
		}},
		{name: "consul-api", traits: consul.APITraits(), open: program(t, "consul-api", ttl, nil)},
		{name: "consul-semaphore", traits: consul.SemaphoreTraits(), open: program(t, "consul-semaphore", ttl, nil)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := w.suite(tt.traits, tt.open)
			probe := consul.NewProbe(w.cluster.Endpoints(0), "consul")
			t.Cleanup(func() { probe.Close() })
			s.TTL = ttl
			s.Prober, s.Quorum = probe, 1 // its reads are consistent: one sight stands for all
			s.Revoke = func(ctx context.Context, name string) error { return destroySession(ctx, direct, name) }
			if tt.traits.Kind == locks.Semaphore {
				s.Prober = nil // who has the slots is a list
				s.Revoke = func(ctx context.Context, name string) error { return destroyHolder(ctx, direct, name) }
			}
			locktest.Run(t, s)
		})
	}
}

// destroySession ends the session that has a lock.
func destroySession(ctx context.Context, addr, name string) error {
	p, err := pairOf(ctx, addr, "lock/"+name)
	if err != nil {
		return err
	}
	return askConsul(ctx, http.MethodPut, addr, "session/destroy/"+p.Session, nil)
}

// destroyHolder ends the session that has a slot of a semaphore.
func destroyHolder(ctx context.Context, addr, name string) error {
	p, err := pairOf(ctx, addr, "lock/"+name+"/.lock")
	if err != nil {
		return err
	}
	var list struct{ Holders map[string]bool }
	if err := json.Unmarshal(p.Value, &list); err != nil {
		return err
	}
	for session := range list.Holders {
		return askConsul(ctx, http.MethodPut, addr, "session/destroy/"+session, nil)
	}
	return fmt.Errorf("nobody holds %s", name)
}

// A consulPair is a key of Consul.
type consulPair struct {
	Session string
	Value   []byte
}

func pairOf(ctx context.Context, addr, key string) (consulPair, error) {
	var pairs []consulPair
	if err := askConsul(ctx, http.MethodGet, addr, "kv/"+key+"?consistent", &pairs); err != nil || len(pairs) != 1 {
		return consulPair{}, fmt.Errorf("nobody holds %s: %w", key, err)
	}
	return pairs[0], nil
}

// askConsul sends an agent one request.
func askConsul(ctx context.Context, method, addr, path string, answer any) error {
	ask, err := http.NewRequestWithContext(ctx, method, "http://"+addr+"/v1/"+path, nil)
	if err != nil {
		return err
	}
	r, err := http.DefaultClient.Do(ask)
	if err != nil {
		return err
	}
	defer r.Body.Close()
	if r.StatusCode != http.StatusOK {
		return fmt.Errorf("%s %s: %s", method, path, r.Status)
	}
	if answer == nil {
		return nil
	}
	return json.NewDecoder(r.Body).Decode(answer)
}
