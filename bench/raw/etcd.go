package raw

import (
	"context"
	"crypto/rand"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"

	"locktorture/locks"
)

func dialEtcd(cfg Config) (*clientv3.Client, error) {
	return clientv3.New(clientv3.Config{Endpoints: cfg.Endpoints, Logger: zap.NewNop()})
}

func openEtcd(_ context.Context, cfg Config) (locks.Locker, error) {
	c, err := dialEtcd(cfg)
	if err != nil {
		return nil, err
	}
	return pair{
		take: func(ctx context.Context, name string) (func(context.Context) error, error) {
			key := keyOf(name)
			r, err := c.Txn(ctx).If(clientv3.Compare(clientv3.CreateRevision(key), "=", 0)).
				Then(clientv3.OpPut(key, rand.Text())).Commit()
			if err != nil {
				return nil, err
			}
			if !r.Succeeded {
				return nil, errTaken
			}
			return func(ctx context.Context) error {
				_, err := c.Delete(ctx, key)
				return err
			}, nil
		},
		close: c.Close,
	}, nil
}
