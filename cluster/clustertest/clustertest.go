// Package clustertest says where tests get their servers.
package clustertest

import (
	"os"

	"locktorture/cluster"
	"locktorture/cluster/docker"
	"locktorture/cluster/process"
)

// Cluster is the variable that says where tests of locks and faults get their
// servers: "docker", or, if it is not set, processes.
const Cluster = "TORTURE_TEST_CLUSTER"

// Servers returns a provisioner for tests. dir is where "make servers" has put
// what it has built.
func Servers(dir string) cluster.Provisioner {
	if os.Getenv(Cluster) == docker.Name {
		return docker.New(nil)
	}
	return process.New(dir)
}
