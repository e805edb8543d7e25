package main

import (
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

func nemeses() map[string]nemesis.Nemesis { return registry.Nemeses() }
func ownBackends() map[string]backend     { return registry.Locks() }
func topologyNames() []string             { return registry.Topologies() }
