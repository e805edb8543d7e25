package etcd

import (
	"context"
	"errors"
	"fmt"
	"time"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"locktorture/locks"
	"locktorture/locks/attempt"
)

// refused reports whether an error is an answer of the servers that proves that the request changed
// nothing and never will.
func refused(err error) bool {
	return errors.Is(err, rpctypes.ErrLeaseNotFound) || status.Code(err) == codes.InvalidArgument
}

// insist repeats an idempotent request until it is answered or ctx is done. Each try has its own
// timeout; see attempt.Insist.
func insist[T any](ctx context.Context, s *server, request func(context.Context) (T, error)) (value T, again bool, err error) {
	i := &attempt.Insister{Pause: retry, Clock: s.cfg.Clock, Final: refused, Open: func(error) bool { return true }}
	return attempt.Insist(ctx, i, func(ctx context.Context) (T, error) {
		rctx, cancel := context.WithTimeout(ctx, s.cfg.Timeout)
		defer cancel()
		return request(rctx)
	})
}

// A granted is a lease that etcd has granted.
type granted struct {
	id  clientv3.LeaseID
	ttl time.Duration
	// start is the time before the request. The lease lives at least until start + ttl.
	start time.Time
}

// grant requests a lease.
func (s *server) grant(ctx context.Context) (granted, error) {
	var start time.Time
	r, _, err := insist(ctx, s, func(ctx context.Context) (*clientv3.LeaseGrantResponse, error) {
		start = s.cfg.Clock.Now()
		return s.etcd.Grant(ctx, int64(s.cfg.TTL/time.Second))
	})
	if err != nil {
		return granted{}, err
	}
	return granted{r.ID, time.Duration(r.TTL) * time.Second, start}, nil
}

// revoke ends a lease. It returns once the lease is certainly over, with all keys that were or will
// be put under it. was reports whether the lease had still been alive. If it had not, again reports
// that an unanswered try may have ended it.
func (s *server) revoke(ctx context.Context, id clientv3.LeaseID) (was, again bool, err error) {
	_, again, err = insist(ctx, s, func(ctx context.Context) (*clientv3.LeaseRevokeResponse, error) {
		return s.etcd.Revoke(ctx, id)
	})
	if errors.Is(err, rpctypes.ErrLeaseNotFound) {
		return false, again, nil
	}
	return err == nil, again, err
}

// release revokes a lease that is never renewed. After an unanswered try, it reports success only
// if the lease cannot have expired yet.
func (s *server) release(ctx context.Context, g granted) error {
	switch was, again, err := s.revoke(ctx, g.id); {
	case err != nil:
		return fmt.Errorf("release: %w", err)
	case was || again && s.cfg.Clock.Now().Before(g.start.Add(g.ttl)):
		return nil
	case again:
		return errors.New("release: the lease is over; either an unanswered request ended it, or it had expired")
	}
	return locks.ErrNotHeld
}
