package raw

import (
	"context"
	"crypto/rand"
	"errors"

	clientv3 "go.etcd.io/etcd/client/v3"

	"locktorture/locks"
)

// A below takes and frees with keys below one prefix.
type below func(ctx context.Context, c *clientv3.Client, prefix string) (free func(context.Context) error, err error)

func openEtcdBelow(take below) func(context.Context, Config) (locks.Locker, error) {
	return func(_ context.Context, cfg Config) (locks.Locker, error) {
		c, err := dialEtcd(cfg)
		if err != nil {
			return nil, err
		}
		return pair{
			take: func(ctx context.Context, name string) (func(context.Context) error, error) {
				return take(ctx, c, keyOf(name)+"/")
			},
			close: c.Close,
		}, nil
	}
}

// readerOf puts a key of its own and looks for those of writers, in one transaction.
func readerOf(ctx context.Context, c *clientv3.Client, prefix string) (func(context.Context) error, error) {
	own := prefix + "read/" + rand.Text()
	writers := clientv3.OpGet(prefix+"write/", clientv3.WithPrefix(), clientv3.WithLimit(1), clientv3.WithKeysOnly())
	r, err := c.Txn(ctx).Then(clientv3.OpPut(own, ""), writers).Commit()
	if err != nil {
		return nil, err
	}
	free := func(ctx context.Context) error {
		_, err := c.Delete(ctx, own)
		return err
	}
	if len(r.Responses[1].GetResponseRange().Kvs) > 0 {
		return nil, errors.Join(errTaken, free(ctx))
	}
	return free, nil
}

// partyOf enters a barrier for one, and leaves it.
func partyOf(ctx context.Context, c *clientv3.Client, prefix string) (func(context.Context) error, error) {
	own := prefix + "waiters/" + rand.Text()
	if _, err := c.Put(ctx, own, ""); err != nil {
		return nil, err
	}
	if _, err := c.Get(ctx, prefix+"waiters/", clientv3.WithPrefix()); err != nil {
		return nil, err
	}
	if _, err := c.Put(ctx, prefix+"ready", ""); err != nil {
		return nil, err
	}
	return func(ctx context.Context) error {
		_, err := c.Delete(ctx, own)
		if err == nil {
			_, err = c.Delete(ctx, prefix+"ready")
		}
		return err
	}, nil
}

// openEtcdGate makes a key, deletes it, and looks that it is gone.
func openEtcdGate(_ context.Context, cfg Config) (locks.Locker, error) {
	c, err := dialEtcd(cfg)
	if err != nil {
		return nil, err
	}
	return pair{
		take: func(ctx context.Context, name string) (func(context.Context) error, error) {
			key := keyOf(name)
			if _, err := c.Put(ctx, key, ""); err != nil {
				return nil, err
			}
			return func(ctx context.Context) error {
				if _, err := c.Delete(ctx, key); err != nil {
					return err
				}
				_, err := c.Get(ctx, key)
				return err
			}, nil
		},
		close: c.Close,
	}, nil
}
