package process

import (
	"context"
	"fmt"
	"os/exec"
	"strings"

	"locktorture/cluster"
	"locktorture/cluster/server"
)

// etcdServer is etcd.
type etcdServer struct{ server.Etcd }

func (etcdServer) find(look lookup) (string, error) {
	path, err := look.program("etcd")
	if err != nil {
		return "", err
	}
	out, err := exec.Command(path, "--version").Output()
	if err != nil {
		return "", fmt.Errorf("%s --version: %w", path, err)
	}
	var major, minor int
	_, rest, _ := strings.Cut(string(out), "etcd Version: ")
	if _, err := fmt.Sscanf(rest, "%d.%d", &major, &minor); err != nil {
		return "", fmt.Errorf("%s reports no version: %q", path, out)
	}
	if major < 3 || major == 3 && minor < 5 {
		return "", fmt.Errorf("%s is version %d.%d, 3.5 is needed: %w", path, major, minor, errMissing)
	}
	return path, nil
}

func (e etcdServer) command(_ context.Context, s cluster.Spec, data string) ([]string, error) {
	return e.Args(s, data)
}
