package main

import (
	"locktorture/cluster"
	"locktorture/nemesis"
	"locktorture/registry"
)

// The tables of package registry under the names that they had here.
type (
	backend     = registry.Backend
	lockArgs    = registry.Args
	driverEntry = registry.DriverEntry
)

const (
	externalCluster = registry.Theirs
	noTopology      = registry.NoTopology
)

func nemeses() map[string]nemesis.Nemesis           { return registry.Nemeses() }
func workloadsByName() map[string]registry.Workload { return registry.Workloads() }
func workloadsFor(reentrant bool) []string          { return registry.WorkloadsFor(reentrant) }
func stores() map[string]registry.Store             { return registry.Stores() }
func ownBackends() map[string]backend               { return registry.Locks() }
func mutantBackends() map[string]backend            { return registry.Mutants() }
func topologyNames() []string                       { return registry.Topologies() }
func provisionerFor(s serverSpec, topology string) (cluster.Provisioner, string, error) {
	return s.Servers.For(topology)
}
