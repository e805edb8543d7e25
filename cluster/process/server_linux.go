package process

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"

	"locktorture/cluster"
	"locktorture/cluster/server"
)

// A program is a kind of server that is started as a process. A new program gets a file of its own
// and an entry in programs.
type program interface {
	server.Kind
	// find returns the path of the program, or an error with the missing part and the way to
	// install it.
	find(look lookup) (program string, err error)
	// command returns the arguments of a node that stores its data below the existing directory
	// data. It is called before every start. If the data that the program requires is missing, as
	// at the first start, command creates it.
	command(ctx context.Context, s cluster.Spec, data string) (args []string, err error)
}

// A tidier is a server that leaves objects outside its directory when it is killed. tidy removes
// such objects.
type tidier interface{ tidy(data string) error }

// A teller is a server that does not report its version to clients, but prints it on the command
// line.
type teller interface{ version(program string) string }

// programs returns every kind of server.
func programs() map[string]program {
	return map[string]program{
		"redis":     redisServer{},
		"sentinel":  sentinelServer{},
		"etcd":      etcdServer{},
		"zookeeper": zooKeeperServer{},
		"consul":    consulServer{},
		"mariadb":   mariadbServer{},
		"galera":    galeraServer{},
		"postgres":  postgresServer{},
		"pgbouncer": pgbouncerServer{},
		"memcached": memcachedServer{},
		"versitygw": versitygwServer{},
		"gofakes3":  gofakes3Server{},
		"nats":      natsServer{},
		"dynalite":  dynaliteServer{},

		"kube-apiserver": kubeAPIServer{},
	}
}

// A lookup lists the directories that are searched for a program before the directories on PATH.
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
