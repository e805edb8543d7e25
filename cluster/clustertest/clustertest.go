// Package clustertest provides servers for tests.
package clustertest

import (
	"os"
	"slices"
	"strings"
	"testing"

	"locktorture/cluster"
	"locktorture/cluster/docker"
	"locktorture/cluster/process"
)

// Cluster is the environment variable that selects the servers for tests of locks and faults:
// "docker" for containers. Without it, tests start processes.
const Cluster = "TORTURE_TEST_CLUSTER"

// Servers returns a provisioner for tests. dir is the directory into which "make servers" installs.
func Servers(dir string) cluster.Provisioner {
	if os.Getenv(Cluster) == docker.Name {
		return docker.New(nil)
	}
	return process.New(dir)
}

// Need returns a provisioner of a topology's servers for a test. It fails the test if they are missing, and skips
// it if the test is to use containers and one of them has no image.
func Need(t testing.TB, dir, topology string) cluster.Provisioner {
	t.Helper()
	p := Servers(dir)
	for _, need := range cluster.Topologies()[topology].Needs {
		kind, _, _ := strings.Cut(need, ":")
		err := p.Serves(need)
		switch {
		case err != nil && os.Getenv(Cluster) == docker.Name && !slices.Contains(docker.Servers(), kind):
			t.Skip(err)
		case err != nil:
			t.Fatalf("%v; run: make servers", err)
		}
	}
	return p
}
