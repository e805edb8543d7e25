package process

import (
	"context"

	"locktorture/cluster"
	"locktorture/cluster/server"
)

// natsServer is nats-server.
type natsServer struct{ server.NATS }

func (natsServer) find(look lookup) (string, error) { return look.program("nats-server") }

func (n natsServer) command(_ context.Context, s cluster.Spec, data string) ([]string, error) {
	return n.Args(s, data)
}
