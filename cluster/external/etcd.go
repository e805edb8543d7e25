package external

import (
	"context"
	"net"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"
	"google.golang.org/grpc"
)

// An etcd is the client side of one etcd cluster.
type etcd struct{ cfg Config }

func newEtcd(cfg Config) service { return &etcd{cfg} }

func (e *etcd) client(endpoints ...string) (*clientv3.Client, error) {
	return clientv3.New(clientv3.Config{
		Endpoints: endpoints, Username: e.cfg.User, Password: e.cfg.Password, DialTimeout: 5 * time.Second, Logger: zap.NewNop(),
		DialOptions: []grpc.DialOption{grpc.WithContextDialer(func(ctx context.Context, addr string) (net.Conn, error) {
			return e.cfg.DialHTTP2(ctx, "tcp", addr)
		})},
	})
}

func (e *etcd) version(ctx context.Context, addr string) (string, error) {
	c, err := e.client(addr)
	if err != nil {
		return "", err
	}
	defer c.Close()
	s, err := c.Status(ctx, addr)
	if err != nil {
		return "", err
	}
	return s.Version, nil
}

func (e *etcd) prepare(context.Context) error { return nil }

func (e *etcd) some(ctx context.Context) (string, error) {
	c, err := e.client(e.cfg.Endpoints...)
	if err != nil {
		return "", err
	}
	defer c.Close()
	r, err := c.Get(ctx, e.cfg.Prefix, clientv3.WithPrefix(), clientv3.WithKeysOnly(), clientv3.WithLimit(1))
	if err != nil || len(r.Kvs) == 0 {
		return "", err
	}
	return string(r.Kvs[0].Key), nil
}

func (e *etcd) sweep(ctx context.Context) (int, error) {
	c, err := e.client(e.cfg.Endpoints...)
	if err != nil {
		return 0, err
	}
	defer c.Close()
	r, err := c.Delete(ctx, e.cfg.Prefix, clientv3.WithPrefix())
	if err != nil {
		return 0, err
	}
	return int(r.Deleted), nil
}

// looker deletes a missing key, which needs the majority and changes no data.
func (e *etcd) looker(s server) looker {
	return &kept[*clientv3.Client]{
		open: func(context.Context) (*clientv3.Client, error) { return e.client(s.addr) },
		ask: func(ctx context.Context, c *clientv3.Client) error {
			_, err := c.Delete(ctx, e.cfg.Prefix+lookKey)
			return err
		},
		shut: func(c *clientv3.Client) { c.Close() },
	}
}
