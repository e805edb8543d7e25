package process

import (
	"context"

	"locktorture/cluster"
	"locktorture/cluster/server"
)

// redisServer is redis-server.
type redisServer struct{ server.Redis }

func (redisServer) find(look lookup) (string, error) { return look.program("redis-server") }

func (r redisServer) command(_ context.Context, s cluster.Spec, data string) ([]string, error) {
	return r.Args(s, data), nil
}
