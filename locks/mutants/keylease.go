package mutants

import (
	"context"
	"fmt"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"locktorture/locks"
)

// The switches of a Key that act on a release.
const (
	PlainDelete      Switch = "plain-delete"      // deletes the key, whoever owns it
	CheckThenDelete  Switch = "check-then-delete" // checks the owner of the key, and deletes it with a second command
	ReleaseExtends   Switch = "release-extends"   // one release in 20 gives the key a new TTL instead
	ReleaseForgotten Switch = "release-forgotten" // one release in 20 is answered without being sent
	ReleaseUnawaited Switch = "release-unawaited" // the release is answered before the server has carried it out
)

// A keyLease is the key with this owner's value.
type keyLease struct {
	key   *Key
	name  string
	owner string
	until time.Time
	token uint64
}

var (
	_ locks.Bounded = (*keyLease)(nil)
	_ locks.Fenced  = (*keyLease)(nil)
	_ locks.Owned   = (*keyLease)(nil)
)

// Until returns the time at which the request was sent plus the TTL.
func (l *keyLease) Until() time.Time {
	if l.key.cfg.Switch == VoidGrant {
		return l.key.cfg.Clock.Now().Add(-time.Millisecond)
	}
	return l.until
}

// Token returns the value of the counter at the grant.
func (l *keyLease) Token() uint64 { return l.token }

// Owner returns the value of the key.
func (l *keyLease) Owner() string { return l.owner }

// Release deletes the key if it still has this owner's value.
func (l *keyLease) Release(ctx context.Context) error {
	c := &l.key.cfg
	switch {
	case c.doesIn(ReleaseForgotten, 20):
		return nil
	case c.does(ReleaseUnawaited):
		go func() { _ = l.delete(context.WithoutCancel(ctx)) }()
		return nil
	}
	return l.delete(ctx)
}

// delete sends the request of a release.
func (l *keyLease) delete(ctx context.Context) error {
	rctx, cancel := request(ctx)
	defer cancel()
	k := l.key
	key := k.lockKey(l.name)
	var n int64
	var err error
	switch {
	case k.cfg.does(PlainDelete):
		n, err = k.rdb.Del(rctx, key).Result()
	case k.cfg.does(CheckThenDelete):
		var owner string
		if owner, err = k.rdb.Get(rctx, key).Result(); err == nil && owner == l.owner {
			n, err = k.rdb.Del(rctx, key).Result()
		}
	case k.cfg.doesIn(ReleaseExtends, 20):
		n, err = renewScript.Run(rctx, k.rdb, []string{key}, l.owner, k.cfg.TTL.Milliseconds()).Int64()
	default:
		n, err = releaseScript.Run(rctx, k.rdb, []string{key}, l.owner).Int64()
	}
	switch {
	case err != nil && err != goredis.Nil:
		return fmt.Errorf("release: %w", err)
	case n == 0:
		return locks.ErrNotHeld
	}
	return nil
}
