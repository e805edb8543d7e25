// Package clustertest provides servers for tests.
package clustertest

import (
	"os"

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
