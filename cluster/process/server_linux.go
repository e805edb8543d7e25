package process

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"time"

	"locktorture/cluster"
)

// A server is a kind of server: how to find, run and ask it. To add one, write it
// in a file of its own and name it in servers.
type server interface {
	// find returns the program, or what is missing and how it is mended.
	find(look lookup) (program string, err error)
	// command returns the arguments for a node whose data goes below a
	// directory, which exists. It is called at each start; what must be put there before the
	// first it puts there.
	command(ctx context.Context, s cluster.Spec, data string) (args []string, err error)
	// ready asks once whether the node serves, and for its version.
	ready(ctx context.Context, s cluster.Spec) (version string, err error)
}

// A clocked server asks libc for the time of day, and can be asked for it.
type clocked interface {
	// now returns what the node believes that the time is.
	now(ctx context.Context, addr string) (time.Time, error)
}

// A clockless server says why its clock cannot be moved.
type clockless interface{ whyNoClock() string }

// A keeper is a server that cannot be started again without its data.
type keeper interface{ whyNoWipe() string }

// A tidier is a server that leaves something outside its directory when it is
// killed. tidy removes that, and nothing if there is none.
type tidier interface{ tidy(data string) error }

// servers returns every kind of server.
func servers() map[string]server {
	return map[string]server{
		"redis":     redisServer{},
		"sentinel":  sentinelServer{},
		"etcd":      etcdServer{},
		"zookeeper": zooKeeperServer{},
		"consul":    consulServer{},
		"mariadb":   mariadbServer{},
		"postgres":  postgresServer{},
		"memcached": memcachedServer{},
	}
}

// lookup is where programs are looked for: in these directories, then on
// PATH.
type lookup []string

// errMissing is wrapped by the errors of find.
var errMissing = errors.New("make servers gets it, or says how to")

// program returns the path of an executable.
func (l lookup) program(name string) (string, error) {
	for _, dir := range l {
		if path, err := exec.LookPath(filepath.Join(dir, name)); err == nil {
			return filepath.Abs(path)
		}
	}
	path, err := exec.LookPath(name)
	if err != nil {
		return "", fmt.Errorf("%s is not installed: %w", name, errMissing)
	}
	return path, nil
}
