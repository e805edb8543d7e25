package process

import (
	"context"

	"locktorture/cluster"
	"locktorture/cluster/server"
)

// consulServer is a Consul server.
type consulServer struct{ server.Consul }

func (consulServer) find(look lookup) (string, error) { return look.program("consul") }

func (c consulServer) command(_ context.Context, s cluster.Spec, data string) ([]string, error) {
	return c.Args(s, data)
}
