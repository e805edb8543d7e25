package process

import (
	"context"
	"path/filepath"

	"locktorture/cluster"
	"locktorture/cluster/server"
)

// sentinelServer runs redis-server as a sentinel. Its configuration is stored beside its data
// directory, so that a sentinel that starts without its data still knows its primary.
type sentinelServer struct{ server.Sentinel }

func (sentinelServer) find(look lookup) (string, error) { return look.program("redis-server") }

func (s sentinelServer) command(_ context.Context, spec cluster.Spec, data string) ([]string, error) {
	file := filepath.Join(filepath.Dir(data), "sentinel.conf")
	return s.Args(file), s.WriteConfig(spec, file, data)
}
