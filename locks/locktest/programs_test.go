package locktest_test

import (
	"context"
	"testing"
	"time"

	"locktorture/locks"
	"locktorture/registry"
)

// program opens clients of a lock that is a program of its own (drivers/go), which is built first.
func program(t *testing.T, name string, ttl time.Duration, options map[string]string) func(ctx context.Context, endpoints []string, owner string) (locks.Locker, error) {
	t.Helper()
	b := registry.Locks()[name]
	if err := b.Prepare(t.Context()); err != nil {
		t.Fatal(err)
	}
	return func(ctx context.Context, endpoints []string, owner string) (locks.Locker, error) {
		return b.Open(ctx, registry.Args{Endpoints: endpoints, TTL: ttl, Owner: owner, Options: options})
	}
}
