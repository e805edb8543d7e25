package process

import (
	"context"
	"os"

	"locktorture/cluster"
	"locktorture/cluster/server"
)

// memcachedServer is memcached.
type memcachedServer struct{ server.Memcached }

func (memcachedServer) find(look lookup) (string, error) { return look.sbin("memcached") }

func (m memcachedServer) command(_ context.Context, s cluster.Spec, _ string) ([]string, error) {
	return m.Args(s, os.Getuid() == 0), nil
}
