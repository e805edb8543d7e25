package external

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// sweepTime bounds the removal of all keys.
const sweepTime = 2 * time.Minute

// Sweep removes the keys that a run has left below its prefix, and returns their number.
func Sweep(ctx context.Context, cfg Config) (int, error) {
	if err := Serves(cfg.Topology); err != nil {
		return 0, err
	}
	s := shapes()[cfg.Topology]
	found, err := discover(ctx, cfg, s)
	if err != nil {
		return 0, err
	}
	return sweep(ctx, s.make(cfg.with(found)))
}

// sumOver calls remove for one endpoint after another until a call fails, and returns the sum of
// the results.
func sumOver(ctx context.Context, endpoints []string, remove func(ctx context.Context, addr string) (int, error)) (int, error) {
	all := 0
	for _, addr := range endpoints {
		n, err := remove(ctx, addr)
		all += n
		if err != nil {
			return all, fmt.Errorf("%s: %w", addr, err)
		}
	}
	return all, nil
}

// ErrLeft is wrapped by the errors that report that keys remain below the prefix.
var ErrLeft = errors.New("keys of the run remain")

// sweep removes keys until it finds none, because a request that was under way when the links were
// closed may still arrive.
func sweep(ctx context.Context, svc service) (int, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), sweepTime)
	defer cancel()
	for all := 0; ; {
		n, err := svc.sweep(ctx)
		if err != nil {
			return all, fmt.Errorf("%w: %w", ErrLeft, err)
		}
		if all += n; n == 0 {
			return all, nil
		}
		select {
		case <-ctx.Done():
			return all, fmt.Errorf("%w: %w", ErrLeft, ctx.Err())
		case <-time.After(50 * time.Millisecond):
		}
	}
}
